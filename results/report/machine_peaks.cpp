// SPDX-License-Identifier: BSD-3-Clause
// Whether a machine was the same machine in all its records, by what its cores could do at best.
#include "results/report/machine_peaks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "results/report/rows_table.hpp"
#include "results/report/system.hpp"
#include "results/report/words.hpp"
#include "results/schema/machine.hpp"
#include "results/schema/training.hpp"

namespace shardstone::results {

namespace {

/// The name that `shardstone probe` gives to what a training's peak was measured in: "BF16 dot
/// products", "BF16 matrix tiles" and "BF16 matrix products" are its bf16, the best of them. GPUs
/// are no cores: theirs are other peaks.
std::string quantity_of(const Source& source, const std::string& arithmetic) {
    std::string type = arithmetic.substr(0, arithmetic.find(' '));
    for (char& letter : type) {
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    const char* const whose = is_on_gpus(source) ? "GPU" : "core";
    return fmt::format("peak arithmetic rate of a {}, {}", whose, type);
}

std::vector<MeasuredPeak> peaks_of(const Source& source) {
    std::vector<MeasuredPeak> peaks;
    for (const auto& row : rows<MachineRow>(source)) {
        peaks.push_back({&source, row.quantity, row.unit, row.value, is_disturbed(row)});
    }
    if (is_paced(source)) return peaks;  // a device of the user's, not of this machine
    for (const auto& row : rows<TrainingRow>(source)) {
        if (!std::isfinite(row.core_peak_flop_per_s) || row.peak_arithmetic.empty()) continue;
        peaks.push_back({&source, quantity_of(source, row.peak_arithmetic), "GFLOP/s",
                         row.core_peak_flop_per_s / 1e9, is_disturbed(row)});
    }
    return peaks;
}

}  // namespace

std::string MeasuredPeak::text() const {
    return (unit == "GB/s" ? rate_text(value) : flop_rate_text(value)) +
           (disturbed ? " (disturbed)" : "");
}

std::vector<PeakRange> peak_ranges(const std::vector<const Source*>& machine) {
    std::vector<PeakRange> ranges;
    for (const Source* source : machine) {
        for (auto& peak : peaks_of(*source)) {
            const auto known = std::ranges::find_if(ranges, [&](const PeakRange& range) {
                return range.least().quantity == peak.quantity;
            });
            auto& range = known == ranges.end() ? ranges.emplace_back() : *known;
            range.peaks.push_back(std::move(peak));
        }
    }
    for (auto& range : ranges) std::ranges::stable_sort(range.peaks, {}, &MeasuredPeak::value);
    return ranges;
}

std::string peak_change(const Source& source, const std::vector<Source>& sources) {
    std::vector<const Source*> machine;
    for (const Source& other : sources) {
        if (machine_of(other) == machine_of(source)) machine.push_back(&other);
    }
    const auto ranges = peak_ranges(machine);
    const auto furthest = std::ranges::max_element(ranges, {}, &PeakRange::factor);
    if (furthest == ranges.end() || !furthest->apart()) return "";
    return fmt::format("the {} of this machine differs by a factor of {} between records",
                       furthest->least().quantity, digits_text(furthest->factor(), 3));
}

}  // namespace shardstone::results
