// SPDX-License-Identifier: BSD-3-Clause
#include "reference/trainer/optimizer.hpp"

#include <cmath>

#include "kernels/optimizer/adamw.hpp"
#include "kernels/optimizer/gradient_norm.hpp"
#include "kernels/optimizer/sgd.hpp"

namespace shardstone::reference {

Optimizer::Optimizer(const TrainOptions& options, const std::vector<ParameterInfo>& parameters)
    : options_(options.optimizer), rate_(learning_rate_of(options)), parameters_(parameters) {
    if (options_.kind == OptimizerKind::sgd) return;
    first_moments_.resize(static_cast<std::size_t>(options.model.parameter_count()));
    second_moments_.resize(first_moments_.size());
}

Optimizer::Report Optimizer::update(std::int64_t step, std::span<float> weights,
                                    std::span<const float> gradients) {
    const Report report{std::sqrt(sum_of_squares(gradients)), rate_.at(step)};
    const double factor = clipping_factor(report.gradient_norm, options_.clip);
    for (const auto& tensor : parameters_) {
        update_tensor(tensor, step, report, factor, weights, gradients);
    }
    return report;
}

void Optimizer::update_tensor(const ParameterInfo& tensor, std::int64_t step, const Report& report,
                              double clip_factor, std::span<float> weights,
                              std::span<const float> gradients) {
    const auto part = [&](auto all) {
        return all.subspan(static_cast<std::size_t>(tensor.offset),
                           static_cast<std::size_t>(tensor.count));
    };
    const double decay = tensor.decay ? options_.weight_decay : 0.0;
    if (options_.kind == OptimizerKind::sgd) {
        sgd_update(SgdStep{report.learning_rate, decay, clip_factor}, part(weights),
                   part(gradients));
        return;
    }
    const AdamwSettings settings{options_.beta1, options_.beta2, AdamwSettings{}.epsilon, decay};
    adamw_update(settings, AdamwStep{step, report.learning_rate, clip_factor},
                 AdamwRange<float>{part(weights), part(gradients), part(std::span(first_moments_)),
                                   part(std::span(second_moments_))});
}

std::int64_t Optimizer::memory_bytes() const {
    return (std::ssize(first_moments_) + std::ssize(second_moments_)) *
           static_cast<std::int64_t>(sizeof(float));
}

}  // namespace shardstone::reference
