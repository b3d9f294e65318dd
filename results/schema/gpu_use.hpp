// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <vector>

#include "results/schema/schema.hpp"

namespace shardstone::results {

// What GPUs counted of themselves while they computed.

/// Table "gpu_readings": what one GPU told at one moment.
struct GpuReadingRow {
    using Row = GpuReadingRow;
    double rank = not_measured;
    double time_s = not_measured;
    double energy_j = not_measured;
    double power_w = not_measured;
    double sm_mhz = not_measured;
    double celsius = not_measured;
    std::string limited_by;

    static const TableSchema<GpuReadingRow> schema;
};

/// GpuReadingRow::limited_by of a GPU that does not tell.
inline constexpr const char* limit_not_told = "not told";

/// Table "gpu_use": one GPU from its first reading to its last.
struct GpuUseRow {
    using Row = GpuUseRow;
    double rank = not_measured;
    std::string model, address;
    double readings = not_measured;
    double time_s = not_measured;
    double energy_j = not_measured;
    double power_w = not_measured;
    double sm_mhz = not_measured;
    double least_sm_mhz = not_measured;
    double most_celsius = not_measured;
    double limited_share = not_measured;
    std::string limited_by;
    std::string not_told;
    double trainer_bytes = not_measured;
    double scratch_bytes = not_measured;
    double libraries_bytes = not_measured;
    double before_bytes = not_measured;
    double memory_bytes = not_measured;

    static const TableSchema<GpuUseRow> schema;
};

/// A GPU's counter of energy is renewed every 20 to 100 ms (NVML's documentation does not say;
/// Yang, Adamek and Armour, "Part-time Power Measurements: nvidia-smi's Lack of Attention", 2024,
/// measured it): over less than this it is off by more than 5 %.
inline constexpr double least_metered_s = 2.0;

/// The figures of one GPU from its readings, in the order of time; rank, model, address, reason and
/// memory are left to the caller. Nothing is measured where there are none.
GpuUseRow use_of(const std::vector<GpuReadingRow>& readings);

/// Those of each rank, in their order.
std::map<double, std::vector<GpuReadingRow>> by_rank(const std::vector<GpuReadingRow>& readings);

}  // namespace shardstone::results
