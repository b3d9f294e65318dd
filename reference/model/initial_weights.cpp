// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/initial_weights.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "kernels/base/fill_normal.hpp"

namespace shardstone::reference {

namespace {

template <class Real>
void draw(std::uint64_t seed, const ParameterInfo& info, std::int64_t first,
          std::span<Real> values) {
    if constexpr (std::is_same_v<Real, float>) {
        fill_normal(seed, info.name, first, info.initial_deviation, values);
    } else {
        std::vector<float> narrow(values.size());
        fill_normal(seed, info.name, first, info.initial_deviation, narrow);
        std::ranges::copy(narrow, values.begin());
    }
}

template <class Real>
void fill(std::uint64_t seed, const ParameterInfo& info, std::span<Real> values) {
    if (info.initial_deviation == 0.0F) {
        std::ranges::fill(values, static_cast<Real>(info.initial_mean));
        return;
    }
    for (const TensorPiece& piece : info.pieces) {
        draw(seed, info, piece.global,
             values.subspan(static_cast<std::size_t>(piece.local),
                            static_cast<std::size_t>(piece.count)));
    }
}

}  // namespace

template <class Real>
void fill_initial_weights(const ParameterLayout& layout, std::uint64_t seed, std::size_t group,
                          std::span<Real> weights) {
    const ParameterGroup& filled = layout.groups()[group];
    for (const ParameterInfo& info : layout.parameters()) {
        if (info.offset < filled.first || info.offset >= filled.end()) continue;
        fill(seed, info,
             weights.subspan(static_cast<std::size_t>(info.offset - filled.first),
                             static_cast<std::size_t>(info.count)));
    }
}

template void fill_initial_weights(const ParameterLayout&, std::uint64_t, std::size_t,
                                   std::span<float>);
template void fill_initial_weights(const ParameterLayout&, std::uint64_t, std::size_t,
                                   std::span<double>);

}  // namespace shardstone::reference
