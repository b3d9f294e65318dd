// SPDX-License-Identifier: BSD-3-Clause
// What the record and the screen say of a kernel of the GPU, from times and rates that are known.
#include <gtest/gtest.h>

#include <cmath>

#include "benchmarks/kernels/device/device_kernel.hpp"
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

/// Of the kernel of that name and size.
std::pair<double, double> bytes_and_flop(const std::string& name, const std::string& size) {
    for (const DeviceKernel& kernel : device_kernels()) {
        if (kernel.name == name && kernel.size == size) return {kernel.bytes, kernel.flop};
    }
    ADD_FAILURE() << "no kernel " << name << ", " << size;
    return {};
}

// Counted by hand: operands read once, results written once, two FLOP to a term of a product.
TEST(DeviceKernels, HaveTheBytesAndFlopOfTheirOperands) {
    if (device_kernels().empty()) GTEST_SKIP() << "built without CUDA";
    using Counts = std::pair<double, double>;
    constexpr double mib = 1 << 20;
    // (16384, 768) are 12 Mi elements, (768, 3072) 2.25 Mi, (16384, 3072) 48 Mi.
    EXPECT_EQ(bytes_and_flop("layernorm forward, bf16", "16384 x 768"), Counts(72 * mib, 0.0));
    EXPECT_EQ(bytes_and_flop("layernorm backward, input", "16384 x 768"), Counts(192 * mib, 0.0));
    EXPECT_EQ(bytes_and_flop("bias and residual forward", "16384 x 768"), Counts(144 * mib, 0.0));
    EXPECT_EQ(bytes_and_flop("bias and gelu forward, bf16", "16384 x 3072"),
              Counts(288 * mib, 0.0));
    const double flop = 2.0 * 16384 * 768 * 3072;
    EXPECT_EQ(bytes_and_flop("linear forward, bf16", "16384 x 768 x 3072"),
              Counts(124.5 * mib, flop));
    EXPECT_EQ(bytes_and_flop("linear backward, weights, bf16", "16384 x 768 x 3072"),
              Counts(138 * mib, flop));
    // Gradients of 3072 inputs, in FP32, from those of 768 outputs.
    EXPECT_EQ(bytes_and_flop("linear backward, input, bf16", "16384 x 3072 x 768"),
              Counts(220.5 * mib, flop));
    // Half of 1024 keys for each query, 64 channels: 2 and 5 products.
    const double product = 2.0 * 16 * 12 * 1024 * 512 * 64;
    EXPECT_EQ(bytes_and_flop("attention forward, bf16", "16 x 1024 x 12 x 64"),
              Counts(96 * mib, 2 * product));
    EXPECT_EQ(bytes_and_flop("attention backward, bf16", "16 x 1024 x 12 x 64"),
              Counts(192 * mib, 5 * product));
    EXPECT_EQ(bytes_and_flop("adamw", "124439808"), Counts(28.0 * 124439808, 0.0));
    EXPECT_EQ(bytes_and_flop("sum of squares", "124439808"), Counts(4.0 * 124439808, 0.0));
    EXPECT_EQ(bytes_and_flop("cross-entropy backward, bf16", "16384 x 50257"),
              Counts(4.0 * 16384 * 50257, 0.0));
    // 16384 draws of 50257 tokens find 13981 of them: 50257 (1 - e^(-16384 / 50257)).
    EXPECT_NEAR(bytes_and_flop("token embedding backward", "16384 x 768").first,
                768.0 * (4 * 16384 + 8 * 13981), 768.0 * 8 * 10);
    EXPECT_NEAR(bytes_and_flop("token embedding forward", "16384 x 768").first,
                768.0 * (4 * 16384 + 2 * 13981), 768.0 * 2 * 10);
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
    auto record = right;
    texts_of(record, "device_kernels", "limit")[0] = "products";
    EXPECT_EQ(results::recompute(record).wrong.size(), 1U) << "what limits it";
    record = right;
    texts_of(record, "device_kernels", "name")[0] = "a kernel without samples";
    EXPECT_EQ(results::recompute(record).wrong.size(), 1U) << "which tell nothing of its time";
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
    EXPECT_NE(head.find("a GPU: copies 4000 GB/s, products up to (8192, 8192) 800 TFLOP/s in "
                        "BF16, up to (4096, 4096) 50.0 in FP32"),
              std::string::npos)
        << head;
    const auto better = better_of(rates, {5e12, 7e14, 6e13});
    EXPECT_EQ(better.copy_bytes_per_s, 5e12);
    EXPECT_EQ(better.bf16_flop_per_s, 8e14);
    EXPECT_EQ(better.fp32_flop_per_s, 6e13);
}

}  // namespace
}  // namespace shardstone::validation
