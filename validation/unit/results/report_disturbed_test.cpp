// SPDX-License-Identifier: BSD-3-Clause
// What the report says of rows that were measured on a busy machine, and of runs that do not
// compare, word by word.
#include <gtest/gtest.h>

#include <algorithm>

#include "results/report/section.hpp"
#include "results/schema/collectives.hpp"
#include "results/schema/machine.hpp"
#include "results/schema/studies.hpp"
#include "results/schema/training.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using results::Record;
using results::Section;

void disturb(Record& record, const std::string& table, std::size_t row) {
    auto& disturbed = numbers_of(record, table, "disturbed");
    for (auto& one : disturbed) one = one > 0.0 ? 1.0 : 0.0;
    disturbed.at(row) = 1.0;
}

bool holds(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

const std::string mark = " (disturbed: the machine was busy with other work)";
const std::string turns = "; 3 ranks share 2 cores.";

TEST(ReportDisturbed, CollectivesAreNotHeldAgainstEachOtherWhereOneSideWasDisturbed) {
    auto record = written_collectives();
    disturb(record, "collectives", 4);  // MPI's own at 1 MiB, where `auto` is slower
    const auto section = results::collectives_section(as_sources({record}));
    ASSERT_TRUE(section);
    EXPECT_EQ(section->findings[1].sentence,
              "All-gather on 3 ranks, 1 MiB: `auto` takes 900 us (95 % interval 850 us to 970 "
              "us), a bus bandwidth of 777 MB/s; MPI's own with UCX_TLS=posix,self takes 600 us "
              "(95 % interval 580 us to 640 us)" +
                  mark + ": undecided: the machine was busy" + turns);
    EXPECT_EQ(section->findings[2].sentence,
              "All-gather on 3 ranks: of 2 sizes, `auto` is faster than the library's own at 1, "
              "slower at 0, and indistinguishable at 0; at 1 undecided: the machine was busy; at "
              "its worst, 4 B, it takes 0.312 times the library's time" +
                  turns);
    EXPECT_EQ(section->findings[3].sentence,
              "All-gather on 3 ranks: the cost model is off by a factor of 3.25 in the median of 2 "
              "predictions, and of 4.00 at worst.");
    EXPECT_TRUE(holds(section->body, "<td>undecided: the machine was busy</td>"));
    EXPECT_TRUE(holds(section->body, "600 us !</td>"));
    EXPECT_FALSE(holds(section->body, "900 us !</td>"));
    EXPECT_TRUE(holds(section->body, "! disturbed: the machine was busy"));
    for (const auto& figure : {section->figures[0], section->figures[1]}) {
        EXPECT_TRUE(holds(figure.title, "(hollow: disturbed)")) << figure.title;
        std::ptrdiff_t hollow = 0;
        for (const auto& trace : figure.traces) {
            if (!trace.contains("hollow")) continue;
            EXPECT_EQ(trace["name"], "mpi");
            hollow += std::ranges::count(trace["hollow"].get<std::vector<bool>>(), true);
        }
        EXPECT_EQ(hollow, 1) << figure.title;
    }
    EXPECT_TRUE(holds(section->body, "3.20 times faster"));
    ASSERT_EQ(section->tiles.size(), 2U);  // both are of `auto`, which was not disturbed
}

TEST(ReportDisturbed, ADisturbedAutoHasNoTileAndItsPredictionDoesNotCount) {
    auto record = written_collectives();
    disturb(record, "collectives", 0);  // `auto` at 4 B, predicted a factor of 2.5 too short
    auto section = results::collectives_section(as_sources({record}));
    ASSERT_EQ(section->tiles.size(), 1U);
    EXPECT_EQ(section->tiles[0].value, "777 MB/s");
    EXPECT_EQ(section->findings[3].sentence,
              "All-gather on 3 ranks: the cost model is off by a factor of 4.00 in the median of 1 "
              "prediction, and of 4.00 at worst (1 disturbed point left out).");
    disturb(record, "collectives", 3);
    section = results::collectives_section(as_sources({record}));
    EXPECT_TRUE(section->tiles.empty());
    EXPECT_EQ(section->findings[2].sentence,
              "All-gather on 3 ranks: at all 2 sizes, `auto` or the library's own is undecided: "
              "the machine was busy" +
                  turns);
    EXPECT_EQ(section->findings[3].sentence,
              "All-gather on 3 ranks: the error of the cost model is undecided: the machine was "
              "busy (2 disturbed points left out).");
}

TEST(ReportDisturbed, ACostModelOfADisturbedCalibrationIsNotJudged) {
    auto record = written_collectives();
    results::CostParameterRow alpha;
    alpha.name = "alpha_intra_node_s";
    alpha.value = 1e-6;
    alpha.disturbed = 0.0;
    record.derived.push_back(results::table_of(std::vector{alpha, alpha}));
    EXPECT_TRUE(holds(results::collectives_section(as_sources({record}))->findings[3].sentence,
                      "the cost model is off by a factor of 3.25"));
    disturb(record, "cost_parameters", 1);
    const auto section = results::collectives_section(as_sources({record}));
    EXPECT_EQ(section->findings[3].sentence,
              "All-gather on 3 ranks: the error of the cost model is undecided: the machine was "
              "busy when it was calibrated.");
    EXPECT_TRUE(holds(section->body, "data-column=\"disturbed\"")) << section->body;
}

TEST(ReportDisturbed, ATrainingRunIsMarkedInSentencesAndTablesAndHasNoTile) {
    auto run = written_training({.plan = "dp=2", .ranks = 2, .tokens_per_s = 1500.0});
    numbers_of(run, "summary", "preempted_s")[0] = 2.5;
    disturb(run, "summary", 0);
    const auto sources = as_sources({written_training({}), run});
    const auto section = results::training_section(sources);
    EXPECT_EQ(
        sentences_of(section),
        (std::vector<std::string>{
            "Training 'nano, fp32' reaches up to 1 500 tokens/s, with dp=2 on 2 ranks (2 steps "
            "that "
            "count: 1 500 to 1 500; too few for an interval); MFU 25.0 % of the measured peak" +
                mark + ".",
            "From 1 rank to 2 ranks, the share of its throughput per core in use that training "
            "'nano, fp32' keeps is undecided: the machine was busy; measured: 75.0 %."}));
    EXPECT_TRUE(section->tiles.empty());
    EXPECT_TRUE(holds(section->body, "<td>-</td><td>a.h5</td>")) << section->body;
    EXPECT_TRUE(holds(section->body, "<td>yes</td><td>b.h5</td>"));
    const auto split = results::time_split_section(sources);
    EXPECT_EQ(sentences_of(split),
              (std::vector<std::string>{
                  "The training time of 'nano, fp32, dp=2' is 48.0 % compute, 24.0 % exposed "
                  "communication, 2.00 % data, 6.00 % optimizer and 20.0 % preempted" +
                  mark + "."}));
    EXPECT_TRUE(holds(split->body, "<td>yes</td><td>b.h5</td>"));
}

TEST(ReportDisturbed, AnUndisturbedRunOfTheSamePlanIsTheBest) {
    const auto quiet = written_training({.plan = "dp=2", .ranks = 2, .tokens_per_s = 1400.0});
    auto busy = written_training({.plan = "dp=2", .ranks = 2, .tokens_per_s = 1500.0});
    disturb(busy, "summary", 0);
    const auto section = results::training_section(as_sources({written_training({}), busy, quiet}));
    EXPECT_TRUE(holds(sentences_of(section).at(0), "reaches up to 1 400 tokens/s, with dp=2 on 2"));
    ASSERT_EQ(sentences_of(section).size(), 1U) << "efficiencies of repetitions are elsewhere";
    EXPECT_EQ(section->tiles.size(), 1U);
}

TEST(ReportDisturbed, PipelinesAreMarkedAndHeldAgainstTheFormulaWhereQuiet) {
    auto record = written_pipeline();
    disturb(record, "utilisation", 0);  // gpipe, a factor of 1.25 apart
    EXPECT_EQ(results::pipeline_section(as_sources({record}))->findings[0].sentence,
              "The pipeline computes for at most 80.0 % of its time (95 % interval 79.0 % to 81.5 "
              "%), with 1f1b and 8 micro-batches; measurement and formula are at most a factor of "
              "1.10 apart (1 disturbed point left out).");
    disturb(record, "utilisation", 1);
    EXPECT_EQ(
        results::pipeline_section(as_sources({record}))->findings[0].sentence,
        "The pipeline computes for at most 80.0 % of its time (95 % interval 79.0 % to 81.5 "
        "%), with 1f1b and 8 micro-batches" +
            mark +
            "; measurement and formula are undecided: the machine was busy (2 disturbed points "
            "left out).");
}

TEST(ReportDisturbed, ADisturbedKernelIsMarkedAndHasNoTile) {
    auto record = written_kernels(0.8);
    disturb(record, "kernels", 1);
    const auto section = results::roofline_section(as_sources({record}));
    EXPECT_TRUE(section->tiles.empty());
    EXPECT_EQ(section->findings[0].sentence,
              "The fastest kernel on one core, matmul, runs at 140 GFLOP/s, 80.0 % of its bound" +
                  mark +
                  "; half of all 2 kernel measurements reach between 57.5 % and 72.5 % of theirs "
                  "(1 of them disturbed).");
}

TEST(ReportDisturbed, OverlapIsToldInWordsAndMarked) {
    Record record = written_record("overlap", "left", 2);
    results::OverlapRow hidden{"overlapped_exposed_s", 4e-3, 3e-3, 4.5e-3};
    results::OverlapRow apart{"apart_exposed_s", 9e-3, 8e-3, 9.5e-3, 1.0};
    results::OverlapRow ratio{"exposed_ratio", 0.5, 0.25, 0.625, 0.0};
    results::OverlapRow step{"apart_step_s", 0.125, 0.12, 0.13, 0.0};
    record.derived = {results::table_of<results::OverlapRow>({hidden, apart, ratio, step})};
    EXPECT_EQ(sentences_of(results::overlap_section(as_sources({record}))),
              (std::vector<std::string>{
                  "Overlap on 2 ranks: the exposed communication of a step with overlap is 4.00 "
                  "ms in the median (95 % interval 3.00 ms to 4.50 ms).",
                  "Overlap on 2 ranks: the exposed communication of a step without overlap "
                  "is 9.00 ms in the median (95 % interval 8.00 ms to 9.50 ms)" +
                      mark + ".",
                  "Overlap on 2 ranks: the share of exposed communication that remains with "
                  "overlap is 0.500 "
                  "in the median (95 % interval 0.250 to 0.625)."}));
}

/// "75.0 %" of the sentence about two runs' efficiency; "" where there is none.
std::string kept(const Record& base, const Record& run) {
    const std::string before = "keeps ", after = " of its throughput";
    const auto section = results::training_section(as_sources({base, run}));
    for (const auto& finding : sentences_of(section)) {
        const auto from = finding.find(before);
        if (from == std::string::npos) continue;
        return finding.substr(from + before.size(), finding.find(after) - from - before.size());
    }
    return "";
}

TEST(ReportEfficiency, SlightlyAboveAllOfItIsWithinTheUncertaintyOfTheIntervals) {
    auto base = written_training({});
    auto run = written_training({.plan = "dp=2", .ranks = 2, .tokens_per_s = 2002.0});
    EXPECT_EQ(kept(base, run), "100.1 %, within the uncertainty");  // no intervals: 5 %
    const auto bound = [](Record& record, double low, double high) {
        numbers_of(record, "summary", "tokens_per_s_low")[0] = low;
        numbers_of(record, "summary", "tokens_per_s_high")[0] = high;
    };
    bound(base, 970.0, 1003.0);
    bound(run, 2000.0, 2100.0);
    EXPECT_EQ(kept(base, run), "100.1 %, within the uncertainty (99.7 to 108 %)");
    bound(base, 970.0, 1000.5);
    bound(run, 2001.5, 2100.0);
    EXPECT_EQ(kept(base, run), "error: 100.1 % of what is possible");
    const auto above = written_training({.plan = "dp=2", .ranks = 2, .tokens_per_s = 2110.0});
    EXPECT_EQ(kept(written_training({}), above), "error: 105.5 % of what is possible");
}

TEST(ReportEfficiency, RunsOfAnotherBatchOrOtherDataOrOnAnotherPeakAreNotCompared) {
    const auto base_settings = [](Record& record, int micro_batch) {
        record.configuration["global_batch"] = 16;
        record.configuration["micro_batch"] = micro_batch;
        record.configuration["steps"] = 20 + micro_batch;
        record.configuration["data"] = {{"source", "a"}, {"hash", "12ab"}};
    };
    auto base = written_training({});
    base_settings(base, 16);
    auto run = written_training({.plan = "dp=2", .ranks = 2, .tokens_per_s = 1500.0});
    base_settings(run, 8);
    run.configuration["data"]["source"] = "elsewhere/a";
    EXPECT_EQ(kept(base, run), "75.0 %");
    const nlohmann::json others{
        {"global_batch", 32}, {"micro_batch", 4}, {"sequence", 64}, {"data", {{"hash", "34cd"}}}};
    for (const auto& [key, value] : others.items()) {
        auto unlike = run;
        unlike.configuration[key] = value;
        EXPECT_EQ(kept(base, unlike), "") << key;
    }
    numbers_of(base, "summary", "core_peak_flop_per_s")[0] = 50e9;
    numbers_of(run, "summary", "core_peak_flop_per_s")[0] = 54e9;
    EXPECT_EQ(kept(base, run), "75.0 %");
    numbers_of(run, "summary", "core_peak_flop_per_s")[0] = 45e9;
    EXPECT_EQ(kept(base, run), "");
}

}  // namespace
}  // namespace shardstone::validation
