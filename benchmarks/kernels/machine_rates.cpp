// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/kernels/machine_rates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"
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

bool BestOf::repeated() const {
    if (samples.size() < 2) return false;
    auto sorted = samples;
    std::ranges::sort(sorted, std::greater{});
    return sorted[1] > 0.0 && sorted[1] >= 2.0 / 3.0 * sorted[0];
}

MachineRates measure_machine_rates(int calls) {
    MachineRates rates;
    for (int call = 0; call < calls; ++call) {
        rates.peak_flop_s.samples.push_back(measured_peak_flop_s());
        rates.bandwidth_b_s.samples.push_back(measured_bandwidth_b_s());
    }
    return rates;
}

results::Table machine_table(const MachineRates& rates) {
    const auto row = [](const char* quantity, const char* unit, const BestOf& rate) {
        return results::MachineRow{quantity, unit, rate.best() / 1e9, rate.least() / 1e9,
                                   rate.best() / 1e9};
    };
    return results::table_of<results::MachineRow>(
        {row("peak arithmetic rate of a core, fp32", "GFLOP/s", rates.peak_flop_s),
         row("memory rate of a core", "GB/s", rates.bandwidth_b_s)});
}

results::Table machine_samples(const MachineRates& rates) {
    std::vector<results::MachineRateRow> rows;
    for (std::size_t i = 0; i < rates.peak_flop_s.samples.size(); ++i) {
        rows.push_back({rates.peak_flop_s.samples[i], rates.bandwidth_b_s.samples[i]});
    }
    return results::table_of(rows);
}

std::vector<results::Check> machine_checks(const MachineRates& rates) {
    return {check_of("peak arithmetic rate (FLOP/s)", rates.peak_flop_s),
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
