// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/schema/schema.hpp"

namespace shardstone::results {

// Tables of the record that `shardstone kernels --device cuda` writes.

/// Table "device_kernels": a kernel of the GPU at one size.
struct DeviceKernelRow {
    using Row = DeviceKernelRow;
    std::string name, size;
    double bytes = not_measured;
    double flop = not_measured;
    double time_s = not_measured;
    double time_low_s = not_measured;
    double time_high_s = not_measured;
    double bytes_per_s = not_measured;
    double flop_per_s = not_measured;
    std::string limit;  ///< "memory" or "products"
    double share = not_measured;

    static const TableSchema<DeviceKernelRow> schema;
};

/// Table "device_kernel_times": one sample of it.
struct DeviceKernelTimeRow {
    using Row = DeviceKernelTimeRow;
    std::string name, size;
    double sample = not_measured;
    double time_s = not_measured;

    static const TableSchema<DeviceKernelTimeRow> schema;
};

/// Table "device_rates": what the GPU reached before and after the kernels, in one row.
struct DeviceRatesRow {
    using Row = DeviceRatesRow;
    std::string gpu;
    double copy_bytes_per_s = not_measured;
    double bf16_flop_per_s = not_measured;
    double fp32_flop_per_s = not_measured;

    static const TableSchema<DeviceRatesRow> schema;
};

}  // namespace shardstone::results
