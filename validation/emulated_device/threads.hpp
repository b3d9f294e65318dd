// SPDX-License-Identifier: BSD-3-Clause
// What the language asks of the emulated device: each CUDA thread is a fiber of one thread of the
// CPU, and blocks run one after the other.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "validation/emulated_device/faults.hpp"

namespace shardstone::emulated {

struct ThreadIndex {
    unsigned x = 0, y = 0, z = 0;
};
/// Of the CUDA thread that runs.
extern ThreadIndex thread_index, block_index;
extern dim3 block_dim, grid_dim;
unsigned lane();

/// Goes on when all threads of the block that still run are here. Faults if others are elsewhere.
void sync_block(Where where);

inline constexpr int lanes = 32;
inline constexpr std::size_t most_exchanged_bytes = 64;  ///< what one lane can give

/// What the lanes of a warp gave to each other.
struct Exchanged {
    unsigned char of[lanes][most_exchanged_bytes];
};

/// Goes on when all lanes of the mask are here, each of which gives `bytes` at `value`. The result
/// stays until the lane's next exchange. Faults if another lane is at another place, or never
/// comes. Only if it orders memory do the lanes see what others wrote before.
const Exchanged& exchange(unsigned mask, const void* value, std::size_t bytes, bool orders_memory,
                          Where where);

/// In a random order, others may come first here.
void before_atomic();
/// Orders what is before it with what comes after the fences of others.
void fence();

/// The block's variable of that place in the source, and its dynamic memory; both full of NaNs at
/// first.
void* static_shared(std::size_t bytes, Where where);
void* dynamic_shared_bytes();

/// Copies of 16 B that land only when they are waited for, whoever reads before sees what was
/// there.
void copy_async(void* shared, const void* global, Where where);
void copy_async_commit();
void copy_async_wait(int pending);

/// Faults unless the address is a multiple of `bytes`, which a GPU insists on.
void expect_aligned(const void* address, std::size_t bytes, const char* instruction, Where where);

}  // namespace shardstone::emulated
