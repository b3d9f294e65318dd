// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/tensor/cuda.hpp"

namespace shardstone {

/// What may be needed at the same time lies apart.
enum class ScratchOf : std::uint8_t { kernel, unrounded_product };

/// Memory of the GPU for `count` numbers between the launches of one kernel function: whatever is
/// enqueued in this stream later may overwrite it. Kept per stream until the process ends, as large
/// as the largest need so far, which is when it is allocated (and waited for): a training step has
/// all it needs after its first run.
float* scratch(CudaQueue queue, std::int64_t count, ScratchOf use = ScratchOf::kernel);

}  // namespace shardstone
