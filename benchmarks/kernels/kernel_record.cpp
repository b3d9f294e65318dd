// SPDX-License-Identifier: BSD-3-Clause
// Kernel times as record rows and screen lines, and the check that none beats its roofline bound.
#include "benchmarks/kernels/kernel_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "benchmarks/harness/watch_record.hpp"
#include "kernels/base/units.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/tensor/runtime.hpp"
#include "results/schema/machine.hpp"

namespace shardstone::benchmarks {

namespace {

results::KernelRow row_of(const KernelResult& result) {
    results::KernelRow row;
    row.name = result.name;
    row.size_of = result.size_of;
    row.size = static_cast<double>(result.size);
    row.time_s = result.median_s;
    if (result.interval_s) {
        row.time_low_s = result.interval_s->low;
        row.time_high_s = result.interval_s->high;
    }
    row.gflop_s = result.gflop_s();
    row.gb_s = result.gb_s();
    row.intensity = result.intensity();
    row.bandwidth_gb_s = result.bandwidth_b_s / 1e9;
    const Arithmetic& asked = result.arithmetic;
    row.operations = asked.operations + asked.bf16_multiply_adds + asked.fp64_operations;
    row.roofline_gflop_s = asked.flop / result.bound.time_s() / 1e9;
    row.best_s = result.best_s();
    row.share = result.share();
    row.bound_noise = result.bound.noise;
    put_watched(result.watched, row);
    if (result.of_library) {
        row.of_library = result.of_library->median;
        row.of_library_low = result.of_library->range.low;
        row.of_library_high = result.of_library->range.high;
    }
    return row;
}

std::vector<results::KernelTimeRow> time_rows(const KernelResult& result) {
    std::vector<results::KernelTimeRow> rows;
    for (const double sample_s : result.samples_s) {
        rows.push_back({result.name, static_cast<double>(result.size), sample_s});
    }
    return rows;
}

/// Whether its bytes, and not its arithmetic, take the longest by the bound.
bool is_bound_by_memory(const results::KernelRow& row) {
    constexpr double rounding = 1e-9;
    return row.gb_s / row.bandwidth_gb_s >= row.share * (1.0 - rounding);
}

/// On the screen; `mark` is what is to be known of it.
std::string line_of(const results::KernelRow& row, const std::string& mark) {
    return fmt::format(
        "{:<28} {:>9.0f}  {:>9}  {:>8.3g} {:>7.3g} {:>7.3g} {:>5.0f} % {} {:>11}  {} {}\n",
        row.name, row.size, format_time(row.time_s), row.gflop_s, row.gb_s, row.intensity,
        100.0 * row.share, is_bound_by_memory(row) ? "m" : "a",
        std::isfinite(row.of_library) ? fmt::format("{:.0f} %", 100.0 * row.of_library) : "",
        row.size_of, mark);
}

/// In place of one of that name, if there is one.
void put(results::Table table, std::vector<results::Table>& tables) {
    const auto found = std::ranges::find(tables, table.name, &results::Table::name);
    found == tables.end() ? tables.push_back(std::move(table)) : void(*found = std::move(table));
}

}  // namespace

nlohmann::json kernel_environment() {
    return {{"matrix_product", gemm_library()},
            {"bf16_product", bf16_product_method()},
            {"row_kernels", runtime_name()},
            {"instruction_set", instruction_set()}};
}

void begin_kernel_record(const MachineRates& rates, results::Record& record) {
    record.environment["kernels"] = kernel_environment();
    record.samples.push_back(results::table_of(std::vector<results::KernelTimeRow>{}));
    record.samples.push_back(machine_samples(rates));
    record.derived.push_back(results::table_of(std::vector<results::KernelRow>{}));
    record.derived.push_back(machine_table(rates));
}

results::Record part_of(const KernelResult& result) {
    results::Record part;
    part.samples.push_back(results::table_of(time_rows(result)));
    part.derived.push_back(results::table_of(std::vector{row_of(result)}));
    return part;
}

std::optional<results::Check> bounds_check(const results::Record& record) {
    const auto beyond = [](const results::KernelRow& row) {
        return row.share / (1.0 + row.bound_noise);
    };
    auto rows = results::rows_of<results::KernelRow>(record);
    std::erase_if(rows, [](const auto& row) { return row.disturbed == 1.0; });
    if (rows.empty()) return std::nullopt;
    const auto& worst = *std::ranges::max_element(rows, {}, beyond);
    return results::Check{
        "no kernel is quicker than its bound allows", beyond(worst) <= 1.0,
        fmt::format("{} at {} comes closest: {:.1f} % of its bound, which is "
                    "known to {:.1f} %",
                    worst.name, worst.size, 100.0 * worst.share, 100.0 * worst.bound_noise)};
}

std::set<KernelSize> measured_kernels(const results::Record& record) {
    std::set<KernelSize> sizes;
    for (const auto& row : results::rows_of<results::KernelRow>(record)) {
        sizes.emplace(row.name, static_cast<std::int64_t>(row.size));
    }
    return sizes;
}

void complete_kernel_record(const MachineRates& rates, const std::vector<results::Check>& checks,
                            results::Record& record) {
    put(machine_samples(rates), record.samples);
    put(machine_table(rates), record.derived);
    record.verification = checks;
    for (auto& check : machine_checks(rates)) record.verification.push_back(std::move(check));
    if (auto check = bounds_check(record)) record.verification.push_back(std::move(*check));
}

std::string kernel_table_heading(const MachineRates& rates) {
    return fmt::format(
        "One core: {:.3g} GFLOP/s (fp32), {:.3g} (bf16 products), {:.3g} (fp64) and {:.3g} GB/s, "
        "best of {} calls\n"
        "Matrix product: {}; bf16 by {}; rows: {}; built for {}\n\n"
        "{:<28} {:>9}  {:>9}  {:>8} {:>7} {:>7} {:>9} {:>11}  {}\n",
        rates.peak_gflop_s(), rates.bf16_flop_s.best() / 1e9, rates.fp64_flop_s.best() / 1e9,
        rates.bandwidth_gb_s(), rates.peak_flop_s.samples.size(), gemm_library(),
        bf16_product_method(), runtime_name(), instruction_set(), "kernel", "size", "time",
        "GFLOP/s", "GB/s", "FLOP/B", "of bound", "of library", "size is");
}

std::string kernel_table_row(const KernelResult& result) {
    return line_of(row_of(result), disturbance_mark(result.watched.surroundings));
}

std::string earlier_kernel_rows(const results::Record& record) {
    std::string lines;
    for (const auto& row : results::rows_of<results::KernelRow>(record)) {
        lines += line_of(row, "earlier " + disturbance_mark(watched_of(row).surroundings));
    }
    return lines;
}

std::vector<Surroundings> surroundings_in(const results::Record& record) {
    std::vector<Surroundings> of_rows;
    for (const auto& row : results::rows_of<results::KernelRow>(record)) {
        of_rows.push_back(watched_of(row).surroundings);
    }
    return of_rows;
}

}  // namespace shardstone::benchmarks
