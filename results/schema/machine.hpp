// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/schema/schema.hpp"

namespace shardstone::results {

// Tables of the records that `shardstone probe` and `shardstone kernels` write.

/// Table "machine": one peak rate of a core.
struct MachineRow {
    using Row = MachineRow;
    std::string quantity;
    std::string unit;
    double value = not_measured;
    double low = not_measured;
    double high = not_measured;
    double disturbed = not_measured, others_share = not_measured, waiting_share = not_measured;
    double stolen_share = not_measured, tries = not_measured;

    static const TableSchema<MachineRow> schema;
};

/// Table "machine_rates": one call of the measurements behind it.
struct MachineRateRow {
    using Row = MachineRateRow;
    double peak_flop_s = not_measured;
    double bandwidth_b_s = not_measured;
    double bf16_flop_s = not_measured;
    double fp64_flop_s = not_measured;
    double operations_s = not_measured;
    double fp64_operations_s = not_measured;

    static const TableSchema<MachineRateRow> schema;
};

/// Table "kernels": one kernel at one size on one core.
struct KernelRow {
    using Row = KernelRow;
    std::string name;
    std::string size_of;
    double size = not_measured;
    double time_s = not_measured;
    double time_low_s = not_measured;
    double time_high_s = not_measured;
    double gflop_s = not_measured;
    double gb_s = not_measured;
    double intensity = not_measured;
    double bandwidth_gb_s = not_measured;
    double operations = not_measured;
    double roofline_gflop_s = not_measured;
    double best_s = not_measured;
    double share = not_measured;
    double of_library = not_measured;
    double of_library_low = not_measured;
    double of_library_high = not_measured;
    double bound_noise = not_measured;
    double disturbed = not_measured, others_share = not_measured, waiting_share = not_measured;
    double stolen_share = not_measured, tries = not_measured;

    /// In version 1 the share was of the fastest repetition, beside a rate of the median.
    void was_read_from(int version) {
        if (version == 1) share = gflop_s / roofline_gflop_s;
    }

    static const TableSchema<KernelRow> schema;
};

/// Table "kernel_times": one repetition.
struct KernelTimeRow {
    using Row = KernelTimeRow;
    std::string name;
    double size = not_measured;
    double time_s = not_measured;

    static const TableSchema<KernelTimeRow> schema;
};

}  // namespace shardstone::results
