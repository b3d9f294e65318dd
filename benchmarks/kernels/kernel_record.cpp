// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/kernels/kernel_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernels/base/units.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/tensor/runtime.hpp"

namespace shardstone::benchmarks {

namespace {

using results::Table;

template <class Figure>
Table::Column column(const char* name, const std::vector<KernelResult>& results, Figure&& figure) {
    Table::Column numbers{name, {}, {}};
    for (const auto& result : results) {
        numbers.numbers.push_back(static_cast<double>(figure(result)));
    }
    return numbers;
}

/// The least time in which the core can do what the kernel does.
struct Bound {
    double memory_s, arithmetic_s;

    Bound(const KernelResult& result, const MachineRates& rates)
        : memory_s(result.bytes / result.bandwidth_b_s),
          arithmetic_s(result.arithmetic.operations / rates.operations_s()) {}
    bool is_memory() const { return memory_s > arithmetic_s; }
    double time_s() const { return std::max(memory_s, arithmetic_s); }
};

Table kernels_table(const std::vector<KernelResult>& results, const MachineRates& rates) {
    using R = const KernelResult&;
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    constexpr Interval no_interval{none, none};
    Table::Column name{"name", {}, {}};
    Table::Column size_of{"size_of", {}, {}};
    for (R result : results) {
        name.texts.push_back(result.name);
        size_of.texts.push_back(result.size_of);
    }
    const auto bound_s = [&](R r) { return Bound(r, rates).time_s(); };
    return {
        "kernels",
        {name, size_of, column("size", results, [](R r) { return r.size; }),
         column("time_s", results, [](R r) { return r.median_s; }),
         column("time_low_s", results, [&](R r) { return r.interval_s.value_or(no_interval).low; }),
         column("time_high_s", results,
                [&](R r) { return r.interval_s.value_or(no_interval).high; }),
         column("gflop_s", results, [](R r) { return r.gflop_s(); }),
         column("gb_s", results, [](R r) { return r.gb_s(); }),
         column("intensity", results, [](R r) { return r.intensity(); }),
         column("bandwidth_gb_s", results, [](R r) { return r.bandwidth_b_s / 1e9; }),
         column("operations", results, [](R r) { return r.arithmetic.operations; }),
         column("roofline_gflop_s", results,
                [&](R r) { return r.arithmetic.flop / bound_s(r) / 1e9; }),
         column("best_s", results, [](R r) { return r.best_s(); }),
         column("share", results, [&](R r) { return bound_s(r) / r.best_s(); }),
         column("of_library", results, [&](R r) { return r.of_library.value_or(none); })}};
}

Table times_table(const std::vector<KernelResult>& results) {
    Table::Column name{"name", {}, {}};
    Table::Column size{"size", {}, {}};
    Table::Column time{"time_s", {}, {}};
    for (const auto& result : results) {
        for (const double sample : result.samples_s) {
            name.texts.push_back(result.name);
            size.numbers.push_back(static_cast<double>(result.size));
            time.numbers.push_back(sample);
        }
    }
    return {"kernel_times", {name, size, time}};
}

}  // namespace

nlohmann::json kernel_environment() {
    return {{"matrix_product", gemm_library()},
            {"bf16_product", bf16_product_method()},
            {"row_kernels", runtime_name()},
            {"instruction_set", instruction_set()}};
}

void complete_kernel_record(const std::vector<KernelResult>& results, const MachineRates& rates,
                            const std::vector<results::Check>& checks, results::Record& record) {
    record.environment["kernels"] = kernel_environment();
    record.samples.push_back(times_table(results));
    record.samples.push_back(machine_samples(rates));
    record.derived.push_back(kernels_table(results, rates));
    record.derived.push_back(machine_table(rates));
    record.verification = checks;
    for (auto& check : machine_checks(rates)) record.verification.push_back(std::move(check));
}

std::string kernel_table_heading(const MachineRates& rates) {
    return fmt::format(
        "One core: {:.3g} GFLOP/s (fp32) and {:.3g} GB/s, best of {} calls\n"
        "Matrix product: {}; bf16 by {}; rows: {}; built for {}\n\n"
        "{:<28} {:>9}  {:>9}  {:>8} {:>7} {:>7} {:>9} {:>11}  {}\n",
        rates.peak_gflop_s(), rates.bandwidth_gb_s(), rates.peak_flop_s.samples.size(),
        gemm_library(), bf16_product_method(), runtime_name(), instruction_set(), "kernel", "size",
        "time", "GFLOP/s", "GB/s", "FLOP/B", "of bound", "of library", "size is");
}

std::string kernel_table_row(const KernelResult& result, const MachineRates& rates) {
    const Bound bound(result, rates);
    return fmt::format("{:<28} {:>9}  {:>9}  {:>8.3g} {:>7.3g} {:>7.3g} {:>5.0f} % {} {:>11}  {}\n",
                       result.name, result.size, format_time(result.median_s), result.gflop_s(),
                       result.gb_s(), result.intensity(), 100.0 * bound.time_s() / result.best_s(),
                       bound.is_memory() ? "m" : "a",
                       result.of_library ? fmt::format("{:.0f} %", 100.0 * *result.of_library) : "",
                       result.size_of);
}

}  // namespace shardstone::benchmarks
