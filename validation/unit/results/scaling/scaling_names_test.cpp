// SPDX-License-Identifier: BSD-3-Clause
// What is said of a curve beside its figures: what tells it from others, its builds, and what is
// not drawn or said of it.
#include <gtest/gtest.h>

#include <algorithm>

#include "results/report/scaling_curve.hpp"
#include "results/report/scaling_findings.hpp"
#include "results/report/scaling_rows.hpp"
#include "results/report/section.hpp"
#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/results/scaling/scaled_runs.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

// Each alone makes runs another program's.
TEST(ScalingNames, TellBuildsByWhateverIsInThem) {
    std::vector<Record> records{written_run({1, 1000.0, 100.0}), written_run({2, 1900.0, 200.0})};
    const auto words = [&] {
        const auto sources = as_sources(records);
        return builds_words(scaling_curves(sources).at(0));
    };
    for (const char* part :
         {"/build/revision", "/build/compiler", "/build/flags", "/libraries/ucx", "/kernels/isa"}) {
        const nlohmann::json::json_pointer path(part);
        for (Record& record : records) record.environment[path] = "one";
        EXPECT_EQ(words(), "") << part;
        records[1].environment[path] = "another";
        EXPECT_NE(words().find("its runs are of 2 builds of the program"), std::string::npos)
            << part;
        records[1].environment[path] = "one";
    }
}

// Curves that differ in precision need no more words to be told apart.
TEST(ScalingNames, HoldNoChoiceInWhichOnlyAnotherSystemDiffers) {
    std::vector<Record> records;
    for (const char* precision : {"fp32", "bf16"}) {
        for (const int ranks : {1, 2}) {
            ScaledRun run{ranks, 1000.0 * ranks, 100.0 * ranks};
            run.precision = precision;
            records.push_back(written_run(run));
            if (ranks == 1) continue;
            records.back().configuration["all_reduce"] =
                std::string(precision) == "fp32" ? "ring" : "linear";
        }
    }
    const auto sources = as_sources(records);
    const auto curves = scaling_curves(sources);
    ASSERT_EQ(curves.size(), 2U);
    for (const ScalingCurve& curve : curves) {
        EXPECT_EQ(curve.name().find("all-reduce"), std::string::npos) << curve.name();
    }
}

// Bars of no length would say that such a step takes no time.
TEST(ScalingNames, DrawNoPartsWhereOnePointWasNotSplit) {
    const auto figures = [](const std::map<std::string, std::pair<double, double>>& of_last) {
        return scaling_section(as_sources({written_run({1, 1000.0, 100.0, {{"input", {0.1, 0.1}}}}),
                                           written_run({2, 2000.0, 200.0, of_last})}))
            ->figures.size();
    };
    EXPECT_EQ(figures({{"input", {0.1, 0.1}}}), 2U);
    EXPECT_EQ(figures({}), 1U);
}

// Each has a device of its own, on however few cores its messages are moved.
TEST(ScalingNames, DoNotSayOfPacedRanksThatTheyShareCores) {
    std::vector<Record> records{written_run({1, 1000.0, 100.0}), written_run({4, 3000.0, 400.0})};
    const auto finding = [&] {
        const auto sources = as_sources(records);
        return scaling_findings(scaling_curves(sources).at(0)).at(0);
    };
    EXPECT_NE(finding().find("; 4 ranks share 2 cores"), std::string::npos) << finding();
    for (Record& record : records) record.configuration["pace_gflop_per_s"] = 5.0;
    EXPECT_EQ(finding().find("share"), std::string::npos) << finding();
}

}  // namespace
}  // namespace shardstone::validation
