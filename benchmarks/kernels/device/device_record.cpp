// SPDX-License-Identifier: BSD-3-Clause
// Kernels of the GPU as rows of the record and of the screen, each beside its limit.
#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/kernels/device/device_run.hpp"
#include "results/schema/device_kernels.hpp"

namespace shardstone::benchmarks {

namespace {

results::DeviceKernelRow row_of(const DeviceKernelResult& result, const DeviceRates& rates) {
    const double memory_s = result.bytes / rates.copy_bytes_per_s;
    const double products_s = result.flop / rates.bf16_flop_per_s;
    results::DeviceKernelRow row;
    row.name = result.name;
    row.size = result.size;
    row.bytes = result.bytes;
    row.flop = result.flop;
    row.time_s = result.median_s;
    if (result.interval_s) {
        row.time_low_s = result.interval_s->low;
        row.time_high_s = result.interval_s->high;
    }
    row.bytes_per_s = result.bytes / result.median_s;
    row.flop_per_s = result.flop / result.median_s;
    row.limit = memory_s >= products_s ? "memory" : "products";
    row.share = std::max(memory_s, products_s) / result.median_s;
    return row;
}

/// Rates are the best of a few: a kernel may come a little nearer to the true limit than they did.
constexpr double slack = 1.03;

}  // namespace

DeviceRates better_of(const DeviceRates& one, const DeviceRates& other) {
    return {std::max(one.copy_bytes_per_s, other.copy_bytes_per_s),
            std::max(one.bf16_flop_per_s, other.bf16_flop_per_s),
            std::max(one.fp32_flop_per_s, other.fp32_flop_per_s)};
}

std::string in_words(const DeviceRates& rates) {
    return fmt::format(
        "copies {:.4g} GB/s, products up to (8192, 8192) {:.4g} TFLOP/s in BF16, up to "
        "(4096, 4096) {:.4g} in FP32",
        rates.copy_bytes_per_s * 1e-9, rates.bf16_flop_per_s * 1e-12,
        rates.fp32_flop_per_s * 1e-12);
}

std::string device_heading(const std::string& gpu, const DeviceRates& rates) {
    return fmt::format("{}: {}\n\n{:<32} {:>20} {:>10} {:>8} {:>9}  {}\n", gpu, in_words(rates),
                       "kernel", "size", "time, us", "GB/s", "TFLOP/s", "of limit");
}

std::string device_line(const DeviceKernelResult& result, const DeviceRates& rates) {
    const auto row = row_of(result, rates);
    const std::string tflop =
        row.flop > 0.0 ? fmt::format("{:.1f}", row.flop_per_s * 1e-12) : std::string("-");
    return fmt::format("{:<32} {:>20} {:>10.2f} {:>8.0f} {:>9}  {:.1f} % ({})\n", row.name,
                       row.size, row.time_s * 1e6, row.bytes_per_s * 1e-9, tflop, 100.0 * row.share,
                       row.limit);
}

void fill_device_record(const std::string& gpu, const DeviceRates& rates,
                        const std::vector<DeviceKernelResult>& results, results::Record& record) {
    std::vector<results::DeviceKernelRow> rows;
    std::vector<results::DeviceKernelTimeRow> times;
    for (const DeviceKernelResult& result : results) {
        rows.push_back(row_of(result, rates));
        for (std::size_t i = 0; i < result.samples_s.size(); ++i) {
            times.push_back(
                {result.name, result.size, static_cast<double>(i), result.samples_s[i]});
        }
    }
    record.samples.push_back(results::table_of(times));
    record.derived.push_back(results::table_of(std::vector<results::DeviceRatesRow>{
        {gpu, rates.copy_bytes_per_s, rates.bf16_flop_per_s, rates.fp32_flop_per_s}}));
    record.derived.push_back(results::table_of(rows));
    const auto closest = std::ranges::max_element(rows, {}, &results::DeviceKernelRow::share);
    if (closest == rows.end()) return;
    record.verification.push_back(
        {"no kernel is quicker than its limit allows", closest->share <= slack,
         fmt::format("{} at {} comes closest: {:.1f} % of its limit", closest->name, closest->size,
                     100.0 * closest->share)});
}

}  // namespace shardstone::benchmarks
