// SPDX-License-Identifier: BSD-3-Clause
// What the record and the screen say of a kernel of the GPU, from times and rates that are known.
#include <gtest/gtest.h>

#include <cmath>

#include "benchmarks/kernels/device/device_run.hpp"
#include "results/recompute/recompute.hpp"
#include "results/report/section.hpp"
#include "results/schema/device_kernels.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using namespace benchmarks;

/// 4 TB/s, 800 and 50 TFLOP/s.
constexpr DeviceRates rates{4e12, 8e14, 5e13};

/// 20 us by one, 10 by the other limit.
DeviceKernelResult limited_by_memory() {
    return {"narrow", "3 x 5", 8e7, 8e9, {39e-6, 40e-6, 41e-6}, 40e-6, Interval{39e-6, 41e-6}};
}
DeviceKernelResult limited_by_products() {
    return {"product", "7 x 9", 4e7, 16e9, {25e-6}, 25e-6, {}};
}

results::Record record_of(const std::vector<DeviceKernelResult>& of) {
    results::Record record;
    fill_device_record("a GPU", rates, of, record);
    return record;
}

TEST(DeviceRecord, HoldsEachFigureInItsColumn) {
    const auto record = record_of({limited_by_memory(), limited_by_products()});
    const auto rows = results::rows_of<results::DeviceKernelRow>(record);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].name + "|" + rows[0].size + "|" + rows[0].limit, "narrow|3 x 5|memory");
    EXPECT_EQ(rows[0].bytes, 8e7);
    EXPECT_EQ(rows[0].flop, 8e9);
    EXPECT_EQ(rows[0].time_s, 40e-6);
    EXPECT_EQ(rows[0].time_low_s, 39e-6);
    EXPECT_EQ(rows[0].time_high_s, 41e-6);
    EXPECT_DOUBLE_EQ(rows[0].bytes_per_s, 2e12);
    EXPECT_DOUBLE_EQ(rows[0].flop_per_s, 2e14);
    EXPECT_DOUBLE_EQ(rows[0].share, 0.5);
    EXPECT_EQ(rows[1].limit, "products");
    EXPECT_DOUBLE_EQ(rows[1].share, 0.8);
    EXPECT_TRUE(std::isnan(rows[1].time_low_s));
    const auto times = results::rows_of<results::DeviceKernelTimeRow>(record);
    ASSERT_EQ(times.size(), 4U);
    EXPECT_EQ(times[2].sample, 2.0);
    EXPECT_EQ(times[2].time_s, 41e-6);
    const auto gpu = results::rows_of<results::DeviceRatesRow>(record).front();
    EXPECT_EQ(gpu.gpu, "a GPU");
    EXPECT_EQ(gpu.copy_bytes_per_s, 4e12);
    EXPECT_EQ(gpu.bf16_flop_per_s, 8e14);
    EXPECT_EQ(gpu.fp32_flop_per_s, 5e13);
}

TEST(DeviceRecord, FailsWhatIsQuickerThanItsLimit) {
    EXPECT_TRUE(record_of({limited_by_memory()}).verified());
    auto impossible = limited_by_memory();
    impossible.median_s = 19e-6;  // of 20: more than rates are known to
    const auto record = record_of({limited_by_products(), impossible});
    ASSERT_EQ(record.verification.size(), 1U);
    EXPECT_FALSE(record.verification.front().passed);
    EXPECT_EQ(record.verification.front().detail,
              "narrow at 3 x 5 comes closest: 105.3 % of its limit");
}

TEST(DeviceRecord, IsHeldAgainstItsSamples) {
    auto often = limited_by_memory();  // six samples are the fewest that have an interval
    often.samples_s = {39e-6, 39.5e-6, 40e-6, 40e-6, 40.5e-6, 41e-6};
    const auto right = record_of({often, limited_by_products()});
    EXPECT_TRUE(results::recompute(right).wrong.empty());
    for (const char* column :
         {"time_s", "time_low_s", "time_high_s", "bytes_per_s", "flop_per_s", "share"}) {
        auto record = right;
        numbers_of(record, "device_kernels", column)[0] *= 1.5;
        EXPECT_EQ(results::recompute(record).wrong.size(), 1U) << column;
    }
}

TEST(DeviceRecord, IsToldInTheReport) {
    auto slower = limited_by_memory();
    slower.name = "slower";
    slower.samples_s = {78e-6, 80e-6, 82e-6};
    slower.median_s = 80e-6;
    auto record = written_record("device_kernels", "left", 1);
    fill_device_record("a GPU", rates, {limited_by_memory(), slower, limited_by_products()},
                       record);
    const auto sources = as_sources({record});
    const auto section = results::device_kernels_section(sources);
    EXPECT_EQ(sentences_of(section),
              (std::vector<std::string>{
                  "On a GPU, the median of 2 kernels limited by memory reaches 37.5 % of the 4.00 "
                  "TB/s of a copy; slower at 3 x 5 is the furthest from it, with 25.0 %.",
                  "On a GPU, the median of 1 kernel limited by products reaches 80.0 % of the 800 "
                  "TFLOP/s of a large product in BF16; product at 7 x 9 is the furthest from it, "
                  "with 80.0 %."}));
    EXPECT_NE(section->body.find("Kernels of the GPU"), std::string::npos);
}

TEST(DeviceRecord, LinesHaveTheUnitsOfTheirHeads) {
    const std::string line = device_line(limited_by_memory(), rates);
    EXPECT_NE(line.find("40.00     2000     200.0  50.0 % (memory)"), std::string::npos) << line;
    const std::string head = device_heading("a GPU", rates);
    EXPECT_NE(head.find("a GPU: copies 4000 GB/s, products of (8192, 8192) 800 TFLOP/s in BF16, "
                        "of (4096, 4096) 50.0 in FP32"),
              std::string::npos)
        << head;
    const auto better = better_of(rates, {5e12, 7e14, 6e13});
    EXPECT_EQ(better.copy_bytes_per_s, 5e12);
    EXPECT_EQ(better.bf16_flop_per_s, 8e14);
    EXPECT_EQ(better.fp32_flop_per_s, 6e13);
}

}  // namespace
}  // namespace shardstone::validation
