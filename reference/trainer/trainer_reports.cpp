// SPDX-License-Identifier: BSD-3-Clause
// What a step of the trainer reports, of the sums that it left.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/error.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "reference/trainer/trainer.hpp"

namespace shardstone::reference {

namespace {

/// "blocks.0.mlp.expansion.weight[17]"
std::string element_name(const ParameterLayout& layout, std::int64_t flat) {
    const auto holds = [&](const ParameterInfo& tensor) {
        return tensor.offset <= flat && flat < tensor.offset + tensor.count;
    };
    const auto tensor = std::ranges::find_if(layout.parameters(), holds);
    SHARDSTONE_EXPECTS(tensor != layout.parameters().end());
    return fmt::format("{}[{}]", tensor->name, flat - tensor->offset);
}

}  // namespace

template <class Real, class Space>
void Trainer<Real, Space>::report(const StepSums& sums, std::int64_t targets) {
    report_losses(sums.losses, targets);
    report_.gradient_norm = sums.factors.gradient_norm;
    report_.learning_rate = optimizer_.learning_rate();
    const bool finite = is_finite_norm(report_.gradient_norm);
    if (!finite) report_.sum_not_finite = optimizer_.first_not_finite();
    report_.skipped = loss_scale_.skips(finite);
    const NotFinite& made = sums.not_finite;
    if (!made.is_there) return;
    report_.made_not_finite =
        fmt::format("{} is {}", element_name(layout_, made.place), made.value);
}

template <class Real, class Space>
void Trainer<Real, Space>::report_losses(const LossTotals& totals, std::int64_t targets) {
    report_.loss = totals[0].value();
    const ExpertOptions& experts = options_.model.experts;
    if (!experts.any()) return;
    // They were divided by the number of targets that are not ignored; all positions are routed.
    const double share =
        static_cast<double>(targets) /
        static_cast<double>(options_.model.layers * options_.batch.global_tokens());
    report_.router = {totals[1].value() * share, totals[2].value() * share,
                      totals[3].value() * share / static_cast<double>(experts.top_k)};
    // Choices of experts from NaN logits are meaningless.
    if (!std::isfinite(report_.router->z)) {
        constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
        report_.router = {nothing, nothing, nothing};
    }
}

template class Trainer<float>;
template class Trainer<double>;
template class Trainer<float, Paced>;
#ifdef SHARDSTONE_HAS_CUDA
template class Trainer<float, Cuda>;
#endif

}  // namespace shardstone::reference
