// SPDX-License-Identifier: BSD-3-Clause
// Clocks of GPUs by rank, and what held them down.
#include "validation/interconnect/gpu_clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

namespace shardstone::validation {

namespace {

constexpr std::string_view before_address = " at ";

/// Of a GPU in words: "NVIDIA H200 at 0000:04:00.0".
void set_names(const std::string& gpu, results::GpuUseRow& use) {
    const auto end = gpu.rfind(before_address);
    use.model = gpu.substr(0, end);
    if (end != std::string::npos) use.address = gpu.substr(end + before_address.size());
}

}  // namespace

std::vector<results::GpuUseRow> gpu_use_rows(const InterconnectSamples& samples) {
    std::vector<results::GpuUseRow> rows;
    if (samples.gpu_readings.empty()) return rows;
    for (const auto& place : samples.places) {
        std::vector<results::GpuReadingRow> readings;
        std::ranges::copy_if(samples.gpu_readings, std::back_inserter(readings),
                             [&](const auto& row) { return row.rank == place.rank; });
        results::GpuUseRow& use = rows.emplace_back(results::use_of(readings));
        use.rank = place.rank;
        set_names(place.gpu, use);
        if (readings.empty()) use.not_told = "no reading was taken";
    }
    return rows;
}

std::string clock_in_words(double rank, std::span<const results::GpuUseRow> gpus) {
    const auto use = std::ranges::find(gpus, rank, &results::GpuUseRow::rank);
    if (use == gpus.end() || std::isnan(use->sm_mhz)) return "";
    if (!(use->limited_share > 0.0)) return fmt::format(" (its clock: {:.0f} MHz)", use->sm_mhz);
    return fmt::format(" (its clock, {:.0f} MHz, was held down by {} in {:.0f} % of the readings)",
                       use->sm_mhz, use->limited_by, 100.0 * use->limited_share);
}

std::string unread_gpus_in_words(const std::string& why) {
    if (why.empty()) return "";
    return fmt::format(
        "Clocks of GPUs are not known ({}): nothing tells whether power or heat holds a slow one "
        "down.\n",
        why);
}

}  // namespace shardstone::validation
