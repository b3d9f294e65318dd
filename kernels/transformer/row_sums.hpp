// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/row_reduction.hpp"
#include "kernels/transformer/elementary.hpp"

namespace shardstone::detail {

/// One row of a sum of rows, and its factor; a row that is nullptr is omitted.
template <class S>
struct ScaledRow {
    const S* row = nullptr;
    compute_t<S> factor{};
};

/// Calls write(c, sum) for every column c in [0, columns) with the sum of factor * row[c] over
/// row_at(0) ... row_at(count - 1), which are ScaledRows: in Real, in this order, 0 if all are
/// omitted. Processes a group of columns at a time, whose sums stay in registers.
template <class S, class RowAt, class Write>
inline void sum_scaled_rows(std::int64_t columns, std::int64_t count, const RowAt& row_at,
                            const Write& write) {
    using Real = compute_t<S>;
    const auto sum_group = [&](std::int64_t begin, auto width) {
        Real sums[partial_results] = {};
        for (std::int64_t k = 0; k < count; ++k) {
            const ScaledRow<S> term = row_at(k);
            if (term.row == nullptr) continue;
            const S* from = term.row + begin;
            for (std::int64_t i = 0; i < width; ++i) {
                sums[i] = multiply_add(term.factor, static_cast<Real>(from[i]), sums[i]);
            }
        }
        for (std::int64_t i = 0; i < width; ++i) write(begin + i, sums[i]);
    };
    std::int64_t c = 0;
    for (; c + partial_results <= columns; c += partial_results) {
        sum_group(c, std::integral_constant<std::int64_t, partial_results>{});
    }
    sum_group(c, columns - c);
}

}  // namespace shardstone::detail
