// SPDX-License-Identifier: BSD-3-Clause
// The report's section on the kernels of a GPU, each beside what the GPU reached in copies and
// products.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/statistics.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/report/words.hpp"
#include "results/schema/device_kernels.hpp"

namespace shardstone::results {

namespace {

constexpr double giga = 1e9;

/// Of those with one limit: how near they come, and which is the furthest.
void add_finding(const Source& source, const DeviceRatesRow& rates, const std::string& limit,
                 const std::string& reached, Section& section) {
    auto kernels = rows<DeviceKernelRow>(source);
    std::erase_if(kernels, [&](const DeviceKernelRow& row) { return row.limit != limit; });
    if (kernels.empty()) return;
    std::vector<double> shares;
    for (const DeviceKernelRow& row : kernels) shares.push_back(row.share);
    const auto& furthest = std::ranges::min(kernels, {}, &DeviceKernelRow::share);
    section.findings.push_back(
        {fmt::format("On {}, the median of {} limited by {} reaches {} of {}; {} at {} is the "
                     "furthest from it, with {}.",
                     rates.gpu, plural(static_cast<double>(kernels.size()), "kernel"), limit,
                     percent_text(median(shares)), reached, furthest.name, furthest.size,
                     percent_text(furthest.share)),
         {&source}});
}

void add_gpu(const Source& source, Section& section) {
    for (const DeviceRatesRow& rates : rows<DeviceRatesRow>(source)) {
        add_finding(source, rates, "memory",
                    "the " + rate_text(rates.copy_bytes_per_s / giga) + " of a copy", section);
        add_finding(
            source, rates, "products",
            "the " + flop_rate_text(rates.bf16_flop_per_s / giga) + " of a large product in BF16",
            section);
    }
    section.body += whole_table<DeviceRatesRow>(source, "What the GPU reached") +
                    whole_table<DeviceKernelRow>(source, "Kernels of the GPU");
}

}  // namespace

std::optional<Section> device_kernels_section(const std::vector<Source>& sources) {
    const auto found = with_rows<DeviceKernelRow>(sources);
    if (found.empty()) return std::nullopt;
    Section section{"device-kernels", "Kernels on a GPU"};
    section.lead =
        "Each kernel by events of the GPU, beside the least time that its bytes, read and written "
        "once, would take at the rate of a copy, or its products at the rate of a large product in "
        "BF16, whichever is longer; both rates were measured before and after the kernels.";
    for (const Source* source : found) add_gpu(*source, section);
    return section;
}

}  // namespace shardstone::results
