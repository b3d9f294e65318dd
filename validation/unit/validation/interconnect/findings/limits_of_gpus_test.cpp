// SPDX-License-Identifier: BSD-3-Clause
// Limits on what a rank's GPU computes, copies and transfers in a second: each from its own test.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "validation/interconnect/acceptance_file.hpp"
#include "validation/interconnect/disturbances.hpp"
#include "validation/interconnect/limits_in_force.hpp"
#include "validation/unit/validation/interconnect/findings/planted_samples.hpp"

namespace shardstone::validation {
namespace {

std::string limits_of(const std::string& quantity, const std::string& limit) {
    return fmt::format(
        "memory = 'gpu'\n[[limit]]\nquantity = '{}'\nstatistic = 'median'\nlimit = {}\n", quantity,
        limit);
}

/// 2 ms for a TFLOP, 100 us for a copy of 128 MiB and 1 ms for 32 MiB each way; on rank 3 twice.
InterconnectSamples of_gpus(const std::string& quantity, const std::string& limit,
                            double taken_by_others = 0.01) {
    auto samples = planted_samples();
    samples.ranks.clear();
    for (const double rank : {0.0, 1.0, 2.0, 3.0}) {
        const double factor = rank == 3.0 ? 2.0 : 1.0;
        for (int turn = 0; turn < 24; ++turn) {
            const auto add = [&](const char* test, double time_s) {
                samples.ranks.push_back({rank, test, static_cast<double>(turn), 0.0,
                                         factor * time_s * (1.0 + 1e-6 * turn)});
            };
            add("GPU product", 2e-3);
            add("GPU memory", 100e-6);
            add("GPU transfer", 1e-3);
        }
    }
    auto& row = samples.conditions.emplace_back();
    row.part = during_ranks;
    row.machine = 0.0;
    row.others_share = taken_by_others;
    row.waiting_share = row.stolen_share = 0.0;
    samples.limits = parse_acceptance(limits_of(quantity, limit), "limits");
    return samples;
}

results::AcceptanceRow judged(const InterconnectSamples& samples) {
    return find_in(samples).acceptance.at(0);
}

TEST(LimitsOfGpus, HoldForEachRankInTheirUnits) {
    struct Case {
        const char *quantity, *unit;
        double slow;  ///< what rank 3 has
    };
    for (const auto& [quantity, unit, slow] : {Case{"GPU product rate", "TFLOP/s", 250.0},
                                               {"GPU product rate", "GFLOP/s", 250e3},
                                               {"GPU memory rate", "GB/s", 2 * 134.217728 / 0.2},
                                               {"GPU transfer rate", "GB/s", 2 * 33.554432 / 2},
                                               {"GPU transfer rate", "Gbit/s", 8 * 33.554432}}) {
        const auto limit = [&, unit = unit](double factor) {
            return fmt::format("{:.6f}\nunit = '{}'", factor * slow, unit);
        };
        const auto broken = judged(of_gpus(quantity, limit(1.001)));
        EXPECT_EQ(broken.verdict, "fail") << quantity;
        EXPECT_EQ(broken.subject, "rank 3 on cn3");
        EXPECT_DOUBLE_EQ(broken.confidence, 1.0 - 0.05 / 4 / 2) << "of four, at the second look";
        EXPECT_NEAR(broken.value, slow, 1e-4 * slow) << quantity << " in " << unit;
        EXPECT_EQ(broken.subjects, 4.0);
        EXPECT_EQ(broken.subjects_passed, 3.0) << "the others are twice as fast";
        EXPECT_NE(against_limit(broken).find("median of the means of turns"), std::string::npos);
        EXPECT_EQ(judged(of_gpus(quantity, limit(0.999))).verdict, "pass") << quantity;
    }
}

// Whoever takes the cores takes nothing of a GPU's computations and memory, but transfers are the
// host's as well.
TEST(LimitsOfGpus, AreBrokenOnBusyMachinesWhereNoCoreHelps) {
    const auto expect = [](const char* quantity, const char* limit, const char* verdict,
                           bool disturbed) {
        const auto row = judged(of_gpus(quantity, limit, 0.4));
        EXPECT_EQ(row.verdict, verdict) << quantity;
        EXPECT_EQ(row.disturbed, disturbed ? 1.0 : 0.0) << quantity;
    };
    expect("GPU product rate", "260\nunit = 'TFLOP/s'", "fail", false);
    expect("GPU memory rate", "1.4\nunit = 'TB/s'", "fail", false);
    expect("GPU transfer rate", "35\nunit = 'GB/s'", "inconclusive", true);
}

TEST(LimitsOfGpus, AreNoneOfHosts) {
    const std::string text = limits_of("GPU product rate", "600\nunit = 'TFLOP/s'");
    EXPECT_TRUE(parse_acceptance(text, "pod.toml").at(0).at_least);
    const auto refusal = [](const std::string& of) -> std::string {
        try {
            parse_acceptance(of, "pod.toml");
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(refusal(text.substr(text.find('['))).find("one of GPUs only below memory = \"gpu\""),
              std::string::npos);
    EXPECT_NE(refusal(limits_of("GPU product rate", "600\nunit = 'GB/s'"))
                  .find("choose one of TFLOP/s, GFLOP/s"),
              std::string::npos);
    EXPECT_NE(refusal(limits_of("GPU product rate", "0\nunit = 'TFLOP/s'")).find("a rate above 0"),
              std::string::npos);
}

}  // namespace
}  // namespace shardstone::validation
