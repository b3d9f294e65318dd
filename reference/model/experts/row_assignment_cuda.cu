// SPDX-License-Identifier: BSD-3-Clause
// Assigns rows to choices on the GPU, in the host's order: a block counts how often each of its
// warps meets each expert in its stretch of the choices, then each warp goes through its stretch.
#include <algorithm>

#include "kernels/base/device/block_sums.hpp"
#include "kernels/base/device/language.hpp"
#include "reference/model/experts/row_assignment.hpp"

namespace shardstone::reference {

namespace {

using namespace device;

constexpr int steps_at_once = 4;  // whose choices are loaded together

/// Choices in order, one after the other: those of a block's positions.
template <class T>
struct Sequence {
    Matrix<T, Cuda> of;
    std::int64_t first_position;

    __device__ T& operator()(int i) const {
        const int k = static_cast<int>(of.columns);
        return of.row(first_position + i / k)[i % k];
    }
};

struct Stretch {
    int begin, end;
};

__device__ inline int own_lane() {
    return static_cast<int>(threadIdx.x) % warp_size;
}
__device__ inline int own_warp() {
    return static_cast<int>(threadIdx.x) / warp_size;
}
__device__ inline int warps() {
    return static_cast<int>(blockDim.x) / warp_size;
}

/// The own warp's part of `count` choices: whole steps of a warp's lanes.
__device__ inline Stretch own_stretch(int count) {
    const int steps = (count + warp_size - 1) / warp_size;
    const int length = (steps + warps() - 1) / warps() * warp_size;
    return {min(own_warp() * length, count), min((own_warp() + 1) * length, count)};
}

/// The lane's choices of some steps from `first` on, all loaded before one is used; -1 where the
/// stretch has ended.
__device__ inline void load_steps(const Sequence<const std::int32_t>& choices, int first, int end,
                                  int (&experts)[steps_at_once]) {
#pragma unroll
    for (int j = 0; j < steps_at_once; ++j) {
        const int i = first + j * warp_size + own_lane();
        experts[j] = i < end ? choices(i) : -1;
    }
}

/// counts[warp * experts + e] = how often each warp's stretch has expert e.
__device__ inline void count_by_warp(const Sequence<const std::int32_t>& choices, int count,
                                     int experts, int* counts) {
    for (int i = static_cast<int>(threadIdx.x); i < warps() * experts;
         i += static_cast<int>(blockDim.x)) {
        counts[i] = 0;
    }
    __syncthreads();
    const Stretch own = own_stretch(count);
    for (int first = own.begin; first < own.end; first += steps_at_once * warp_size) {
        int expert[steps_at_once];
        load_steps(choices, first, own.end, expert);
#pragma unroll
        for (int j = 0; j < steps_at_once; ++j) {
            if (expert[j] >= 0) atomicAdd(&counts[own_warp() * experts + expert[j]], 1);
        }
    }
    __syncthreads();
}

template <class Real>
__global__ void count_in_sequences(Matrix<const std::int32_t, Cuda> choices, std::int64_t positions,
                                   Matrix<Real, Cuda> picks) {
    int* const counts = dynamic_shared<int>();
    const int experts = static_cast<int>(picks.columns);
    count_by_warp({choices, blockIdx.x * positions}, static_cast<int>(positions * choices.columns),
                  experts, counts);
    for (int e = static_cast<int>(threadIdx.x); e < experts; e += static_cast<int>(blockDim.x)) {
        int total = 0;
        for (int w = 0; w < warps(); ++w) total += counts[w * experts + e];
        picks.row(blockIdx.x)[e] = static_cast<Real>(total);
    }
}

/// The rows of experts: of sequence b and expert e from e * expert + b * slots on, `slots` many;
/// or, without slots, as many as it needs after those of the experts before it.
struct RowShape {
    int experts, expert, slots;
};

/// Turns counts into how many each warp's stretch has before it; the sums over all warps follow
/// the counts. Returns how many in all are beyond the slots, on each thread its part.
__device__ inline int counts_to_first(const RowShape& shape, int* counts) {
    int beyond = 0;
    int* const totals = counts + warps() * shape.experts;
    for (int e = static_cast<int>(threadIdx.x); e < shape.experts;
         e += static_cast<int>(blockDim.x)) {
        int total = 0;
        for (int w = 0; w < warps(); ++w) {
            int& first = counts[w * shape.experts + e];
            const int of_warp = first;
            first = total;
            total += of_warp;
        }
        totals[e] = total;
        beyond += max(total - shape.slots, 0);
    }
    __syncthreads();
    return beyond;
}

/// first_rows[e]: the first row of expert e for sequence b.
__device__ inline void find_first_rows(const RowShape& shape, int b, const int* totals,
                                       int* first_rows) {
    for (int e = static_cast<int>(threadIdx.x); e < shape.experts;
         e += static_cast<int>(blockDim.x)) {
        int first = 0;
        if (shape.slots > 0) {
            first = e * shape.expert + b * shape.slots;
        } else {
            for (int before = 0; before < e; ++before) first += totals[before];
        }
        first_rows[e] = first;
    }
    __syncthreads();
}

/// How many choices of `expert`, the lane's, the stretch has had before the lane's; counts those of
/// this step in. Lanes without a choice have -1.
__device__ inline int place_in_stretch(int expert, int* had) {
    const unsigned same = __match_any_sync(whole_warp, expert);
    const unsigned lower = (1U << own_lane()) - 1U;
    const int before = expert < 0 ? 0 : had[expert];
    __syncwarp();
    if (expert >= 0 && (same & lower) == 0U) had[expert] = before + __popc(same);
    __syncwarp();
    return before + __popc(same & lower);
}

__device__ inline void assign_stretch(const Sequence<const std::int32_t>& choices, Stretch own,
                                      const RowShape& shape, const int* first_rows, int* had,
                                      const Sequence<std::int32_t>& rows) {
    for (int first = own.begin; first < own.end; first += steps_at_once * warp_size) {
        int expert[steps_at_once];
        load_steps(choices, first, own.end, expert);
#pragma unroll
        for (int j = 0; j < steps_at_once; ++j) {
            const int place = place_in_stretch(expert[j], had);
            if (expert[j] < 0) continue;
            const bool has_row = shape.slots == 0 || place < shape.slots;
            rows(first + j * warp_size + own_lane()) = has_row ? first_rows[expert[j]] + place : -1;
        }
    }
}

using WarpSums = int[warp_size];

__global__ void assign_in_sequences(Matrix<const std::int32_t, Cuda> choices,
                                    std::int64_t positions, RowShape shape,
                                    Matrix<std::int32_t, Cuda> rows, double* dropped) {
    SHARDSTONE_SHARED(WarpSums, partial);
    int* const counts = dynamic_shared<int>();
    int* const totals = counts + warps() * shape.experts;
    int* const first_rows = totals + shape.experts;
    const Sequence<const std::int32_t> from{choices, blockIdx.x * positions};
    const int count = static_cast<int>(positions * choices.columns);
    count_by_warp(from, count, shape.experts, counts);
    int beyond = counts_to_first(shape, counts);
    find_first_rows(shape, static_cast<int>(blockIdx.x), totals, first_rows);
    assign_stretch(from, own_stretch(count), shape, first_rows, counts + own_warp() * shape.experts,
                   {rows, blockIdx.x * positions});
    if (shape.slots == 0) return;
    beyond = over_block(beyond, 0, partial);
    // Whole numbers below 2^53, which add up exactly in any order.
    if (threadIdx.x == 0 && beyond > 0) atomicAdd(dropped, static_cast<double>(beyond));
}

/// A block for each sequence, of as many warps as have room for their counts, and so many numbers
/// more for each expert.
Launch block_per_sequence(std::int64_t sequences, std::int64_t experts, int more) {
    const int warps = experts <= 512 ? 32 : 8;  // the model has up to 4096
    return {dim3(static_cast<unsigned>(sequences)), dim3(static_cast<unsigned>(warps * warp_size)),
            sizeof(int) * static_cast<std::size_t>(experts * (warps + more))};
}

}  // namespace

template <class Real>
void count_choices(CudaQueue queue, Matrix<const std::int32_t, Cuda> choices, Real* counts,
                   std::int64_t experts) {
    launch(count_in_sequences<Real>, block_per_sequence(1, experts, 0), queue.stream(), choices,
           choices.rows, matrix<Cuda>(counts, 1, experts));
}

template <class Real>
void count_picks(CudaQueue queue, const ExpertPart& part, Matrix<const std::int32_t, Cuda> choices,
                 Matrix<Real, Cuda> picks) {
    if (part.sequences == 0) return;
    launch(count_in_sequences<Real>, block_per_sequence(part.sequences, part.experts, 0),
           queue.stream(), choices, part.positions, picks);
}

void assign_rows(CudaQueue queue, const ExpertPart& part, Matrix<const std::int32_t, Cuda> choices,
                 Matrix<std::int32_t, Cuda> rows, double* dropped) {
    if (choices.rows == 0) return;
    const bool in_sequences = part.has_capacity();
    const RowShape shape{static_cast<int>(part.experts), static_cast<int>(part.rows_of_expert()),
                         static_cast<int>(part.slots)};
    launch(assign_in_sequences,
           block_per_sequence(in_sequences ? part.sequences : 1, part.experts, 2), queue.stream(),
           choices, in_sequences ? part.positions : choices.rows, shape, rows, dropped);
}

#define SHARDSTONE_INSTANTIATE(Real)                                                               \
    template void count_choices(CudaQueue, Matrix<const std::int32_t, Cuda>, Real*, std::int64_t); \
    template void count_picks(CudaQueue, const ExpertPart&, Matrix<const std::int32_t, Cuda>,      \
                              Matrix<Real, Cuda>);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone::reference
