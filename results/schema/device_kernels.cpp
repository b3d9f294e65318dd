// SPDX-License-Identifier: BSD-3-Clause
// Tables of the records that `shardstone kernels --device cuda` writes.
#include "results/schema/device_kernels.hpp"

namespace shardstone::results {

const TableSchema<DeviceKernelRow> DeviceKernelRow::schema{
    "device_kernels",
    Role::derived,
    "A kernel of the GPU at one size, beside what the GPU reached in copies and products.",
    {{"name", "", "Name of the kernel.", &Row::name, 3},
     {"size", "", "Its sizes: rows and columns, or batch, sequence, heads and channels of a head.",
      &Row::size, 3},
     {"bytes", "B", "Every operand read once and every result written once.", &Row::bytes, 3},
     {"flop", "FLOP", "Of its products; 0 for a kernel without.", &Row::flop, 3},
     {"time_s", "s", "Median over the samples, by events of the GPU.", &Row::time_s, 3},
     {"time_low_s", "s", "Lower end of the 95 % interval for it.", &Row::time_low_s, 3},
     {"time_high_s", "s", "Upper end of that interval.", &Row::time_high_s, 3},
     {"bytes_per_s", "B/s", "bytes over time_s.", &Row::bytes_per_s, 3},
     {"flop_per_s", "FLOP/s", "flop over time_s.", &Row::flop_per_s, 3},
     {"limit", "", "What limits it at the rates reached: memory or products.", &Row::limit, 3},
     {"share", "1", "Least time by that limit over time_s.", &Row::share, 3}}};

const TableSchema<DeviceKernelTimeRow> DeviceKernelTimeRow::schema{
    "device_kernel_times",
    Role::samples,
    "Times of a kernel of the GPU.",
    {{"name", "", "Name of the kernel.", &Row::name, 3},
     {"size", "", "Its sizes.", &Row::size, 3},
     {"sample", "1", "Number of the sample, from 0.", &Row::sample, 3},
     {"time_s", "s", "Mean time of a call, of those between two events.", &Row::time_s, 3}}};

const TableSchema<DeviceRatesRow> DeviceRatesRow::schema{
    "device_rates",
    Role::derived,
    "What the GPU reached, the best of several before and after the kernels, in one row.",
    {{"gpu", "", "Name of the GPU.", &Row::gpu, 3},
     {"copy_bytes_per_s", "B/s", "Bytes read and written by a copy of 1 GiB.",
      &Row::copy_bytes_per_s, 3},
     {"bf16_flop_per_s", "FLOP/s",
      "Product of (8192, 8192) in BF16, or of the first size by factors of 2 that takes long, sums "
      "in FP32, by cuBLASLt.",
      &Row::bf16_flop_per_s, 3},
     {"fp32_flop_per_s", "FLOP/s", "The same up to (4096, 4096) in FP32, without TF32.",
      &Row::fp32_flop_per_s, 3}}};

}  // namespace shardstone::results
