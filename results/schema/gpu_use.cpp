// SPDX-License-Identifier: BSD-3-Clause
// Tables of what GPUs counted of themselves, and the figures of a GPU from its readings.
#include "results/schema/gpu_use.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "kernels/base/statistics.hpp"

namespace shardstone::results {

namespace {

/// Of those that were told.
std::vector<double> told(const std::vector<GpuReadingRow>& readings,
                         double GpuReadingRow::*member) {
    std::vector<double> values;
    for (const GpuReadingRow& row : readings) {
        if (!std::isnan(row.*member)) values.push_back(row.*member);
    }
    return values;
}

/// Every reason once, in the order of the alphabet.
std::string reasons_in(const std::vector<GpuReadingRow>& readings) {
    std::set<std::string> reasons;
    for (const GpuReadingRow& row : readings) {
        std::istringstream words(row.limited_by);
        for (std::string word; std::getline(words >> std::ws, word, ',');) reasons.insert(word);
    }
    std::string text;
    for (const std::string& reason : reasons) text += (text.empty() ? "" : ", ") + reason;
    return text;
}

}  // namespace

const TableSchema<GpuReadingRow> GpuReadingRow::schema{
    "gpu_readings",
    Role::samples,
    "What the GPU of one rank told of itself at one moment, by NVML.",
    {{"rank", "1", "Rank.", &Row::rank, 3},
     {"time_s", "s", "Since the first reading of this rank; of a validation since its tests began.",
      &Row::time_s, 3},
     {"energy_j", "J", "Used since the driver was loaded.", &Row::energy_j, 3},
     {"power_w", "W", "What it takes.", &Row::power_w, 3},
     {"sm_mhz", "MHz", "Clock of its multiprocessors.", &Row::sm_mhz, 3},
     {"celsius", "degC", "Temperature of the chip.", &Row::celsius, 3},
     {"limited_by", "",
      "What holds its clock down: power, heat, hardware (either, or the supply), settings; empty: "
      "nothing; 'not told'.",
      &Row::limited_by, 3}}};

const TableSchema<GpuUseRow> GpuUseRow::schema{
    "gpu_use",
    Role::derived,
    "The GPU of one rank from its first reading, before the first step, to its last, after the "
    "last; evaluations included. Of a validation: read during products of the tests of ranks only, "
    "and of memory nothing.",
    {{"rank", "1", "Rank.", &Row::rank, 3},
     {"model", "", "Name of the GPU.", &Row::model, 3},
     {"address", "", "Its address on PCIe.", &Row::address, 3},
     {"readings", "1", "Number of readings.", &Row::readings, 3},
     {"time_s", "s", "From the first to the last.", &Row::time_s, 3},
     {"energy_j", "J", "Used in that time, by its own counter.", &Row::energy_j, 3},
     {"power_w", "W", "energy_j over time_s; mean of the readings where it counts no energy.",
      &Row::power_w, 3},
     {"sm_mhz", "MHz", "Median of the readings of its clock.", &Row::sm_mhz, 3},
     {"least_sm_mhz", "MHz", "Lowest of them.", &Row::least_sm_mhz, 3},
     {"most_celsius", "degC", "Highest of its temperature.", &Row::most_celsius, 3},
     {"limited_share", "1", "Readings in which something held the clock down, of all.",
      &Row::limited_share, 3},
     {"limited_by", "", "What that was.", &Row::limited_by, 3},
     {"not_told", "", "Why it was not read; empty if it was.", &Row::not_told, 3},
     {"trainer_bytes", "B", "Memory that the trainer holds: the classes of table memory.",
      &Row::trainer_bytes, 3},
     {"scratch_bytes", "B", "Workspaces of kernels and of cuBLASLt.", &Row::scratch_bytes, 3},
     {"libraries_bytes", "B",
      "What is taken besides since before the trainer: NCCL's buffers, and other programs'; 0 if "
      "others gave more back.",
      &Row::libraries_bytes, 3},
     {"before_bytes", "B",
      "What was taken before, but by the first two: the context, libraries, other programs.",
      &Row::before_bytes, 3},
     {"memory_bytes", "B", "All that the GPU has.", &Row::memory_bytes, 3}}};

GpuUseRow use_of(const std::vector<GpuReadingRow>& readings) {
    GpuUseRow use;
    use.readings = static_cast<double>(readings.size());
    if (readings.empty()) return use;
    use.time_s = readings.back().time_s - readings.front().time_s;
    use.energy_j = readings.back().energy_j - readings.front().energy_j;
    const auto powers = told(readings, &GpuReadingRow::power_w);
    const auto clocks = told(readings, &GpuReadingRow::sm_mhz);
    const auto degrees = told(readings, &GpuReadingRow::celsius);
    const bool counts_energy = !std::isnan(use.energy_j) && use.time_s > 0.0;
    if (counts_energy) {
        use.power_w = use.energy_j / use.time_s;
    } else if (!powers.empty()) {
        use.power_w = mean(powers);
    }
    if (!clocks.empty()) {
        use.sm_mhz = median(clocks);
        use.least_sm_mhz = std::ranges::min(clocks);
    }
    if (!degrees.empty()) use.most_celsius = std::ranges::max(degrees);
    if (std::ranges::count(readings, limit_not_told, &GpuReadingRow::limited_by) > 0) return use;
    const auto limited = std::ranges::count_if(
        readings, [](const GpuReadingRow& row) { return !row.limited_by.empty(); });
    use.limited_share = static_cast<double>(limited) / use.readings;
    use.limited_by = reasons_in(readings);
    return use;
}

std::map<double, std::vector<GpuReadingRow>> by_rank(const std::vector<GpuReadingRow>& readings) {
    std::map<double, std::vector<GpuReadingRow>> of_ranks;
    for (const GpuReadingRow& row : readings) of_ranks[row.rank].push_back(row);
    return of_ranks;
}

}  // namespace shardstone::results
