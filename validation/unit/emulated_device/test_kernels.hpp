// SPDX-License-Identifier: BSD-3-Clause
// Kernels with a fault that can be switched on, each what is easily forgotten. They are compiled
// for the emulated device only, whose tests see it find them.
#pragma once

#include <cuda_runtime_api.h>

namespace shardstone::validation {

/// Whether the line in question is there.
enum class Fault { planted, none };

inline constexpr int block_threads = 64;

// Of one block of block_threads threads, on as many numbers.

/// Reverses the numbers through shared memory. The fault: no barrier between writing and reading.
void launch_reversal(float* numbers, Fault fault, cudaStream_t stream);
/// The same, through a copy into shared memory that lands late. The fault: no wait for it.
void launch_late_copy(float* numbers, Fault fault, cudaStream_t stream);
/// Every thread passes one barrier. The fault: half of them pass another one.
void launch_barriers(Fault fault, cudaStream_t stream);
/// A sum over each warp by shuffles. The fault: a quarter of the threads has returned before.
void launch_warp_sums(float* numbers, Fault fault, cudaStream_t stream);
/// Neighbours in groups of eight lanes: 0 if every width is right, else the first wrong thread + 1.
void launch_shuffles(int* wrong, cudaStream_t stream);
/// Each thread adds one to the total. The fault: not at once.
void launch_count(int* total, Fault fault, cudaStream_t stream);
/// Each block's threads add one to the numbers; no two blocks touch the same ones, but for the
/// fault.
void launch_blocks(int* numbers, Fault fault, cudaStream_t stream);
/// Threads read what is their own, or what the block before wrote in front of a barrier.
void launch_neighbours(int* numbers, Fault fault, cudaStream_t stream);
/// The last block to end sums what all have written. The fault: no fences.
void launch_last_block(float* partial, unsigned* ended, float* total, Fault fault,
                       cudaStream_t stream);

/// to[i] = factor * from[i]; the fault writes one more.
void launch_scale(float* to, const float* from, float factor, int count, Fault fault,
                  cudaStream_t stream);
/// to[0] = from[at].
void launch_read(float* to, const float* from, int at, cudaStream_t stream);
/// to[0] is the first number of so much dynamic shared memory, which nobody has written.
void launch_with_shared_bytes(float* to, int bytes, cudaStream_t stream);
/// The product of ones by ones on the matrix unit, its rows (16, 8) in to.
void launch_product(float* to, cudaStream_t stream);

}  // namespace shardstone::validation
