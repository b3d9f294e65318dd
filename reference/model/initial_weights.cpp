// SPDX-License-Identifier: BSD-3-Clause
// Initial weights of any shard of the model, bitwise the same as in the whole model.
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

/// The local elements [first, first + values.size()) of one tensor.
template <class Real>
void fill(std::uint64_t seed, const ParameterInfo& info, std::int64_t first,
          std::span<Real> values) {
    if (info.initial_deviation == 0.0F) {
        std::ranges::fill(values, static_cast<Real>(info.initial_mean));
        return;
    }
    const std::int64_t end = first + std::ssize(values);
    for (const TensorPiece& piece : info.pieces()) {
        const std::int64_t from = std::max(first, piece.local);
        const std::int64_t to = std::min(end, piece.local + piece.count);
        if (from >= to) continue;
        draw(seed, info, piece.global + from - piece.local,
             values.subspan(static_cast<std::size_t>(from - first),
                            static_cast<std::size_t>(to - from)));
    }
}

}  // namespace

template <class Real>
void fill_initial_weights(const ParameterLayout& layout, std::uint64_t seed, std::int64_t first,
                          std::span<Real> weights) {
    const std::int64_t end = first + std::ssize(weights);
    for (const ParameterInfo& info : layout.parameters()) {
        const std::int64_t from = std::max(first, info.offset);
        const std::int64_t to = std::min(end, info.offset + info.count);
        if (from >= to) continue;
        fill(seed, info, from - info.offset,
             weights.subspan(static_cast<std::size_t>(from - first),
                             static_cast<std::size_t>(to - from)));
    }
}

template void fill_initial_weights(const ParameterLayout&, std::uint64_t, std::int64_t,
                                   std::span<float>);
template void fill_initial_weights(const ParameterLayout&, std::uint64_t, std::int64_t,
                                   std::span<double>);

}  // namespace shardstone::reference
