// SPDX-License-Identifier: BSD-3-Clause
// What one core can do at best, in arithmetic and memory: the roof that kernels are held against.
#include "benchmarks/kernels/machine_rates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/harness/watch_record.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/narrow_float.hpp"
#include "kernels/roofline/roofline.hpp"
#include "results/schema/machine.hpp"

namespace shardstone::benchmarks {

namespace {

results::Check check_of(const char* name, const BestOf& rate) {
    return {fmt::format("{} repeats", name), rate.repeated(),
            fmt::format("{} calls between {:.3g} and {:.3g}", rate.samples.size(), rate.least(),
                        rate.best())};
}

}  // namespace

double BestOf::best() const {
    return std::ranges::max(samples);
}

double BestOf::least() const {
    return std::ranges::min(samples);
}

double BestOf::second() const {
    if (samples.size() < 2) return 0.0;
    auto falling = samples;
    std::ranges::sort(falling, std::greater{});
    return falling[1];
}

bool BestOf::repeated() const {
    return second() > 0.0 && second() >= 2.0 / 3.0 * best();
}

double BestOf::noise() const {
    return 1.0 - second() / best();
}

double MachineRates::least_time_s(const Arithmetic& arithmetic) const {
    const auto time_s = [](double count, const BestOf& per_s) {
        return count > 0.0 ? count / per_s.best() : 0.0;
    };
    return std::max({time_s(2.0 * arithmetic.multiply_adds, peak_flop_s),
                     time_s(arithmetic.operations, operations_s) +
                         time_s(arithmetic.fp64_operations, fp64_operations_s),
                     time_s(2.0 * arithmetic.bf16_multiply_adds, bf16_flop_s)});
}

double MachineRates::noise(const Arithmetic& arithmetic) const {
    const auto noise_of = [](double count, const BestOf& per_s) {
        return count > 0.0 ? per_s.noise() : 0.0;
    };
    return std::max({noise_of(arithmetic.multiply_adds, peak_flop_s),
                     noise_of(arithmetic.operations, operations_s),
                     noise_of(arithmetic.fp64_operations, fp64_operations_s),
                     noise_of(arithmetic.bf16_multiply_adds, bf16_flop_s)});
}

void MachineRates::measure() {
    peak_flop_s.samples.push_back(measured_peak_flop_s());
    bandwidth_b_s.samples.push_back(measured_bandwidth_b_s());
    bf16_flop_s.samples.push_back(
        std::max({peak_flop_s.samples.back(), measured_bf16_peak_flop_s().value_or(0.0),
                  measured_matrix_unit_flop_s().value_or(0.0), measured_product_flop_s<bf16>()}));
    fp64_flop_s.samples.push_back(measured_fp64_peak_flop_s());
    operations_s.samples.push_back(measured_operations_s<float>());
    fp64_operations_s.samples.push_back(measured_operations_s<double>());
}

MachineRates measure_machine_rates(int calls, Watch& watch,
                                   const std::function<void(const std::string&)>& progress) {
    MachineRates rates, tried;
    int tries = 0;
    const Watched watched = watch.until_quiet(
        [&] {
            ++tries;
            tried = {};
            for (int call = 1; call <= calls; ++call) {
                progress(fmt::format("rates of a core: call {} of {}{}", call, calls,
                                     tries > 1 ? ", again, as the machine was busy" : ""));
                tried.measure();
            }
        },
        [&] { rates = tried; });
    rates.watched = watched;
    return rates;
}

results::Table machine_table(const MachineRates& rates) {
    const auto row = [&](const char* quantity, const char* unit, const BestOf& rate) {
        results::MachineRow one{quantity, unit, rate.best() / 1e9, rate.least() / 1e9,
                                rate.best() / 1e9};
        put_watched(rates.watched, one);
        return one;
    };
    return results::table_of<results::MachineRow>(
        {row("peak arithmetic rate of a core, fp32", "GFLOP/s", rates.peak_flop_s),
         row("peak arithmetic rate of a core, bf16", "GFLOP/s", rates.bf16_flop_s),
         row("peak arithmetic rate of a core, fp64", "GFLOP/s", rates.fp64_flop_s),
         row("operations of any kind of a core, fp32", "Gop/s", rates.operations_s),
         row("operations of any kind of a core, fp64", "Gop/s", rates.fp64_operations_s),
         row("memory rate of a core", "GB/s", rates.bandwidth_b_s)});
}

results::Table machine_samples(const MachineRates& rates) {
    std::vector<results::MachineRateRow> rows;
    for (std::size_t i = 0; i < rates.peak_flop_s.samples.size(); ++i) {
        rows.push_back({rates.peak_flop_s.samples[i], rates.bandwidth_b_s.samples[i],
                        rates.bf16_flop_s.samples[i], rates.fp64_flop_s.samples[i],
                        rates.operations_s.samples[i], rates.fp64_operations_s.samples[i]});
    }
    return results::table_of(rows);
}

MachineRates machine_rates_in(const results::Record& record) {
    MachineRates rates;
    for (const auto& row : results::rows_of<results::MachineRateRow>(record)) {
        rates.peak_flop_s.samples.push_back(row.peak_flop_s);
        rates.bandwidth_b_s.samples.push_back(row.bandwidth_b_s);
        rates.bf16_flop_s.samples.push_back(row.bf16_flop_s);
        rates.fp64_flop_s.samples.push_back(row.fp64_flop_s);
        rates.operations_s.samples.push_back(row.operations_s);
        rates.fp64_operations_s.samples.push_back(row.fp64_operations_s);
    }
    const auto rows = results::rows_of<results::MachineRow>(record);
    require(!rows.empty() && !rates.peak_flop_s.samples.empty(),
            "the record holds no rates of the machine: nothing can be held against them");
    rates.watched = watched_of(rows.front());
    return rates;
}

std::vector<results::Check> machine_checks(const MachineRates& rates) {
    return {check_of("peak arithmetic rate in fp32 (FLOP/s)", rates.peak_flop_s),
            check_of("peak arithmetic rate in bf16 (FLOP/s)", rates.bf16_flop_s),
            check_of("peak arithmetic rate in fp64 (FLOP/s)", rates.fp64_flop_s),
            check_of("operations of any kind in fp32 (1/s)", rates.operations_s),
            check_of("operations of any kind in fp64 (1/s)", rates.fp64_operations_s),
            check_of("memory rate (B/s)", rates.bandwidth_b_s)};
}

std::string instruction_set() {
#if defined(__AVX512BF16__)
    return "AVX-512 with BF16";
#elif defined(__AVX512F__)
    return "AVX-512";
#elif defined(__AVX2__)
    return "AVX2";
#elif defined(__ARM_FEATURE_SVE)
    return "SVE";
#elif defined(__ARM_NEON)
    return "NEON";
#else
    return "scalar or SSE";
#endif
}

}  // namespace shardstone::benchmarks
