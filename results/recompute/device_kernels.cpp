// SPDX-License-Identifier: BSD-3-Clause
// Kernels of a GPU again, from their times and from what the GPU reached.
#include "results/schema/device_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "kernels/base/statistics.hpp"
#include "results/recompute/comparer.hpp"

namespace shardstone::results {

namespace {

/// By name and size.
using Times = std::map<std::pair<std::string, std::string>, std::vector<double>>;

void compare_limit(const DeviceKernelRow& row, const DeviceRatesRow& rates, double time_s,
                   RowComparer& compare) {
    const double memory_s = row.bytes / rates.copy_bytes_per_s;
    const double products_s = row.flop / rates.bf16_flop_per_s;
    compare.text("limit", row.limit, memory_s >= products_s ? "memory" : "products");
    compare.number("share", row.share, std::max(memory_s, products_s) / time_s);
}

void compare_device_kernels(const Record& record, Recomputed& found) {
    Times times;
    for (const auto& row : rows_of<DeviceKernelTimeRow>(record)) {
        times[{row.name, row.size}].push_back(row.time_s);
    }
    const auto rates = rows_of<DeviceRatesRow>(record);
    const auto rows = rows_of<DeviceKernelRow>(record);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const DeviceKernelRow& row = rows[i];
        const auto of_row = times.find({row.name, row.size});
        RowComparer compare(record, found, "device_kernels", i,
                            fmt::format("{} {}", row.name, row.size));
        if (of_row == times.end()) {
            compare.number("time_s", row.time_s, not_measured);
            continue;
        }
        const double time_s = median(of_row->second);
        compare.number("time_s", row.time_s, time_s);
        compare.interval("time_low_s", row.time_low_s, "time_high_s", row.time_high_s,
                         of_row->second);
        compare.number("bytes_per_s", row.bytes_per_s, row.bytes / time_s);
        compare.number("flop_per_s", row.flop_per_s, row.flop / time_s);
        if (!rates.empty()) compare_limit(row, rates.front(), time_s, compare);
    }
}

const ComparisonRegistration device_kernels_comparison(compare_device_kernels);

}  // namespace

}  // namespace shardstone::results
