// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/base/provided.hpp"

namespace shardstone::benchmarks {

/// Fixed pieces of work of this rank's GPU, each timed on the GPU's clock, in seconds. A call
/// returns when the piece has been done.
class GpuWork {
  public:
    GpuWork() = default;
    GpuWork(const GpuWork&) = delete;
    GpuWork& operator=(const GpuWork&) = delete;
    virtual ~GpuWork() = default;

    /// Rows of a square product worth timing here: 8192, or the first of 128, 256, ... of which two
    /// take 5 ms, as on an emulated GPU.
    virtual std::int64_t rows_to_time() = 0;
    /// Products are of so many rows from now on.
    virtual void take_over(std::int64_t rows) = 0;

    /// A square product in BF16 by cuBLASLt, for each TFLOP.
    virtual double product_s() = 0;
    /// A copy of 128 MiB within its memory, more than its caches hold.
    virtual double copy_s() = 0;
    /// 32 MiB from pinned memory of the host and back.
    virtual double transfer_s() = 0;
};

/// On the GPU that the process has chosen (gpu_of_rank.hpp), with products of 128 rows. Only in a
/// build with CUDA.
using GpuWorkSource = Provided<std::unique_ptr<GpuWork>()>;

}  // namespace shardstone::benchmarks
