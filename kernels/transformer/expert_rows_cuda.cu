// SPDX-License-Identifier: BSD-3-Clause
// Positions reach their experts' rows on the GPU and come back: a warp for each position, its lanes
// neighbouring packs of columns. Where the host's arithmetic is elementwise, to the same bits.
#include "kernels/base/device/block_sums.hpp"
#include "kernels/base/device/language.hpp"
#include "kernels/transformer/column_packs_cuda.hpp"
#include "kernels/transformer/expert_rows.hpp"

namespace shardstone {

namespace {

using namespace device;

constexpr int warps = 8;  // of a block
constexpr int packs = 4;  // of a lane at a time, so that several loads are under way
constexpr int dots = 4;   // choices at a time
constexpr int none = -1;  // the row of a dropped choice

using Indices = Matrix<const std::int32_t, Cuda>;

/// Factors of rows: the gates of choices, or 1.
struct Gates {
    Indices choices;
    Matrix<const float, Cuda> probabilities;

    __device__ float of(std::int64_t n, std::int64_t k) const {
        return probabilities.row(n)[choices.row(n)[k]];
    }
};
struct NoGates {
    __device__ float of(std::int64_t, std::int64_t) const { return 1.0F; }
};

__device__ inline int own_lane() {
    return static_cast<int>(threadIdx.x) % warp_size;
}
__device__ inline std::int64_t own_position() {
    return static_cast<std::int64_t>(blockIdx.x) * warps + threadIdx.x / warp_size;
}

template <class S, int width, class Factor>
__device__ inline Pack<S, width> times(Factor factor, Pack<S, width> pack) {
#pragma unroll
    for (int i = 0; i < width; ++i) {
        pack.element[i] = narrowed<S>(factor * widened(pack.element[i]));
    }
    return pack;
}

/// to[rows(n, k)] = factor * x[n].
template <bool whole, class Factors, class S>
__global__ void scatter(Matrix<const S, Cuda> x, Indices rows, Factors factors,
                        Matrix<S, Cuda> to) {
    constexpr int width = pack_size<S>, step = warp_size * width;
    const std::int64_t n = own_position();
    if (n >= rows.rows) return;
    for (std::int64_t c = own_lane() * width; c < x.columns; c += packs * step) {
        Pack<S, width> read[packs];
#pragma unroll
        for (int j = 0; j < packs; ++j) {
            read[j] = load_columns<whole, width>(x.row(n), c + j * step, x.columns);
        }
        for (std::int64_t k = 0; k < rows.columns; ++k) {
            const std::int64_t row = rows.row(n)[k];
            if (row < 0) continue;
            [[maybe_unused]] const float factor = factors.of(n, k);
#pragma unroll
            for (int j = 0; j < packs; ++j) {
                auto pack = read[j];
                if constexpr (std::is_same_v<Factors, Gates>) pack = times(factor, pack);
                store_columns<whole, width>(pack, to.row(row), c + j * step, x.columns);
            }
        }
    }
}

/// The rows and factors of up to a warp's size of choices, one in each lane; what a dropped choice
/// adds is zero times zeros, which no sum shows.
struct LaneChoice {
    int row = none;
    float factor = 0.0F;
};

template <class Factors>
__device__ inline LaneChoice lane_choice(Indices rows, const Factors& factors, std::int64_t n,
                                         std::int64_t k) {
    if (k >= rows.columns || rows.row(n)[k] < 0) return {};
    return {rows.row(n)[k], factors.of(n, k)};
}

/// out[n] = the sum over k of factor * from[rows(n, k)], in order of k.
template <bool whole, class Factors, class S, class R>
__global__ void sum_of_rows(Matrix<const S, Cuda> from, Indices rows, Factors factors,
                            Matrix<R, Cuda> out) {
    constexpr int width = std::min(pack_size<S>, pack_size<R>), step = warp_size * width;
    const std::int64_t n = own_position();
    if (n >= out.rows) return;
    for (std::int64_t first = 0; first < from.columns; first += packs * step) {
        const std::int64_t c = first + own_lane() * width;
        float sums[packs][width] = {};
        for (std::int64_t k = 0; k < rows.columns; k += warp_size) {
            const LaneChoice own = lane_choice(rows, factors, n, k + own_lane());
            const int count =
                static_cast<int>(rows.columns - k < warp_size ? rows.columns - k : warp_size);
#pragma unroll 2
            for (int i = 0; i < count; ++i) {
                const int row = __shfl_sync(whole_warp, own.row, i);
                const float factor = __shfl_sync(whole_warp, own.factor, i);
                const S* const term = from.row(row < 0 ? 0 : row);
                const std::int64_t columns = row < 0 ? 0 : from.columns;
                Pack<S, width> read[packs];
#pragma unroll
                for (int j = 0; j < packs; ++j) {
                    read[j] = load_columns<whole, width>(term, c + j * step, columns);
                }
#pragma unroll
                for (int j = 0; j < packs * width; ++j) {
                    float& sum = sums[j / width][j % width];
                    sum = fmaf(factor, widened(read[j / width].element[j % width]), sum);
                }
            }
        }
#pragma unroll
        for (int j = 0; j < packs; ++j) {
            Pack<R, width> pack;
#pragma unroll
            for (int i = 0; i < width; ++i) pack.element[i] = narrowed<R>(sums[j][i]);
            store_columns<whole, width>(pack, out.row(n), c + j * step, out.columns);
        }
    }
}

/// d_gates(n, k) = d_out[n] times from[rows(n, k)], some choices in one reading of d_out.
template <bool whole, class S>
__global__ void dots_of_rows(Matrix<const S, Cuda> d_out, Matrix<const S, Cuda> from, Indices rows,
                             Matrix<float, Cuda> d_gates) {
    constexpr int width = pack_size<S>;
    const std::int64_t n = own_position(), columns = d_out.columns;
    if (n >= rows.rows) return;
    for (std::int64_t k = 0; k < rows.columns; k += dots) {
        int row[dots];
        float sums[dots] = {};
#pragma unroll
        for (int j = 0; j < dots; ++j) row[j] = k + j < rows.columns ? rows.row(n)[k + j] : none;
#pragma unroll 2
        for (std::int64_t c = own_lane() * width; c < columns; c += warp_size * width) {
            const auto d = load_columns<whole, width>(d_out.row(n), c, columns);
#pragma unroll
            for (int j = 0; j < dots; ++j) {
                if (row[j] < 0) continue;
                const auto term = load_columns<whole, width>(from.row(row[j]), c, columns);
#pragma unroll
                for (int i = 0; i < width; ++i) {
                    sums[j] = fmaf(widened(d.element[i]), widened(term.element[i]), sums[j]);
                }
            }
        }
#pragma unroll
        for (int j = 0; j < dots; ++j) {
            const float dot = over_warp(sums[j]);
            if (own_lane() == 0 && k + j < rows.columns) d_gates.row(n)[k + j] = dot;
        }
    }
}

Launch warp_per_position(std::int64_t positions) {
    return {dim3(parts(positions, warps)), dim3(warps * warp_size)};
}

template <class Factors, class S>
void enqueue_scatter(CudaQueue queue, Matrix<const S, Cuda> x, Indices rows, const Factors& factors,
                     Matrix<S, Cuda> to) {
    if (rows.rows == 0) return;
    constexpr int width = pack_size<S>;
    with_constant(has_whole_packs<width>(x) && has_whole_packs<width>(to), [&](auto whole) {
        launch(scatter<whole.value, Factors, S>, warp_per_position(rows.rows), queue.stream(), x,
               rows, factors, to);
    });
}

template <class Factors, class S, class R>
void enqueue_sums(CudaQueue queue, Matrix<const S, Cuda> from, Indices rows, const Factors& factors,
                  Matrix<R, Cuda> out) {
    if (out.rows == 0) return;
    constexpr int width = std::min(pack_size<S>, pack_size<R>);
    with_constant(has_whole_packs<width>(from) && has_whole_packs<width>(out), [&](auto whole) {
        launch(sum_of_rows<whole.value, Factors, S, R>, warp_per_position(out.rows), queue.stream(),
               from, rows, factors, out);
    });
}

}  // namespace

template <class S>
void dispatch_rows(CudaQueue queue, Matrix<const S, Cuda> x, Matrix<const std::int32_t, Cuda> rows,
                   Matrix<S, Cuda> to) {
    enqueue_scatter(queue, x, rows, NoGates(), to);
}

template <class S, class R>
void combine_rows(CudaQueue queue, Matrix<const S, Cuda> from,
                  Matrix<const std::int32_t, Cuda> rows, Matrix<const std::int32_t, Cuda> choices,
                  Matrix<const compute_t<S>, Cuda> probabilities, Matrix<R, Cuda> out) {
    enqueue_sums(queue, from, rows, Gates{choices, probabilities}, out);
}

template <class S>
void dispatch_gradient(CudaQueue queue, Matrix<const S, Cuda> d_out,
                       Matrix<const std::int32_t, Cuda> rows,
                       Matrix<const std::int32_t, Cuda> choices,
                       Matrix<const compute_t<S>, Cuda> probabilities, Matrix<S, Cuda> to) {
    enqueue_scatter(queue, d_out, rows, Gates{choices, probabilities}, to);
}

template <class S>
void gate_gradients(CudaQueue queue, Matrix<const S, Cuda> d_out, Matrix<const S, Cuda> from,
                    Matrix<const std::int32_t, Cuda> rows, Matrix<compute_t<S>, Cuda> d_gates) {
    if (rows.rows == 0) return;
    constexpr int width = pack_size<S>;
    with_constant(has_whole_packs<width>(d_out) && has_whole_packs<width>(from), [&](auto whole) {
        launch(dots_of_rows<whole.value, S>, warp_per_position(rows.rows), queue.stream(), d_out,
               from, rows, d_gates);
    });
}

template <class S, class R>
void sum_rows(CudaQueue queue, Matrix<const S, Cuda> from, Matrix<const std::int32_t, Cuda> rows,
              Matrix<R, Cuda> out) {
    enqueue_sums(queue, from, rows, NoGates(), out);
}

#define SHARDSTONE_INSTANTIATE(S)                                                                  \
    template void dispatch_rows(CudaQueue, Matrix<const S, Cuda>, Indices, Matrix<S, Cuda>);       \
    template void dispatch_gradient(CudaQueue, Matrix<const S, Cuda>, Indices, Indices,            \
                                    Matrix<const compute_t<S>, Cuda>, Matrix<S, Cuda>);            \
    template void gate_gradients(CudaQueue, Matrix<const S, Cuda>, Matrix<const S, Cuda>, Indices, \
                                 Matrix<compute_t<S>, Cuda>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

#define SHARDSTONE_INSTANTIATE(S, R)                                                     \
    template void combine_rows<S, R>(CudaQueue, Matrix<const S, Cuda>, Indices, Indices, \
                                     Matrix<const compute_t<S>, Cuda>, Matrix<R, Cuda>); \
    template void sum_rows<S, R>(CudaQueue, Matrix<const S, Cuda>, Indices, Matrix<R, Cuda>);
SHARDSTONE_INSTANTIATE(float, float)
SHARDSTONE_INSTANTIATE(bf16, float)
SHARDSTONE_INSTANTIATE(fp16, float)
SHARDSTONE_INSTANTIATE(bf16, bf16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
