// SPDX-License-Identifier: BSD-3-Clause
// What the record and the screen say of a kernel of the GPU, from times and rates that are known.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <sstream>

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

struct Counts {
    double bytes = 0.0, flop = 0.0;
};

/// The numbers in "16384 x 768".
std::vector<double> sizes_in(const std::string& size) {
    std::vector<double> sizes;
    std::istringstream words(size);
    for (std::string word; words >> word;) {
        if (word != "x") sizes.push_back(std::stod(word));
    }
    return sizes;
}

/// Different ones of so many even draws.
double different(double drawn, double of) {
    return of * (1.0 - std::pow(1.0 - 1.0 / of, drawn));
}

// Counted by hand: operands read once, results written once, two FLOP to a term of a product.
constexpr double bf16_bytes = 2.0, fp32_bytes = 4.0;

/// Of what memory limits: read and written for each element.
const std::map<std::string, double> bytes_of_element{
    {"layernorm forward, bf16", fp32_bytes + bf16_bytes},            // x; out
    {"layernorm backward, input", 2 * fp32_bytes + 2 * fp32_bytes},  // x, d_out; d_x +=
    {"layernorm backward, parameters", 2 * fp32_bytes},              // x, d_out
    {"bias and gelu forward, bf16", 2 * bf16_bytes + bf16_bytes},    // pre +=; out
    {"gelu backward, bf16", bf16_bytes + 2 * bf16_bytes},            // pre; d in place
    {"bias and residual forward", 2 * fp32_bytes + fp32_bytes},      // both; out
    {"bias backward, bf16", bf16_bytes},                             // d_out
    {"narrow rows, bf16", fp32_bytes + bf16_bytes},                  // from; to
    {"cross-entropy forward, bf16", bf16_bytes},                     // logits
    {"cross-entropy backward, bf16", 2 * bf16_bytes},                // logits in place
    {"adamw", fp32_bytes + 3 * 2 * fp32_bytes},  // gradient; weight, two moments in place
    {"sum of squares", fp32_bytes},              // gradient
    {"copy", 2 * fp32_bytes},                    // from; to
};

/// Of the rows of positions, and of the table's rows that these tokens touch.
const std::map<std::string, std::function<double(double rows, double columns)>> bytes_of_embedding{
    {"token embedding forward",
     [](double rows, double columns) {
         return columns * (fp32_bytes * rows + bf16_bytes * different(rows, 50257));
     }},
    {"token embedding backward",
     [](double rows, double columns) {
         return columns * (fp32_bytes * rows + 2 * fp32_bytes * different(rows, 50257));
     }},
    {"token embedding backward, 64 tokens",
     [](double rows, double columns) {
         return columns * (fp32_bytes * rows + 2 * fp32_bytes * 64);
     }},
};

/// Of a product of n rows, i inputs, o outputs.
Counts counts_of_product(const std::string& name, double n, double i, double o) {
    const double flop = 2 * n * i * o;
    if (name == "linear forward, bf16") return {bf16_bytes * (n * i + i * o + n * o), flop};
    if (name == "linear backward, weights, bf16") {  // which are added to
        return {bf16_bytes * (n * i + n * o) + 2 * fp32_bytes * i * o, flop};
    }
    EXPECT_EQ(name, "linear backward, input, bf16");
    return {bf16_bytes * (n * o + i * o) + fp32_bytes * n * i, flop};
}

Counts counts_of(const std::string& name, const std::vector<double>& of) {
    if (bytes_of_element.contains(name)) {
        return {bytes_of_element.at(name) * of[0] * (of.size() > 1 ? of[1] : 1.0), 0.0};
    }
    if (bytes_of_embedding.contains(name)) return {bytes_of_embedding.at(name)(of[0], of[1]), 0.0};
    if (of.size() == 3) return counts_of_product(name, of[0], of[1], of[2]);
    const bool backward = name == "attention backward, bf16";
    EXPECT_TRUE(backward || name == "attention forward, bf16") << name;
    // Sequences, positions, heads, channels of a head; each query has half of the keys.
    const double elements = of[0] * of[1] * of[2] * of[3];
    const double product = 2 * elements * of[1] / 2;
    // Queries, keys, values; out. Backward those and d_out; gradients of the first three.
    return {bf16_bytes * elements * (backward ? 3 + 1 + 1 + 3 : 3 + 1),
            (backward ? 5 : 2) * product};
}

TEST(DeviceKernels, HaveTheBytesAndFlopOfTheirOperands) {
    if (device_kernels().empty()) GTEST_SKIP() << "built without CUDA";
    std::set<std::string> names;
    for (const DeviceKernel& kernel : device_kernels()) {
        names.insert(kernel.name);
        const Counts expected = counts_of(kernel.name, sizes_in(kernel.size));
        const std::string which = kernel.name + ", " + kernel.size;
        EXPECT_NEAR(kernel.bytes, expected.bytes, 1e-5 * expected.bytes) << which;
        EXPECT_EQ(kernel.flop, expected.flop) << which;
    }
    EXPECT_EQ(names.size(), bytes_of_element.size() + bytes_of_embedding.size() + 3U + 2U);
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
                        "BF16, up to (4096, 4096) 50 in FP32"),
              std::string::npos)
        << head;
    const auto better = better_of(rates, {5e12, 7e14, 6e13});
    EXPECT_EQ(better.copy_bytes_per_s, 5e12);
    EXPECT_EQ(better.bf16_flop_per_s, 8e14);
    EXPECT_EQ(better.fp32_flop_per_s, 6e13);
}

}  // namespace
}  // namespace shardstone::validation
