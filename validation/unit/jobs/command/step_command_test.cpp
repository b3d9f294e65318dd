// SPDX-License-Identifier: BSD-3-Clause
// `shardstone step` as a user starts it: what it prints and records goes together, and with the
// model's size.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>

#include "validation/unit/jobs/command/recorded_run.hpp"

namespace shardstone::validation {
namespace {

/// Weights of GPT-2's kind with V = 256, C = 32, 2 layers and a context of 64, counted by hand:
/// embeddings 256 x 32 and 64 x 32, a block of 12 C^2 + 13 C, a last normalisation of 2 C.
constexpr double positions = 64 * 32;
constexpr double parameters = 256 * 32 + positions + 2 * (12 * 32 * 32 + 13 * 32) + 2 * 32;
constexpr double batch = 12, sequence = 48;
/// Forward and backward, per token: 6 for each weight that is multiplied with, and 6 L C T for
/// attention's two products with half of them masked.
constexpr double flop_per_token = 6 * (parameters - positions) + 6 * 2 * 32 * sequence;

double number_in(const std::string& text, const std::string& pattern) {
    std::smatch found;
    if (!std::regex_search(text, found, std::regex(pattern))) {
        ADD_FAILURE() << "no '" << pattern << "' in:\n" << text;
        return std::nan("");
    }
    return std::stod(found[1]);
}

/// A time that stands behind a name at the beginning of a line.
double time_s(const std::string& text, const std::string& name) {
    static const std::map<std::string, double> units{
        {"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    std::smatch found;
    if (!std::regex_search(text, found, std::regex("\n +" + name + " +([0-9.]+) ([mun]?s)"))) {
        ADD_FAILURE() << "no time of " << name << " in:\n" << text;
        return std::nan("");
    }
    return std::stod(found[1]) * units.at(found[2]);
}

void expect_within(double got, double want, double part, const char* what) {
    EXPECT_NEAR(got, want, part * want) << what;
}

TEST(StepCommand, WhatItPrintsGoesTogether) {
    const RecordedRun run(2, "step --model nano -b 12 -s 48 -n 15");
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    const std::string& text = run.output();
    EXPECT_EQ(number_in(text, R"(model nano \((\d+) parameters\))"), parameters);
    EXPECT_EQ(number_in(text, R"(median of (\d+) iterations)"), 15.0);
    EXPECT_NE(text.find("B 12, T 48, fp32"), std::string::npos) << text;

    // Times are printed to three digits, rates to one behind the point.
    const double step_s = time_s(text, "step");
    expect_within(number_in(text, R"(([0-9.]+) tokens/s)"), batch * sequence / step_s, 0.01,
                  "tokens/s");
    const double flop_s = number_in(text, R"(([0-9.]+) GFLOP/s per rank)") * 1e9;
    EXPECT_NEAR(flop_s, batch * sequence * flop_per_token / step_s, 0.06e9 + 0.01 * flop_s);
    const double peak_s = number_in(text, R"(peak of ([0-9.]+) GFLOP/s)") * 1e9;
    EXPECT_NEAR(number_in(text, R"(([0-9.]+) % MFU)"), 100.0 * flop_s / peak_s,
                0.06 + 100.0 * 0.06e9 / peak_s);

    double parts_s = 0.0;
    for (const char* name : {"forward", "backward", "AdamW", "zeroing"}) {
        const double part_s = time_s(text, name);
        EXPECT_NEAR(number_in(text, std::string(name) + R"( +[0-9.]+ [mun]?s +([0-9.]+) %)"),
                    100.0 * part_s / step_s, 0.06 + part_s / step_s)
            << name;
        parts_s += part_s;
    }
    // Medians of parts do not add up to the median of the whole, nor are the slowest ranks the
    // same.
    EXPECT_GT(parts_s, 0.5 * step_s) << text;
    EXPECT_LT(parts_s, 1.5 * step_s) << text;
    // Two products for each of forward's: 1.5 to 2.5 times as long, and more where it is disturbed.
    EXPECT_GT(time_s(text, "backward"), time_s(text, "forward")) << text;

    const std::string losses = "passed  the loss begins as that of a uniform guess and falls ";
    const double first = number_in(text, losses + R"(\(([0-9.]+) to )");
    EXPECT_NEAR(first, std::log(256.0), 0.1) << "before it has learnt anything";
    EXPECT_LT(number_in(text, losses + R"(\([0-9.]+ to ([0-9.]+)\))"), first);
}

TEST(StepCommand, TheRecordFollowsFromItsSamples) {
    const RecordedRun run(2, "step --model nano -b 12 -s 48 -n 15");
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    const auto& record = run.record();
    const auto figure = [&](const char* name) { return single(record, "arithmetic", name); };
    for (const char* part : {"step_s", "forward_s", "backward_s", "optimizer_s", "zeroing_s"}) {
        const auto& samples = column(record, "arithmetic_steps", part);
        ASSERT_EQ(samples.size(), 15U) << part;
        EXPECT_EQ(figure(part), middle_of(samples)) << part;
    }
    auto steps_s = column(record, "arithmetic_steps", "step_s");
    std::ranges::sort(steps_s);
    // Le Boudec, table A.1: of fifteen, the fourth and the twelfth.
    EXPECT_EQ(figure("step_low_s"), steps_s[3]);
    EXPECT_EQ(figure("step_high_s"), steps_s[11]);
    EXPECT_EQ(figure("ranks"), 2.0);
    EXPECT_EQ(figure("flop_parameters"), parameters - positions);
    EXPECT_EQ(figure("flop_per_token"), flop_per_token);
    EXPECT_DOUBLE_EQ(figure("tokens_per_s"), batch * sequence / figure("step_s"));
    EXPECT_DOUBLE_EQ(figure("flop_per_s"), flop_per_token * figure("tokens_per_s"));
    EXPECT_DOUBLE_EQ(figure("mfu"), figure("flop_per_s") / figure("core_peak_flop_per_s"));
    EXPECT_LT(figure("last_loss"), figure("first_loss"));
    EXPECT_EQ(record.configuration.at("sequence"), 48);
    EXPECT_EQ(record.configuration.at("batch"), 12);
    EXPECT_GE(record.table("surroundings").rows(), 1U);
    EXPECT_TRUE(record.verified());
}

}  // namespace
}  // namespace shardstone::validation
