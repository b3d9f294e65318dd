// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/base/provided.hpp"
#include "results/schema/gpu_use.hpp"

namespace shardstone::benchmarks {

/// Read and written by a copy, and moved each way by a transfer.
inline constexpr std::int64_t gpu_copied_bytes = std::int64_t{128} << 20U;
inline constexpr std::int64_t gpu_transferred_bytes = std::int64_t{32} << 20U;

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

    /// A square product in BF16 by cuBLASLt, for each TFLOP. Throws WrongProduct
    /// (square_product.hpp).
    virtual double product_s() = 0;
    /// The same after some others, so that the GPU is read while it multiplies.
    virtual double watched_product_s() = 0;
    /// A copy of gpu_copied_bytes within its memory, more than its caches hold.
    virtual double copy_s() = 0;
    /// gpu_transferred_bytes from pinned memory of the host and back.
    virtual double transfer_s() = 0;

    /// What the GPU told of itself during watched products since the last call, by times of
    /// now_s(), without ranks.
    virtual std::vector<results::GpuReadingRow> take_readings() = 0;
    /// Why there are none; empty where there are.
    virtual std::string why_no_readings() const = 0;
};

/// On the GPU that the process has chosen (gpu_of_rank.hpp), with products of 128 rows. Only in a
/// build with CUDA.
using GpuWorkSource = Provided<std::unique_ptr<GpuWork>()>;

}  // namespace shardstone::benchmarks
