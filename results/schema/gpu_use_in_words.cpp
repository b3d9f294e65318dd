// SPDX-License-Identifier: BSD-3-Clause
// Energy, power and clocks of GPUs as sentences say them.
#include "results/schema/gpu_use_in_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/units.hpp"

namespace shardstone::results {

namespace {

/// "1.43 kW", "0.7 mJ": three significant digits.
std::string with_unit(double value, const char* unit) {
    struct Prefix {
        double factor;
        const char* text;
    };
    for (const Prefix& prefix : {Prefix{1e3, "k"}, Prefix{1.0, ""}, Prefix{1e-3, "m"}}) {
        if (value >= 0.9995 * prefix.factor) {  // of which three digits are the next unit
            return fmt::format("{:.3g} {}{}", value / prefix.factor, prefix.text, unit);
        }
    }
    return fmt::format("{:.3g} u{}", value * 1e6, unit);
}

double sum_of(const std::vector<GpuUseRow>& gpus, double GpuUseRow::*member) {
    double sum = 0.0;
    for (const GpuUseRow& row : gpus) sum += row.*member;
    return sum;
}

/// Those that told it.
std::vector<GpuUseRow> with_clocks(std::vector<GpuUseRow> gpus) {
    std::erase_if(gpus, [](const GpuUseRow& row) { return std::isnan(row.least_sm_mhz); });
    return gpus;
}

}  // namespace

std::string energy_in_words(const std::vector<GpuUseRow>& gpus, double tokens) {
    for (const GpuUseRow& row : gpus) {
        if (row.not_told.empty()) continue;
        return fmt::format("not told by the GPU of rank {}: {}", row.rank, row.not_told);
    }
    for (const GpuUseRow& row : gpus) {
        if (!std::isnan(row.power_w)) continue;
        return fmt::format("not told by the GPU of rank {}: it tells neither energy nor power",
                           row.rank);
    }
    const std::string count = counted(std::ssize(gpus), "GPU");
    const std::string power = with_unit(sum_of(gpus, &GpuUseRow::power_w), "W");
    const double energy_j = sum_of(gpus, &GpuUseRow::energy_j);
    if (std::isnan(energy_j)) {
        return fmt::format("not counted; {} of {} in the mean of the readings", power, count);
    }
    const double least_s = std::ranges::min(gpus, {}, &GpuUseRow::time_s).time_s;
    if (least_s < least_metered_s) {
        return fmt::format("not told: {} are too short for counters that are renewed every 0.1 s",
                           format_time(least_s));
    }
    return fmt::format("{} per token: {} of {} over {}, first steps and evaluations included",
                       with_unit(energy_j / tokens, "J"), power, count, format_time(least_s));
}

std::string clocks_in_words(const std::vector<GpuUseRow>& gpus) {
    const auto told = with_clocks(gpus);
    if (told.empty()) return "";
    const auto& slowest = std::ranges::min(told, {}, &GpuUseRow::least_sm_mhz);
    const auto limited_share = [](const GpuUseRow& row) {
        return std::isnan(row.limited_share) ? -1.0 : row.limited_share;
    };
    const auto& limited = std::ranges::max(told, {}, limited_share);
    std::string text = fmt::format("{:.0f} MHz (median; {:.0f} at least, of rank {})",
                                   slowest.sm_mhz, slowest.least_sm_mhz, slowest.rank);
    double celsius = not_measured;
    for (const GpuUseRow& row : told) celsius = std::fmax(celsius, row.most_celsius);
    if (!std::isnan(celsius)) text += fmt::format(", {:.0f} degC at most", celsius);
    if (std::isnan(limited.limited_share)) return text;
    if (limited.limited_share == 0.0) return text + "; nothing held it down";
    return text + fmt::format("; held down by {} in {:.0f} % of the readings of rank {}",
                              limited.limited_by, 100.0 * limited.limited_share, limited.rank);
}

std::string memory_in_words(const std::vector<GpuUseRow>& gpus) {
    const auto taken = [](const GpuUseRow& row) {
        return row.trainer_bytes + row.scratch_bytes + row.libraries_bytes + row.before_bytes;
    };
    const auto& fullest = std::ranges::max(gpus, {}, taken);
    const auto size = [](double bytes) { return format_size(std::llround(bytes)); };
    return fmt::format(
        "{} by the trainer, {} scratch, {} by libraries and others since, {} before, of {} (rank "
        "{})",
        size(fullest.trainer_bytes), size(fullest.scratch_bytes), size(fullest.libraries_bytes),
        size(fullest.before_bytes), size(fullest.memory_bytes), fullest.rank);
}

}  // namespace shardstone::results
