// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/initial_weights.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "kernels/base/fill_normal.hpp"

namespace shardstone::reference {

namespace {

template <class Real>
void draw(std::uint64_t seed, const ParameterInfo& info, float standard_deviation,
          std::span<Real> values) {
    if constexpr (std::is_same_v<Real, float>) {
        fill_normal(seed, info.name, standard_deviation, values);
    } else {
        std::vector<float> narrow(values.size());
        fill_normal(seed, info.name, standard_deviation, narrow);
        std::ranges::copy(narrow, values.begin());
    }
}

}  // namespace

template <class Real>
void fill_initial_weights(const ParameterLayout& layout, std::uint64_t seed,
                          std::span<Real> weights) {
    for (std::size_t i = 0; i < layout.parameters().size(); ++i) {
        const ParameterInfo& info = layout.parameters()[i];
        const InitialValue& initial = layout.initial_value(i);
        const auto values = weights.subspan(static_cast<std::size_t>(info.offset),
                                            static_cast<std::size_t>(info.count));
        if (initial.standard_deviation > 0.0F) {
            draw(seed, info, initial.standard_deviation, values);
        } else {
            std::ranges::fill(values, static_cast<Real>(initial.mean));
        }
    }
}

template void fill_initial_weights(const ParameterLayout&, std::uint64_t, std::span<float>);
template void fill_initial_weights(const ParameterLayout&, std::uint64_t, std::span<double>);

}  // namespace shardstone::reference
