// SPDX-License-Identifier: BSD-3-Clause
// The kernel benchmarks: results checked, every size sampled, shares taken of the right roofline.
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "benchmarks/kernels/comparison.hpp"
#include "benchmarks/kernels/kernel_record.hpp"
#include "kernels/base/error.hpp"
#include "results/journal/recover.hpp"
#include "results/schema/machine.hpp"

namespace shardstone::benchmarks {
namespace {

constexpr double pause_s = 2e-3;

/// Sleeps for pause_s * size; declared as 1e6 FLOP and 1e6 B per unit of size.
KernelBenchmark sleeper() {
    return {"sleeper",
            "naps",
            {1, 2},
            [](std::int64_t size) {
                const auto naps = static_cast<double>(size);
                return Workload{plain(1e6 * naps), 1e6 * naps, [=] {
                                    const timespec nap{0, static_cast<long>(pause_s * naps * 1e9)};
                                    nanosleep(&nap, nullptr);
                                }};
            },
            [] {
                return results::Check{"sleeper: sleeps", true, ""};
            }};
}

MachineRates some_rates() {
    return {{{90e9, 100e9, 98e9}}, {{10e9, 9e9, 9.5e9}}, {{190e9, 180e9, 200e9}},
            {{50e9, 49e9, 48e9}},  {{80e9, 79e9, 78e9}}, {{40e9, 39e9, 38e9}}};
}

TEST(Kernels, EveryOneEqualsItsPlainLoopOrHasAnOracle) {
    ASSERT_GE(kernel_benchmarks().size(), 30U);
    for (const auto& kernel : kernel_benchmarks()) {
        EXPECT_FALSE(kernel.sizes.empty());
        EXPECT_NE(static_cast<bool>(kernel.verify), !kernel.oracle.empty()) << kernel.name;
        if (!kernel.verify) continue;  // `shardstone kernels` asks the oracle
        const auto check = kernel.verify();
        EXPECT_TRUE(check.passed) << check.name << ": " << check.detail;
        EXPECT_NE(check.name.find(kernel.name), std::string::npos);
    }
}

TEST(Kernels, AWrongOrUndefinedElementIsSeen) {
    Expectation expected;
    for (int i = 0; i < 10; ++i) expected.add(i, unit_roundoff * i);
    std::vector<float> got(10);
    for (std::size_t i = 0; i < got.size(); ++i) got[i] = static_cast<float>(i);
    EXPECT_TRUE(compare("k", got, expected).passed);
    auto wrong = got;
    wrong[7] *= 1.0F + 0x1p-20F;
    EXPECT_FALSE(compare("k", wrong, expected).passed);
    auto undefined = got;
    undefined[3] = NAN;
    EXPECT_FALSE(compare("k", undefined, expected).passed);
}

TEST(Kernels, AreChosenByPartOfTheirName) {
    EXPECT_EQ(kernels_matching("").size(), kernel_benchmarks().size());
    EXPECT_EQ(kernels_matching("AdamW").size(), 1U);
    try {
        kernels_matching("no such kernel");
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("AdamW"), std::string::npos) << "no choices named";
    }
}

TEST(KernelRunner, MeasuresEverySizeWithAllSamples) {
    const KernelPolicy policy{.repetitions = 7, .repetition_s = 0.004};
    int reported = 0;
    MachineRates rates = some_rates();
    Watch watch;
    const auto measured =
        run_kernels({sleeper()}, policy, rates, watch, [&](const KernelResult&) { ++reported; });
    ASSERT_EQ(measured.size(), 2U);
    EXPECT_EQ(reported, 2);
    for (const auto& result : measured) {
        const auto naps = static_cast<double>(result.size);
        EXPECT_EQ(result.samples_s.size(), 7U);
        EXPECT_GE(result.median_s, pause_s * naps);
        EXPECT_LE(result.gflop_s(), 1e6 / pause_s / 1e9);
        EXPECT_EQ(result.intensity(), 1.0);
        EXPECT_TRUE(result.interval_s);
    }
}

TEST(MachineRates, OneLuckyReadingFailsTheCheck) {
    EXPECT_TRUE(BestOf({{90.0, 100.0, 10.0}}).repeated());
    EXPECT_FALSE(BestOf({{60.0, 100.0, 10.0}}).repeated());
    EXPECT_FALSE(BestOf({{100.0}}).repeated());
    EXPECT_DOUBLE_EQ(BestOf({{90.0, 100.0, 10.0}}).noise(), 0.1);
    EXPECT_DOUBLE_EQ(BestOf({{100.0}}).noise(), 1.0);
}

/// 1 MB at 10 GB/s and some arithmetic on such a core, the median time and a quicker repetition.
KernelResult result_of(const Arithmetic& arithmetic, double median_s) {
    KernelResult result{
        "k",      "rows",      64, arithmetic, 1e6, 10e9, {2.0 * median_s, median_s / 2.0},
        median_s, std::nullopt};
    result.bound = {1e6 / 10e9, some_rates().least_time_s(arithmetic), 0.0};
    return result;
}

results::Record record_of(const std::vector<KernelResult>& results,
                          const std::vector<results::Check>& checks = {}) {
    results::Record record = results::new_record("kernels", "t", {"shardstone"});
    begin_kernel_record(some_rates(), record);
    for (const KernelResult& result : results) results::add_part(record, part_of(result));
    complete_kernel_record(some_rates(), checks, record);
    return record;
}

double share_of(const KernelResult& result) {
    const auto record = record_of({result});
    return results::rows_of<results::KernelRow>(record).front().share;
}

TEST(KernelRecord, TheBoundIsTheSlowerOfMemoryAndArithmeticAndOfMedians) {
    // 1 MB take 100 us; 8e6 operations at 80e9 /s as long, 5e6 multiply-adds at 50e9 /s as well.
    EXPECT_DOUBLE_EQ(share_of(result_of(plain(1e6), 2e-4)), 0.5);
    EXPECT_DOUBLE_EQ(share_of(result_of(plain(16e6), 8e-4)), 0.25);
    EXPECT_DOUBLE_EQ(share_of(result_of(multiply_adds(10e6), 8e-4)), 0.25);
}

// Multiply-adds and other operations have pipelines of their own on some processors.
TEST(KernelRecord, TheBoundOfAMixtureIsThatOfItsMultiplyAddsOrOfAllItsOperations) {
    EXPECT_DOUBLE_EQ(share_of(result_of(multiply_adds(10e6) + plain(2e6), 8e-4)), 0.25);
    EXPECT_DOUBLE_EQ(share_of(result_of(multiply_adds(10e6) + plain(22e6), 8e-4)), 0.5);
    EXPECT_DOUBLE_EQ(share_of(result_of((multiply_adds(5e6) + plain(11e6)) * 2.0, 8e-4)), 0.5);
    EXPECT_DOUBLE_EQ(some_rates().noise(plain(1.0)), 1.0 - 79.0 / 80.0);
    EXPECT_DOUBLE_EQ(some_rates().noise(multiply_adds(1.0)), 1.0 - 98.0 / 100.0);
}

TEST(KernelRecord, EachKindOfArithmeticHasItsOwnPeak) {
    // 100e9 multiply-adds/s in BF16 at best; FP16 is widened; 40e9 operations/s in FP64.
    EXPECT_DOUBLE_EQ(share_of(result_of(products_of<bf16>(40e6), 8e-4)), 0.5);
    EXPECT_DOUBLE_EQ(share_of(result_of(products_of<fp16>(20e6), 8e-4)), 0.5);
    EXPECT_DOUBLE_EQ(share_of(result_of({.flop = 1.0, .fp64_operations = 16e6}, 8e-4)), 0.5);
    EXPECT_DOUBLE_EQ(products_of<bf16>(3.0).flop, 6.0);
}

TEST(BoundsCheck, AKernelQuickerThanItsBoundFailsTheRunUnlessTheMachineWasBusy) {
    const KernelResult sound = result_of(plain(1e6), 1.25e-4);
    KernelResult quicker = result_of(plain(1e6), 0.9e-4);
    EXPECT_TRUE(bounds_check(record_of({sound}))->passed);
    const auto check = bounds_check(record_of({sound, quicker})).value();
    EXPECT_FALSE(check.passed);
    EXPECT_NE(check.detail.find("111.1 %"), std::string::npos) << check.detail;

    quicker.bound.noise = 0.12;  // the bound is not known that well
    EXPECT_TRUE(bounds_check(record_of({sound, quicker}))->passed);
    quicker.bound.noise = 0.1;
    EXPECT_FALSE(bounds_check(record_of({quicker}))->passed);

    quicker.watched.surroundings.others_share = 0.5;
    EXPECT_TRUE(bounds_check(record_of({sound, quicker}))->passed);
    EXPECT_FALSE(bounds_check(record_of({quicker})));
    EXPECT_FALSE(record_of({result_of(plain(1e6), 0.9e-4)}).verified());
}

TEST(KernelRecord, HoldsWhatTheReportReads) {
    KernelResult result = result_of(plain(2e6), 1e-3);
    result.watched = {{.others_share = 0.07, .waiting_share = 0.02, .stolen_share = 0.01}, 3};
    const auto record = record_of({result}, {{"k: right", true, ""}});
    EXPECT_TRUE(record.verified());
    const auto& table = record.table("kernels");
    EXPECT_DOUBLE_EQ(table.column("gflop_s").numbers.front(), 2.0);
    EXPECT_DOUBLE_EQ(table.column("roofline_gflop_s").numbers.front(), 20.0);
    EXPECT_DOUBLE_EQ(table.column("share").numbers.front(), 0.1);
    EXPECT_DOUBLE_EQ(table.column("best_s").numbers.front(), 5e-4);
    const auto row = results::rows_of<results::KernelRow>(record).front();
    EXPECT_EQ(row.disturbed, 1.0);
    EXPECT_EQ(row.others_share, 0.07);
    EXPECT_EQ(row.waiting_share, 0.02);
    EXPECT_EQ(row.stolen_share, 0.01);
    EXPECT_EQ(row.tries, 3.0);
    EXPECT_TRUE(std::isnan(table.column("time_low_s").numbers.front()));
    EXPECT_TRUE(std::isnan(table.column("of_library").numbers.front()));
    EXPECT_EQ(record.table("kernel_times").rows(), 2U);
    EXPECT_EQ(record.table("machine").column("value").numbers.front(), 100.0);
}

// What --resume takes of an earlier record.
TEST(KernelRecord, TellsWhatItHoldsAndTheRatesItWasHeldAgainst) {
    KernelResult other = result_of(plain(1e6), 1e-3);
    other.size = 128;
    const auto record = record_of({result_of(plain(1e6), 1e-3), other});
    EXPECT_EQ(measured_kernels(record), (std::set<KernelSize>{{"k", 64}, {"k", 128}}));
    const MachineRates rates = machine_rates_in(record);
    EXPECT_EQ(rates.peak_flop_s.samples, some_rates().peak_flop_s.samples);
    EXPECT_EQ(rates.bandwidth_b_s.samples, some_rates().bandwidth_b_s.samples);
    EXPECT_EQ(rates.bf16_flop_s.samples, some_rates().bf16_flop_s.samples);
    EXPECT_EQ(rates.fp64_flop_s.samples, some_rates().fp64_flop_s.samples);
    EXPECT_EQ(rates.operations_s.samples, some_rates().operations_s.samples);
    EXPECT_EQ(rates.fp64_operations_s.samples, some_rates().fp64_operations_s.samples);
    EXPECT_EQ(rates.watched.tries, some_rates().watched.tries);
    EXPECT_THROW(machine_rates_in(results::Record{}), Error);
}

TEST(KernelRecord, RatesAreInBillionsNotInPowersOfTwo) {
    KernelResult result = result_of(plain(3e9), 0.5);
    result.bandwidth_b_s = 20e9;
    result.bytes = 4e9;
    const auto record = record_of({result});
    const auto row = results::rows_of<results::KernelRow>(record).front();
    EXPECT_EQ(row.bandwidth_gb_s, 20.0);
    EXPECT_EQ(row.gb_s, 8.0);
    EXPECT_EQ(row.gflop_s, 6.0);
}

TEST(KernelRunner, AProductIsMeasuredBesideTheLibraries) {
    const auto nap = [](double factor) {
        return [=] {
            const timespec time{0, static_cast<long>(pause_s * factor * 1e9)};
            nanosleep(&time, nullptr);
        };
    };
    KernelBenchmark product = sleeper();
    product.sizes = {1};
    product.prepare = [=](std::int64_t) {
        return Workload{multiply_adds(1e6), 1e6, nap(2.0), {nap(4.0), nap(1.0)}};
    };
    const KernelPolicy policy{.repetitions = 7, .repetition_s = 0.004};
    MachineRates rates = some_rates();
    Watch watch;
    const auto measured = run_kernels({product}, policy, rates, watch, [](const KernelResult&) {});
    ASSERT_TRUE(measured.front().of_library);
    EXPECT_LT(measured.front().of_library->median, 1.0);  // against the faster one
    EXPECT_EQ(measured.front().of_library->ratios.size(), 7U);
}

}  // namespace
}  // namespace shardstone::benchmarks
