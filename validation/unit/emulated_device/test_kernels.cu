// SPDX-License-Identifier: BSD-3-Clause
// Kernels in which the emulated device is to find faults.
#include "kernels/base/device/matrix_unit.hpp"
#include "validation/unit/emulated_device/test_kernels.hpp"

namespace shardstone::validation {

namespace {

using Tile = float[block_threads];

__global__ void reverse(float* numbers, bool waits) {
    SHARDSTONE_SHARED(Tile, tile);
    tile[threadIdx.x] = numbers[threadIdx.x];
    if (waits) __syncthreads();
    numbers[threadIdx.x] = tile[block_threads - 1 - threadIdx.x];
}

__global__ void reverse_late(float* numbers, bool waits) {
    SHARDSTONE_SHARED(Tile, tile);
    if (threadIdx.x % 4 == 0) {
        device::copy_async_16(&tile[threadIdx.x], &numbers[threadIdx.x]);
        device::copy_async_commit();
        if (waits) device::copy_async_wait<0>();
    }
    __syncthreads();
    numbers[threadIdx.x] = tile[block_threads - 1 - threadIdx.x];
}

__global__ void pass_barriers(bool diverges) {
    if (diverges && threadIdx.x < block_threads / 2) {
        __syncthreads();
    } else {
        __syncthreads();
    }
}

__global__ void sum_warps(float* numbers, bool returns) {
    if (returns && threadIdx.x % 4 == 0) return;
    float sum = numbers[threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(0xffffffffU, sum, distance);
    }
    numbers[threadIdx.x] = sum;
}

__global__ void check_shuffles(int* wrong) {
    const int lane = static_cast<int>(threadIdx.x) % 32, first = lane / 8 * 8;
    const int down = __shfl_down_sync(0xffffffffU, lane, 3, 8);
    const int up = __shfl_up_sync(0xffffffffU, lane, 3, 8);
    const int from = __shfl_sync(0xffffffffU, lane, 10, 8);
    const unsigned votes = __ballot_sync(0xffffffffU, lane % 3 == 0);
    const bool is_right = down == (lane % 8 + 3 < 8 ? lane + 3 : lane) &&
                          up == (lane % 8 >= 3 ? lane - 3 : lane) && from == first + 2 &&
                          votes == 0x49249249U;
    if (!is_right) atomicMax(wrong, static_cast<int>(threadIdx.x) + 1);
}

__global__ void count(int* total, bool at_once) {
    if (at_once) {
        atomicAdd(total, 1);
    } else {
        *total += 1;
    }
}

__global__ void count_in_blocks(int* numbers, bool overlap) {
    const int first = static_cast<int>(blockIdx.x) * (overlap ? block_threads / 2 : block_threads);
    numbers[first + static_cast<int>(threadIdx.x)] += 1;
}

__global__ void read_neighbour(int* numbers, bool overlap) {
    const int mine = static_cast<int>(blockIdx.x) * block_threads + static_cast<int>(threadIdx.x);
    numbers[mine] = 1;
    __syncthreads();
    const int seen = numbers[overlap && blockIdx.x > 0 ? mine - block_threads : mine];
    __syncthreads();
    numbers[mine] = seen;
}

__global__ void sum_in_last_block(float* partial, unsigned* ended, float* total, bool fences) {
    if (threadIdx.x != 0) return;
    partial[blockIdx.x] = 1.0F;
    if (fences) __threadfence();
    if (atomicAdd(ended, 1U) + 1 < gridDim.x) return;
    if (fences) __threadfence();
    float sum = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) sum += partial[i];
    *total = sum;
}

__global__ void scale(float* to, const float* from, float factor, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) to[i] = factor * from[i];
}

__global__ void scale_too_many(float* to, const float* from, float factor, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i <= count) to[i] = factor * (i < count ? from[i] : 1.0F);
}

__global__ void read(float* to, const float* from, int at) {
    if (threadIdx.x == 0) *to = from[at];
}

__global__ void read_shared(float* to) {
    if (threadIdx.x == 0) *to = *device::dynamic_shared<float>();
}

__global__ void multiply_ones(float* to) {
    constexpr unsigned two_ones = 0x3f803f80U;  // of bf16
    const unsigned a[4] = {two_ones, two_ones, two_ones, two_ones}, b[2] = {two_ones, two_ones};
    float d[4] = {};
    device::mma_m16n8k16<bf16>(d, a, b);
    for (int i = 0; i < 4; ++i) to[threadIdx.x * 4 + i] = d[i];
}

const device::Launch one_block{dim3(1), dim3(block_threads)};

}  // namespace

void launch_reversal(float* numbers, Fault fault, cudaStream_t stream) {
    device::launch(reverse, one_block, stream, numbers, fault == Fault::none);
}

void launch_late_copy(float* numbers, Fault fault, cudaStream_t stream) {
    device::launch(reverse_late, one_block, stream, numbers, fault == Fault::none);
}

void launch_barriers(Fault fault, cudaStream_t stream) {
    device::launch(pass_barriers, one_block, stream, fault == Fault::planted);
}

void launch_warp_sums(float* numbers, Fault fault, cudaStream_t stream) {
    device::launch(sum_warps, one_block, stream, numbers, fault == Fault::planted);
}

void launch_shuffles(int* wrong, cudaStream_t stream) {
    device::launch(check_shuffles, one_block, stream, wrong);
}

void launch_count(int* total, Fault fault, cudaStream_t stream) {
    device::launch(count, one_block, stream, total, fault == Fault::none);
}

void launch_blocks(int* numbers, Fault fault, cudaStream_t stream) {
    device::launch(count_in_blocks, {dim3(4), dim3(block_threads)}, stream, numbers,
                   fault == Fault::planted);
}

void launch_neighbours(int* numbers, Fault fault, cudaStream_t stream) {
    device::launch(read_neighbour, {dim3(4), dim3(block_threads)}, stream, numbers,
                   fault == Fault::planted);
}

void launch_last_block(float* partial, unsigned* ended, float* total, Fault fault,
                       cudaStream_t stream) {
    device::launch(sum_in_last_block, {dim3(8), dim3(block_threads)}, stream, partial, ended, total,
                   fault == Fault::none);
}

void launch_scale(float* to, const float* from, float factor, int count, Fault fault,
                  cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>(count / block_threads + 1);
    device::launch(fault == Fault::none ? scale : scale_too_many,
                   {dim3(blocks), dim3(block_threads)}, stream, to, from, factor, count);
}

void launch_read(float* to, const float* from, int at, cudaStream_t stream) {
    device::launch(read, one_block, stream, to, from, at);
}

void launch_with_shared_bytes(float* to, int bytes, cudaStream_t stream) {
    device::launch(read_shared, {dim3(1), dim3(block_threads), static_cast<std::size_t>(bytes)},
                   stream, to);
}

void launch_product(float* to, cudaStream_t stream) {
    device::launch(multiply_ones, {dim3(1), dim3(32)}, stream, to);
}

}  // namespace shardstone::validation
