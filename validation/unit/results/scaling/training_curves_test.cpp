// SPDX-License-Identifier: BSD-3-Clause
// The report's section on throughput has the curves of that on scaling, and leaves repetitions to
// it.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "results/report/scaling_curve.hpp"
#include "results/report/section.hpp"
#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/results/scaling/scaled_runs.hpp"

namespace shardstone::validation {
namespace {

using namespace results;
using nlohmann::json;

/// With a device for every rank, so that efficiencies per device and per rank are the same.
Record paced_run(const char* all_reduce, const ScaledRun& run) {
    Record record = written_run(run);
    record.configuration["pace_gflop_per_s"] = 20.0;
    record.configuration["pace_memory_gb_per_s"] = 5.0;
    record.configuration["all_reduce"] = all_reduce;
    return record;
}

/// Strong scaling with two all-reduces; on more ranks they keep 85 % and 70 %.
std::vector<Record> two_all_reduces(bool disturbed) {
    return {paced_run("recursive_doubling", {2, 2000.0, 400.0}),
            paced_run("recursive_doubling", {4, 2800.0, 400.0}),
            paced_run("ring", {2, 1600.0, 400.0}),
            paced_run("ring", {4, 2720.0, 400.0, {}, disturbed})};
}

Section section_of(const std::vector<Record>& records) {
    return training_section(as_sources(records)).value();
}

/// Throws where the figure has none.
const json& trace_of(const Figure& figure, const std::string& words) {
    for (const json& trace : figure.traces) {
        if (trace.at("name").get<std::string>().ends_with(words)) return trace;
    }
    throw std::runtime_error("'" + figure.title + "' has no trace of '" + words + "'");
}

bool holds(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

TEST(TrainingCurves, OfTwoAllReducesAreTwoEachWithItsBase) {
    const auto sources = as_sources(two_all_reduces(false));
    const Section section = training_section(sources).value();
    const auto scaled = scaling_curves(sources);
    ASSERT_EQ(scaled.size(), 2U);
    const std::vector<std::string> words{", all-reduce recursive_doubling", ", all-reduce ring"};
    for (std::size_t i = 0; i < 2; ++i) {
        const json& rates = trace_of(section.figures.at(0), words[i]);
        EXPECT_EQ(rates.at("x"), json({2.0, 4.0})) << words[i];
        const json& drawn = trace_of(section.figures.at(1), words[i]).at("y");
        ASSERT_EQ(drawn.size(), 1U) << words[i];
        EXPECT_NEAR(drawn.at(0), 100.0 * scaled[i].efficiency(scaled[i].points.at(1)), 1e-9);
    }
    EXPECT_TRUE(holds(section.body, "<td class=\"number\">85.0 % (")) << section.body;
    EXPECT_TRUE(holds(section.body, "<td class=\"number\">70.0 % (")) << section.body;
    const auto ideal = trace_of(section.figures.at(0), "ring, ideal").at("y");
    EXPECT_EQ(ideal, json({1600.0, 3200.0}));
    const auto said = sentences_of(section);
    EXPECT_EQ(std::ranges::count_if(said, [](const auto& text) { return holds(text, "reaches"); }),
              1);
    EXPECT_EQ(std::ranges::count_if(said, [](const auto& text) { return holds(text, "keeps"); }),
              2);
}

TEST(TrainingCurves, OfRepeatedRunsAreLeftToScaling) {
    auto records = two_all_reduces(false);
    records.push_back(paced_run("ring", {2, 1500.0, 400.0}));
    const Section section = section_of(records);
    EXPECT_FALSE(holds(section.body, "85.0 % (")) << section.body;
    EXPECT_FALSE(holds(section.body, "90.7 % (")) << section.body;
    EXPECT_TRUE(holds(section.body, "70.0 % (")) << "the other all-reduce was not repeated";
    EXPECT_EQ(section.figures.at(0).traces.size(), 4U)
        << "one has a line of the ideal, the other one of means";
    EXPECT_EQ(section.figures.at(1).traces.size(), 2U);
    records.erase(records.begin(), records.begin() + 2);
    EXPECT_EQ(section_of(records).figures.size(), 1U);
}

// From run to run it would fall and rise within one number of ranks, and cross other curves.
TEST(TrainingCurves, GoThroughTheMeansOfRepeatedRunsAsScalingHasThem) {
    const auto sources = as_sources(
        {paced_run("ring", {2, 1600.0, 400.0}), paced_run("ring", {2, 400.0, 400.0, {}, true}),
         paced_run("ring", {4, 2720.0, 400.0}), paced_run("ring", {4, 1700.0, 400.0})});
    const Figure figure = training_section(sources)->figures.at(0);
    ASSERT_EQ(figure.traces.size(), 2U);
    const json &runs = figure.traces.at(0), &means = figure.traces.at(1);
    EXPECT_EQ(runs.at("lines"), false);
    EXPECT_EQ(runs.at("y"), json({1600.0, 400.0, 2720.0, 1700.0}));
    EXPECT_EQ(runs.at("hollow"), json({false, true, false, false}));
    EXPECT_EQ(means.at("x"), json({2.0, 4.0}));
    const auto scaled = scaling_curves(sources).at(0).points;
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_DOUBLE_EQ(means.at("y").at(i).get<double>(), scaled.at(i).rate);
    }
    EXPECT_NEAR(means.at("y").at(0).get<double>(), 1600.0, 1e-9) << "a disturbed one counts";
    EXPECT_FALSE(means.value("points", true)) << "it is no run";
    EXPECT_EQ(means.at("name"), runs.at("name"));
    EXPECT_EQ(means.at("hidden"), true) << "one curve has one item in the legend";
    EXPECT_TRUE(holds(means.at("notes").at(1), ": mean of 2 runs on 4 ranks: 2 15"));
}

TEST(TrainingCurves, MarkDisturbedRunsInEveryFigureAndInTheColumnOfRates) {
    for (const bool disturbed : {false, true}) {
        const Section section = section_of(two_all_reduces(disturbed));
        for (const Figure& figure : section.figures) {
            EXPECT_EQ(figure.title.ends_with("(hollow: disturbed)"), disturbed) << figure.title;
            const json& ring = trace_of(figure, "all-reduce ring");
            EXPECT_EQ(ring.contains("hollow") && ring.at("hollow").back() == true, disturbed);
            EXPECT_FALSE(trace_of(figure, "recursive_doubling").contains("hollow"));
        }
        EXPECT_EQ(holds(section.body, ">2 720 !</td>"), disturbed) << section.body;
        EXPECT_EQ(holds(section.body, "! disturbed: the machine was busy"), disturbed);
    }
}

// The base was disturbed: what is held against it is as doubtful.
TEST(TrainingCurves, MarkEfficienciesOfADisturbedBase) {
    auto records = two_all_reduces(false);
    numbers_of(records[2], "summary", "disturbed") = {1.0};
    const Section section = section_of(records);
    EXPECT_EQ(trace_of(section.figures.at(0), "all-reduce ring").at("hollow"), json({true, false}));
    EXPECT_EQ(trace_of(section.figures.at(1), "all-reduce ring").at("hollow"), json({true}));
}

}  // namespace
}  // namespace shardstone::validation
