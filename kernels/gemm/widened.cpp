// SPDX-License-Identifier: BSD-3-Clause
// bf16 and fp16 matrix products on the FP32 library, one cache-sized tile at a time.
#include "kernels/gemm/widened.hpp"

#include <algorithm>
#include <vector>

#include "kernels/base/convert.hpp"

namespace shardstone::detail {

namespace {

constexpr std::int64_t rows_per_tile = 1024;
constexpr std::int64_t depth_per_tile = 1024;
constexpr std::int64_t columns_per_tile = 1024;
/// With few rows, widening B is most of the work, so that a tile of it is to stay in the L2 cache;
/// with many, the library packs a tile of A for each tile of B, so that those are to be few.
constexpr std::int64_t few_rows = 256;
constexpr std::int64_t columns_of_few_rows = 256;
/// Rows 4 KiB apart would share the sets of the caches.
constexpr std::int64_t padding = 16;

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

/// Memory for one tile, kept for the next. Not a Buffer: like the workspaces of the FP32 library,
/// it belongs to a product, not to what is trained, and is not counted there.
class Scratch {
  public:
    float* of(std::int64_t elements) {
        lines_.resize(std::max(lines_.size(), static_cast<std::size_t>(elements) / floats + 1));
        return lines_.front().data;
    }

  private:
    static constexpr std::size_t floats = 16;
    struct alignas(64) Line {
        float data[floats];
    };
    std::vector<Line> lines_;
};

/// The given rows and columns (after transposition) of a factor, widened, laid out as it is.
template <class S>
Factor<float> widened(const Factor<S>& from, Range rows, Range columns, Scratch& scratch) {
    if (from.transposed) std::swap(rows, columns);
    const std::int64_t leading = columns.size() + padding;
    const Matrix<float> to{scratch.of(rows.size() * leading), rows.size(), columns.size(), leading};
    for (std::int64_t r = 0; r < rows.size(); ++r) {
        widen(from.matrix.row(rows.begin + r) + columns.begin, to.row(r), columns.size());
    }
    return {to, from.transposed};
}

template <class Out>
Matrix<Out> part(const Matrix<Out>& m, Range rows, Range columns) {
    return {m.row(rows.begin) + columns.begin, rows.size(), columns.size(), m.leading};
}

/// Where the FP32 sums of a tile of C build up: there itself, or in scratch memory until they are
/// rounded.
template <class Out>
Matrix<float> sums_of(const Matrix<Out>& tile, Scratch& scratch) {
    if constexpr (is_narrow<Out>) {
        return matrix(scratch.of(tile.rows * tile.columns), tile.rows, tile.columns);
    } else {
        return tile;
    }
}

struct Tiles {
    Scratch a, b, sums;
};

/// The rows and columns of alpha A B + beta C into `sums`.
template <class S>
void multiply_tile(float alpha, const Factor<S>& a, const Factor<S>& b, float beta, Range rows,
                   Range columns, const Matrix<float>& sums, Tiles& scratch) {
    for_each_tile(a.columns(), depth_per_tile, [&](Range depth) {
        gemm<float>(HostQueue(), alpha, widened(a, rows, depth, scratch.a),
                    widened(b, depth, columns, scratch.b), depth.begin == 0 ? beta : 1.0F, sums);
    });
}

}  // namespace

template <class S, class Out>
void widened_gemm(float alpha, const Factor<S>& a, const Factor<S>& b, float beta,
                  const Matrix<Out>& c, const float* bias) {
    thread_local Tiles scratch;
    const std::int64_t columns_at_once =
        c.rows <= few_rows ? columns_of_few_rows : columns_per_tile;
    for_each_tile(c.rows, rows_per_tile, [&](Range rows) {
        for_each_tile(c.columns, columns_at_once, [&](Range columns) {
            const auto tile = part(c, rows, columns);
            const auto sums = sums_of(tile, scratch.sums);
            multiply_tile(alpha, a, b, beta, rows, columns, sums, scratch);
            if (bias != nullptr) add_bias(bias + columns.begin, sums);
            if constexpr (is_narrow<Out>) {
                for (std::int64_t r = 0; r < sums.rows; ++r) {
                    narrow(sums.row(r), tile.row(r), sums.columns);
                }
            }
        });
    });
}

template <class Real>
void add_bias(const Real* bias, const Matrix<Real>& c) {
    for (std::int64_t r = 0; r < c.rows; ++r) {
        Real* row = c.row(r);
#pragma omp simd
        for (std::int64_t column = 0; column < c.columns; ++column) row[column] += bias[column];
    }
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
