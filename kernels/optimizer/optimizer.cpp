// SPDX-License-Identifier: BSD-3-Clause
// The one table of optimizers, the trust ratios, and the dispatch of the host.
#include "kernels/optimizer/optimizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/optimizer/lamb.hpp"
#include "kernels/optimizer/lars.hpp"
#include "kernels/optimizer/optimizer_dispatch.hpp"

namespace shardstone {

namespace {

using Kind = OptimizerKind;

/// In the order of OptimizerKind.
constexpr std::array<OptimizerTraits, 6> all_traits{{{"adamw", 2, false},
                                                     {"sgd", 0, false},
                                                     {"momentum", 1, false},
                                                     {"nesterov", 1, false},
                                                     {"lamb", 2, true},
                                                     {"lars", 1, true}}};

double root(const SquareSum::Limbs& limbs) {
    return std::sqrt(SquareSum(limbs).value());
}

}  // namespace

const OptimizerTraits& traits_of(OptimizerKind kind) {
    return all_traits[static_cast<std::size_t>(kind)];
}

std::string to_string(OptimizerKind kind) {
    return traits_of(kind).name;
}

std::string optimizer_names() {
    std::string names;
    for (const OptimizerTraits& traits : all_traits) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", traits.name);
    }
    return names;
}

OptimizerKind parse_optimizer(const std::string& name) {
    const auto found = std::ranges::find_if(
        all_traits, [&](const OptimizerTraits& traits) { return traits.name == name; });
    require(found != all_traits.end(), [&] {
        return fmt::format("unknown optimizer '{}': use one of {}", name, optimizer_names());
    });
    return static_cast<OptimizerKind>(found - all_traits.begin());
}

void trust_ratios(HostQueue, const OptimizerSettings& settings, const OptimizerStep& step,
                  std::span<const TensorSquares> squares, std::span<double> ratios) {
    SHARDSTONE_EXPECTS(traits_of(settings.kind).adapts && squares.size() == ratios.size());
    std::ranges::transform(squares, ratios.begin(), [&](const TensorSquares& sums) {
        return detail::trust_ratio<double>(settings, step, root(sums.weights), root(sums.updates));
    });
}

template <class Real>
void update_range(HostQueue queue, const OptimizerSettings& settings, const OptimizerStep& step,
                  const ParameterRange<Real>& range) {
    detail::update_range(queue, settings, step, range);
}

template <class Real>
void prepare_update(HostQueue queue, const OptimizerSettings& settings, const OptimizerStep& step,
                    const ParameterRange<Real>& range) {
    detail::prepare_update(queue, settings, step, range);
}

template <class Real>
void add_squares(HostQueue queue, const OptimizerSettings& settings, const OptimizerStep& step,
                 const ParameterRange<Real>& range, TensorSquares& squares) {
    detail::add_squares(queue, settings, step, range, squares);
}

#define SHARDSTONE_INSTANTIATE(Real)                                                        \
    template void update_range(HostQueue, const OptimizerSettings&, const OptimizerStep&,   \
                               const ParameterRange<Real>&);                                \
    template void prepare_update(HostQueue, const OptimizerSettings&, const OptimizerStep&, \
                                 const ParameterRange<Real>&);                              \
    template void add_squares(HostQueue, const OptimizerSettings&, const OptimizerStep&,    \
                              const ParameterRange<Real>&, TensorSquares&);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
