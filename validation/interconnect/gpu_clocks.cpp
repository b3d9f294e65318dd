// SPDX-License-Identifier: BSD-3-Clause
// Clocks of GPUs by rank, and what held them down.
#include "validation/interconnect/gpu_clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "kernels/base/statistics.hpp"

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
    constexpr auto says_why = [](const auto& place) { return !place.gpu_unread.empty(); };
    std::vector<results::GpuUseRow> rows;
    if (samples.gpu_readings.empty() && std::ranges::none_of(samples.places, says_why)) return rows;
    auto of_ranks = results::by_rank(samples.gpu_readings);
    for (const auto& place : samples.places) {
        auto& readings = of_ranks[place.rank];
        for (results::GpuReadingRow& row : readings) row.energy_j = results::not_measured;
        results::GpuUseRow& use = rows.emplace_back(results::use_of(readings));
        use.rank = place.rank;
        set_names(place.gpu, use);
        use.not_told = says_why(place)    ? place.gpu_unread
                       : readings.empty() ? "no reading was taken"
                                          : "";
    }
    return rows;
}

std::string clock_in_words(double rank, std::span<const results::GpuUseRow> gpus) {
    const auto use = std::ranges::find(gpus, rank, &results::GpuUseRow::rank);
    if (use == gpus.end() || std::isnan(use->sm_mhz)) return "";
    std::vector<double> clocks;
    for (const auto& row : gpus) {
        if (!std::isnan(row.sm_mhz)) clocks.push_back(row.sm_mhz);
    }
    const std::string held = std::isnan(use->limited_share) ? "does not tell what held it down"
                             : use->limited_share == 0.0
                                 ? "was not held down"
                                 : fmt::format("was held down by {} in {:.0f} % of the readings",
                                               use->limited_by, 100.0 * use->limited_share);
    return fmt::format(" (its clock, {:.0f} MHz, all GPUs' median {:.0f} MHz, {})", use->sm_mhz,
                       median(clocks), held);
}

std::string unread_gpus_in_words(std::span<const results::GpuUseRow> gpus) {
    constexpr auto is_unread = [](const auto& row) { return std::isnan(row.sm_mhz); };
    const auto first = std::ranges::find_if(gpus, is_unread);
    if (first == gpus.end()) return "";
    return fmt::format(
        "Clocks of {} of {} GPUs are not known (rank {:.0f}: {}): nothing tells whether power or "
        "heat holds a slow one down.\n",
        std::ranges::count_if(gpus, is_unread), gpus.size(), first->rank,
        first->not_told.empty() ? "it tells none" : first->not_told);
}

}  // namespace shardstone::validation
