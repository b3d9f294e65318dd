// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/gemm/widened.hpp"

#include <algorithm>

#include "kernels/base/convert.hpp"
#include "kernels/tensor/buffer.hpp"
#include "kernels/tensor/for_each.hpp"

namespace shardstone::detail {

namespace {

// A tile of A is widened once and meets all of B, in tiles that stay in the L2 cache.
constexpr std::int64_t rows_per_tile = 1024;
constexpr std::int64_t depth_per_tile = 1024;
constexpr std::int64_t columns_per_tile = 256;
/// FP32 sums that wait for being rounded: whole rows of C, since A's tiles come round by depth.
constexpr std::int64_t sums_per_tile = std::int64_t{1} << 21;
constexpr std::int64_t least_rows_per_tile = 64;

struct Range {
    std::int64_t begin, end;
    std::int64_t size() const { return end - begin; }
};

template <class F>
void for_each_tile(std::int64_t size, std::int64_t tile, const F& f) {
    for (std::int64_t begin = 0; begin < size; begin += tile) {
        f(Range{begin, std::min(begin + tile, size)});
    }
}

/// Memory for one tile, kept for the next.
float* scratch(Buffer<float>& buffer, std::int64_t elements) {
    if (buffer.size() < elements) {
        buffer = {};
        buffer = Buffer<float>(elements);
    }
    return buffer.data();
}

/// The given rows and columns (after transposition) of a factor, widened, laid out as it is.
template <class S>
Factor<float> widened(const Factor<S>& from, Range rows, Range columns, Buffer<float>& room) {
    if (from.transposed) std::swap(rows, columns);
    const auto to =
        matrix(scratch(room, rows.size() * columns.size()), rows.size(), columns.size());
    for (std::int64_t r = 0; r < rows.size(); ++r) {
        widen(from.matrix.row(rows.begin + r) + columns.begin, to.row(r), columns.size());
    }
    return {to, from.transposed};
}

Matrix<float> part(const Matrix<float>& m, Range rows, Range columns) {
    return {m.row(rows.begin) + columns.begin, rows.size(), columns.size(), m.leading};
}

struct Rooms {
    Buffer<float> a, b, sums;
};

/// The rows `rows` of alpha A B + beta C into `sums`.
template <class S>
void multiply_rows(float alpha, const Factor<S>& a, const Factor<S>& b, float beta, Range rows,
                   const Matrix<float>& sums, Rooms& rooms) {
    for_each_tile(a.columns(), depth_per_tile, [&](Range depth) {
        const Factor<float> wide_a = widened(a, rows, depth, rooms.a);
        for_each_tile(sums.columns, columns_per_tile, [&](Range columns) {
            gemm<float>(alpha, wide_a, widened(b, depth, columns, rooms.b),
                        depth.begin == 0 ? beta : 1.0F, part(sums, {0, rows.size()}, columns));
        });
    });
}

template <class Out>
std::int64_t tile_rows(std::int64_t columns) {
    if (!is_narrow<Out>) return rows_per_tile;
    return std::clamp(sums_per_tile / std::max<std::int64_t>(columns, 1), least_rows_per_tile,
                      rows_per_tile);
}

}  // namespace

template <class S, class Out>
void widened_gemm(float alpha, const Factor<S>& a, const Factor<S>& b, float beta,
                  const Matrix<Out>& c, const float* bias) {
    thread_local Rooms rooms;
    for_each_tile(c.rows, tile_rows<Out>(c.columns), [&](Range rows) {
        if constexpr (is_narrow<Out>) {
            const auto sums =
                matrix(scratch(rooms.sums, rows.size() * c.columns), rows.size(), c.columns);
            multiply_rows(alpha, a, b, 0.0F, rows, sums, rooms);
            if (bias != nullptr) add_bias(bias, sums);
            for (std::int64_t r = 0; r < sums.rows; ++r) {
                narrow(sums.row(r), c.row(rows.begin + r), c.columns);
            }
        } else {
            const auto sums = part(c, rows, {0, c.columns});
            multiply_rows(alpha, a, b, beta, rows, sums, rooms);
            if (bias != nullptr) add_bias(bias, sums);
        }
    });
}

template <class Real>
void add_bias(const Real* bias, const Matrix<Real>& c) {
    for_each_row(c.rows, [=](std::int64_t r) {
        Real* row = c.row(r);
#pragma omp simd
        for (std::int64_t column = 0; column < c.columns; ++column) row[column] += bias[column];
    });
}

#define SHARDSTONE_INSTANTIATE(S, Out)                                           \
    template void widened_gemm(float, const Factor<S>&, const Factor<S>&, float, \
                               const Matrix<Out>&, const float*);
SHARDSTONE_INSTANTIATE(bf16, bf16)
SHARDSTONE_INSTANTIATE(bf16, float)
SHARDSTONE_INSTANTIATE(fp16, fp16)
SHARDSTONE_INSTANTIATE(fp16, float)
#undef SHARDSTONE_INSTANTIATE

template void add_bias(const float*, const Matrix<float>&);
template void add_bias(const double*, const Matrix<double>&);

}  // namespace shardstone::detail
