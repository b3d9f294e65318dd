// SPDX-License-Identifier: BSD-3-Clause
// What the figures of the report draw, point by point, of rows in which only the right column, unit
// or factor gives the right number.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "results/report/section.hpp"
#include "results/report/sweep.hpp"
#include "results/schema/collectives.hpp"
#include "results/schema/training.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using nlohmann::json;
using results::CollectiveRow;
using results::Figure;
using results::Record;

/// Throws where the figure has no such trace, so that the failure names it.
const json& trace_of(const Figure& figure, const std::string& name) {
    for (const json& trace : figure.traces) {
        if (trace.at("name") == name) return trace;
    }
    throw std::runtime_error("'" + figure.title + "' has no trace '" + name + "'");
}

void expect_values(const json& trace, const char* member, const std::vector<double>& expected) {
    const auto values = trace.at(member).get<std::vector<double>>();
    ASSERT_EQ(values.size(), expected.size()) << trace.at("name") << ", " << member;
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_NEAR(values[i], expected[i], 1e-12 * expected[i])
            << trace.at("name") << ", " << member << " of point " << i;
    }
}

TEST(ReportFigures, BandwidthsOfSweepsAndTheirIntervalsAndPredictions) {
    const auto sources = as_sources({written_collectives()});
    const auto section = results::collectives_section(sources);
    const Figure& figure = section->figures.at(0);
    EXPECT_EQ(figure.title, "All-gather on 3 ranks: bus bandwidth");
    EXPECT_EQ(figure.layout.at("y").at("title"), "Bus bandwidth");
    const json& measured = trace_of(figure, "auto");
    expect_values(measured, "x", {4.0, 1048576.0});
    expect_values(measured, "y", {2.8e-4, 0.777});
    // The longest time is the least bandwidth.
    expect_values(measured, "low", {2.8e-4 * 12.5 / 13.4, 0.777 * 0.90 / 0.97});
    expect_values(measured, "high", {2.8e-4 * 12.5 / 12.0, 0.777 * 0.90 / 0.85});
    // Predicted in 5 of 12.5 us: 2.5 times the bandwidth; in 3.6 for 0.9 ms: a quarter.
    const json& predicted = trace_of(figure, "auto, model (dashed)");
    expect_values(predicted, "y", {2.8e-4 * 2.5, 0.777 / 4.0});
    EXPECT_TRUE(predicted.at("dashed"));
}

TEST(ReportFigures, TimesOfSweepsAndTheirIntervalsAndPredictions) {
    const auto sources = as_sources({written_collectives()});
    const auto section = results::collectives_section(sources);
    const Figure& figure = section->figures.at(1);
    EXPECT_EQ(figure.layout.at("y").at("title"), "Time");
    const json& measured = trace_of(figure, "auto");
    expect_values(measured, "y", {12.5e-6, 0.9e-3});
    expect_values(measured, "low", {12e-6, 0.85e-3});
    expect_values(measured, "high", {13.4e-6, 0.97e-3});
    expect_values(trace_of(figure, "auto, model (dashed)"), "y", {5e-6, 3.6e-3});
    EXPECT_THROW(trace_of(figure, "mpi, model (dashed)"), std::runtime_error);
}

TEST(ReportFigures, WhatWasMeasuredBeforeIsCalledSoAndIsNoPrediction) {
    Record record = written_collectives();
    std::swap(numbers_of(record, "collectives", "predicted_s"),
              numbers_of(record, "collectives", "measured_before_s"));
    const auto section = results::collectives_section(as_sources({record}));
    const Figure& figure = section->figures.at(1);
    expect_values(trace_of(figure, "auto, measured before (dashed)"), "y", {5e-6, 3.6e-3});
    EXPECT_THROW(trace_of(figure, "auto, model (dashed)"), std::runtime_error);
    EXPECT_EQ(
        section->findings.back().sentence,
        "All-gather on 3 ranks: the earlier measurement by which `auto` chose is off by a factor "
        "of 3.25 in the median of 2 choices, and of 4.00 at worst.");
    EXPECT_NE(section->body.find("data-column=\"measured_before_s\""), std::string::npos);
    EXPECT_EQ(section->body.find("data-column=\"predicted_s\""), std::string::npos);
}

TEST(ReportFigures, OfManyAlgorithmsAutoTheLibrarysAndTheQuickestAreDrawn) {
    std::vector<CollectiveRow> points;
    const auto add = [&](const std::string& algorithm, double size_bytes, double time_s) {
        CollectiveRow& row = points.emplace_back();
        row.operation = "all_reduce";
        row.algorithm = algorithm;
        row.in_place = 1.0;
        row.ranks = 2.0;
        row.size_bytes = size_bytes;
        row.time_s = row.time_low_s = row.time_high_s = time_s;
        row.busbw_gb_s = size_bytes / time_s * 1e-9;
    };
    for (const double size : {8.0, 64.0, 512.0}) {
        for (int i = 0; i < 20; ++i) add(fmt::format("a{:02}", i), size, (30.0 - i) * 1e-6);
        add("mpi", size, 50e-6);
        add("auto", size, 40e-6);
    }
    points[0].time_s = 1e-6;  // a00 is slow but at 8 B, where it is the quickest
    Record record = written_record("collectives", "left", 2);
    record.derived = {results::table_of(points)};
    const auto section = results::collectives_section(as_sources({record}));
    for (const Figure& figure : section->figures) {
        std::vector<std::string> drawn;
        for (const json& trace : figure.traces) drawn.push_back(trace.at("name"));
        EXPECT_EQ(drawn, (std::vector<std::string>{"a00", "a15", "a16", "a17", "a18", "a19", "mpi",
                                                   "auto"}))
            << figure.title;
        EXPECT_NE(figure.title.find(", 8 of 22 algorithms"), std::string::npos) << figure.title;
    }
    for (int i = 0; i < 20; ++i) {  // the table has all
        EXPECT_NE(section->body.find(fmt::format("<td>a{:02}</td>", i)), std::string::npos) << i;
    }
}

TEST(ReportFigures, MemoryIsInTheUnitOfItsAxis) {
    const auto section = results::memory_section(as_sources({written_training({})}));
    const Figure& figure = section->figures.at(0);
    EXPECT_EQ(figure.layout.at("y").at("title"), "Memory (MiB)");
    expect_values(trace_of(figure, "weights"), "y", {3.0});  // 3 145 728 bytes
    EXPECT_EQ(trace_of(figure, "weights").at("notes").at(0), "weights: 3 MiB, formula 2 MiB");
}

TEST(ReportFigures, SharesOfTheTimeAddUp) {
    const auto section = results::time_split_section(as_sources({written_training({})}));
    const Figure& figure = section->figures.at(0);
    EXPECT_EQ(figure.layout.at("y").at("title"), "Share (%)");
    expect_values(trace_of(figure, "compute"), "y", {60.0});
    expect_values(trace_of(figure, "exposed communication"), "y", {30.0});
    expect_values(trace_of(figure, "data"), "y", {2.5});
    expect_values(trace_of(figure, "optimizer"), "y", {7.5});
    EXPECT_EQ(trace_of(figure, "data").at("notes").at(0), "data: 2.50 %, 250 ms");
}

TEST(ReportFigures, TheRoofIsTheMemorysSlantAndTheHighestBound) {
    Record record = written_kernels(0.8);
    numbers_of(record, "kernels", "bandwidth_gb_s") = {13.0, 40.0};  // matmul's is a cache's
    const auto section = results::roofline_section(as_sources({record}));
    const json& roof = trace_of(section->figures.at(0), "measured roofline");
    // From half the least intensity, along 13 GB/s, to the bound of 175 GFLOP/s, and past it.
    expect_values(roof, "x", {0.375 / 2.0, 175.0 / 13.0, 64.0});
    expect_values(roof, "y", {13.0 * 0.375 / 2.0, 175.0, 175.0});
    const json& kernel = trace_of(section->figures.at(0), "matmul");
    expect_values(kernel, "x", {32.0});
    expect_values(kernel, "y", {140.0});
}

TEST(ReportFigures, ThroughputHasItsIntervalAndAnIdealPerCore) {
    auto base = written_training({});
    auto run = written_training({.plan = "dp=4", .ranks = 4, .tokens_per_s = 1600.0});
    numbers_of(run, "summary", "tokens_per_s_low")[0] = 1500.0;
    numbers_of(run, "summary", "tokens_per_s_high")[0] = 1750.0;
    const auto section = results::training_section(as_sources({base, run}));
    const json& measured = trace_of(section->figures.at(0), "nano, fp32");
    expect_values(measured, "x", {1.0, 4.0});
    expect_values(measured, "y", {1000.0, 1600.0});
    expect_values(measured, "low", {1000.0, 1500.0});  // the base has the middle half of its steps
    expect_values(measured, "high", {1000.0, 1750.0});
    // Four ranks have two cores: twice as much is all that they could do, and they do 80 % of it.
    expect_values(trace_of(section->figures.at(0), "nano, fp32, ideal"), "y", {1000.0, 2000.0});
    EXPECT_EQ(section->figures.at(1).layout.at("y").at("title"), "Efficiency per core in use (%)");
    expect_values(trace_of(section->figures.at(1), "nano, fp32"), "y", {80.0});
    EXPECT_EQ(section->findings.at(1).sentence,
              "From 1 rank to 4 ranks, training 'nano, fp32' keeps 80.0 % of its throughput per "
              "core in use; 4 ranks share 2 cores.");
    EXPECT_EQ(section->tiles.at(0).label, "training 'nano, fp32', dp=4; 4 ranks share 2 cores");
    EXPECT_NE(section->body.find("<td>nano, fp32, dp=4</td><td class=\"number\">4</td><td "
                                 "class=\"number\">2</td><td class=\"number\">1 600</td>"),
              std::string::npos)
        << section->body;
}

// Its ranks sleep, and count by the wall clock: zero is not what was measured.
TEST(ReportFigures, APacedTrainingDoesNotClaimThatNothingWasPreempted) {
    auto run = written_training({.plan = "dp=2", .ranks = 2});
    numbers_of(run, "summary", "preempted_s") = {0.0};
    const auto claims = [](const Record& record) {
        const auto section = results::time_split_section(as_sources({record}));
        return std::pair(section->findings.at(0).sentence.find("0 % preempted") < std::string::npos,
                         section->body.find(">0.000 us<") < std::string::npos);
    };
    EXPECT_EQ(claims(run), std::pair(true, true)) << "where it was measured";
    run.configuration["pace_gflop_per_s"] = 20.0;
    EXPECT_EQ(claims(run), std::pair(false, false));
}

// Nothing was learned, and a device that only takes time has no peak.
TEST(ReportFigures, APacedTrainingHasNoColumnsOfLosses) {
    auto run = written_training({.plan = "dp=2", .ranks = 2});
    const auto has = [&](const char* heading) {
        const auto section = results::training_section(as_sources({run}));
        return section->body.substr(0, section->body.find("</table>")).find(heading) !=
               std::string::npos;
    };
    for (const char* heading : {">MFU<", ">Final loss<", ">Validation loss<"}) {
        EXPECT_TRUE(has(heading)) << heading;
    }
    run.configuration["pace_gflop_per_s"] = 20.0;
    for (const char* column : {"mfu", "final_loss", "validation_loss"}) {
        numbers_of(run, "summary", column) = {NAN};
    }
    for (const char* heading : {">MFU<", ">Final loss<", ">Validation loss<", ">-<"}) {
        EXPECT_FALSE(has(heading)) << heading;
    }
    EXPECT_TRUE(has(">Tokens/s<"));
}

// Each of four ranks has a device, though they share two cores.
TEST(ReportFigures, EfficiencyOfPacedTrainingsIsPerDevice) {
    auto base = written_training({});
    auto run = written_training({.plan = "dp=4", .ranks = 4, .tokens_per_s = 1600.0});
    const auto paced = [](Record record) {
        record.configuration["pace_gflop_per_s"] = 20.0;
        record.configuration["pace_memory_gb_per_s"] = 5.0;
        return record;
    };
    const auto section = results::training_section(as_sources({paced(base), paced(run)}));
    const std::string name = "nano, fp32, paced 20 GFLOP/s, 5 GB/s";
    EXPECT_EQ(section->figures.at(1).layout.at("y").at("title"), "Efficiency per paced device (%)");
    expect_values(trace_of(section->figures.at(1), name), "y", {40.0});
    EXPECT_EQ(section->findings.at(1).sentence,
              "From 1 rank to 4 ranks, training '" + name +
                  "' keeps 40.0 % of its throughput per paced device; 4 ranks share 2 cores.");
    EXPECT_NE(section->body.find(">Paced devices</th>"), std::string::npos) << section->body;
    EXPECT_EQ(section->body.find(">Cores in use<"), std::string::npos) << section->body;
    numbers_of(run, "summary", "disturbed")[0] = 1.0;
    EXPECT_EQ(results::training_section(as_sources({paced(base), paced(run)}))
                  ->findings.at(1)
                  .sentence.find("From 1 rank to 4 ranks, the share of its throughput per paced "
                                 "device that training '"),
              0U);
    // Beside one that computes; the figure of efficiencies has only the curve of the paced one.
    const auto both = results::training_section(as_sources({base, paced(base), paced(run)}));
    EXPECT_NE(both->body.find(">Cores in use or paced devices</th>"), std::string::npos);
    EXPECT_EQ(both->figures.at(1).layout.at("y").at("title"), "Efficiency per paced device (%)");
}

TEST(ReportFigures, EqualCurvesLieInLayersTheThinnerOnTop) {
    const auto section = results::loss_section(
        as_sources({written_training({}), written_training({.plan = "dp=4", .ranks = 4})}));
    for (const Figure& figure : section->figures) {
        ASSERT_GE(figure.traces.size(), 2U) << figure.title;
        EXPECT_GT(figure.traces[0].at("width"), figure.traces[1].at("width")) << figure.title;
        EXPECT_LT(figure.traces[0].at("layer"), figure.traces[1].at("layer")) << figure.title;
    }
}

TEST(ReportFigures, UtilisationOfPipelinesIsInPercentWithItsInterval) {
    const auto section = results::pipeline_section(as_sources({written_pipeline()}));
    const json& measured = trace_of(section->figures.at(0), "1f1b");
    expect_values(measured, "x", {8.0});
    expect_values(measured, "y", {80.0});
    expect_values(measured, "low", {79.0});
    expect_values(measured, "high", {81.5});
    expect_values(trace_of(section->figures.at(0), "1f1b, formula (dashed)"), "y", {88.0});
}

/// Each column by values that no other has.
TEST(ReportFigures, ShowHowExpertsAreUsed) {
    Record record = written_training({});
    record.derived.push_back(results::table_of(
        std::vector<results::RouterRow>{{1.0, 1.5, 7.0, 0.25}, {2.0, 1.125, 6.0, 0.125}}));
    const auto section = results::loss_section(as_sources({record}));
    ASSERT_EQ(section->figures.size(), 4U);
    expect_values(trace_of(section->figures.at(2), "nano, fp32, dp=1"), "x", {1.0, 2.0});
    expect_values(trace_of(section->figures.at(2), "nano, fp32, dp=1"), "y", {1.5, 1.125});
    expect_values(trace_of(section->figures.at(3), "nano, fp32, dp=1"), "y", {0.25, 0.125});
    const auto sentences = sentences_of(section);
    EXPECT_NE(std::ranges::find(
                  sentences,
                  "In the last step of training 'nano, fp32, dp=1', 12.5 % of the expert choices "
                  "are dropped; the balance loss is 1.125 (1 if all experts are used equally)."),
              sentences.end());
}

}  // namespace
}  // namespace shardstone::validation
