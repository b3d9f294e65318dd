// SPDX-License-Identifier: BSD-3-Clause
// What may be said of a scaling curve: no verdict from disturbed points or too wide an interval.
#include <gtest/gtest.h>

#include "results/report/scaling_findings.hpp"
#include "results/report/scaling_fit.hpp"
#include "results/report/scaling_rows.hpp"
#include "results/report/section.hpp"
#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/results/scaling/scaled_runs.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

const std::vector<ScaledRun> by_amdahl{{1, 1000.0, 100.0}, {2, 1900.0, 200.0}, {4, 3400.0, 400.0}};

/// The sentences on the first curve.
std::vector<std::string> findings_of(const std::vector<Record>& records) {
    const auto sources = as_sources(records);
    return scaling_findings(scaling_curves(sources).at(0));
}

std::vector<ScalingFitRow> fits_in(const std::vector<Record>& records) {
    const auto sources = as_sources(records);
    return scaling_tables(scaling_curves(sources)).fits;
}

void expect_end(const std::string& sentence, const std::string& end) {
    EXPECT_TRUE(sentence.ends_with(end)) << sentence;
}

/// The same runs, those on `ranks` disturbed.
std::vector<ScaledRun> disturbed_on(int ranks, std::vector<ScaledRun> runs) {
    for (ScaledRun& run : runs) run.disturbed = run.ranks == ranks;
    return runs;
}

TEST(ScalingVerdicts, OfAFitNeedAnInterval) {
    const auto& runs = by_amdahl;
    const auto finding = [](const std::vector<Record>& records) {
        return findings_of(records).at(1);
    };
    const std::string single =
        finding({written_run(runs[0]), written_run(runs[1]), written_run(runs[2])});
    EXPECT_NE(single.find("predicts 3 455 tokens/s on 4 ranks, measured are 3 400 tokens/s (single "
                          "runs: no interval)."),
              std::string::npos)
        << single;
    EXPECT_EQ(single.find("lie"), std::string::npos) << single;
    EXPECT_NE(finding(written_twice(runs, 0.01)).find("3 400 tokens/s, which lies in it."),
              std::string::npos);
    EXPECT_NE(finding(written_twice(runs, 0.0005)).find("which does not lie in it."),
              std::string::npos);
}

/// An undisturbed curve beside one of the same rates: the numbers stay, the words change.
TEST(ScalingVerdicts, AreNotDrawnFromADisturbedPoint) {
    for (const double d : {0.01, 0.0005}) {
        const auto judged = fits_in(written_twice(by_amdahl, d)).at(0);
        EXPECT_EQ(judged.verdict, d == 0.01 ? "held" : "missed");
        for (const int ranks : {1, 2, 4}) {
            const auto records = written_twice(disturbed_on(ranks, by_amdahl), d);
            const auto row = fits_in(records).at(0);
            EXPECT_EQ(row.verdict, "cannot be judged: disturbed") << ranks;
            EXPECT_EQ(row.holds, judged.holds);
            EXPECT_EQ(row.tokens_per_s_low, judged.tokens_per_s_low);
            const auto findings = findings_of(records);
            ASSERT_EQ(findings.size(), 1U) << "one that names it all";
            expect_end(findings[0],
                       " From disturbed points no verdict is drawn on what a model predicts from "
                       "fewer ranks; the report's tables have the figures.");
            EXPECT_EQ(findings[0].find("which cannot be judged: disturbed") != std::string::npos,
                      ranks != 2)
                << "the efficiency is of 1 and 4 ranks";
            const auto sources = as_sources(records);
            EXPECT_NE(scaling_section(sources)->body.find("cannot be judged: disturbed"),
                      std::string::npos);
        }
    }
}

/// e^2 times as fast and as slow: in t's interval of two runs a factor of more than 10.
TEST(ScalingVerdicts, HaveNoNumbersForIntervalsThatSayNothing) {
    for (const double d : {0.01, 2.0}) {
        const auto records = written_twice(by_amdahl, d);
        const auto sources = as_sources(records);
        const std::string body = scaling_section(sources)->body;
        EXPECT_EQ(body.find("wider than a factor of 10") != std::string::npos, d == 2.0);
        for (const std::string& finding : findings_of(records)) {
            EXPECT_EQ(finding.find("95 % interval wider than a factor of 10") != std::string::npos,
                      d == 2.0)
                << finding;
        }
    }
}

TEST(ScalingVerdicts, AreDrawnWhereADisturbedRunIsOneBesideOthers) {
    auto records = written_twice(by_amdahl, 0.01);
    ScaledRun disturbed{2, 100.0, 200.0};
    disturbed.disturbed = true;
    records.push_back(written_run(disturbed));
    EXPECT_EQ(fits_in(records).at(0).verdict, "held");
}

// Half of the interval is 10.7552 d (scaling_fit_test): a factor of 2 at d = log 2 / 21.5104.
TEST(ScalingVerdicts, AreNotDrawnFromAnIntervalOfMoreThanAFactorOfTwo) {
    EXPECT_EQ(fits_in(written_twice(by_amdahl, 0.0322)).at(0).verdict, "held");
    const auto wide = written_twice(by_amdahl, 0.0323);
    EXPECT_EQ(fits_in(wide).at(0).verdict, "cannot be judged: too wide");
    EXPECT_EQ(fits_in(wide).at(0).holds, 1.0);
    expect_end(findings_of(wide).at(1), "which cannot be judged: too wide.");
    auto missed = by_amdahl;
    missed.back().tokens_per_s = 500.0;
    EXPECT_EQ(fits_in(written_twice(missed, 0.0323)).at(0).verdict, "missed");
}

TEST(ScalingVerdicts, OfAnEfficiencyAboveOneAreNotDrawnFromDisturbedPoints) {
    const std::vector<ScaledRun> runs{{1, 1000.0, 100.0, {{"useful passes", {0.1, 0.1}}}},
                                      {2, 2500.0, 200.0, {{"useful passes", {0.08, 0.1}}}}};
    EXPECT_NE(findings_of(written_twice(runs, 0.001)).at(0).find("superlinear"), std::string::npos);
    for (const int ranks : {1, 2}) {
        const auto text = findings_of(written_twice(disturbed_on(ranks, runs), 0.001)).at(0);
        EXPECT_EQ(text.find("superlinear"), std::string::npos) << text;
        EXPECT_NE(text.find("125 % (95 % interval 124 % to 126 %), which cannot be judged: "
                            "disturbed"),
                  std::string::npos)
            << text;
    }
}

/// Of steps of 0.1 s that were predicted to take so long.
Record predicted_run(int ranks, double predicted_s, const std::string& source) {
    auto record = written_run(
        {ranks, 1000.0 * ranks, 100.0 * ranks, {{"useful passes", {0.1, predicted_s}}}});
    record.configuration["prediction"] = {{"cluster", "hall"}, {"source", source}};
    return record;
}

TEST(ScalingVerdicts, SayWhatWasPredictedFromWhat) {
    const auto of_second_run = [](double predicted_s) {
        std::string all;
        for (const auto& finding : findings_of({predicted_run(1, 0.1, "a data sheet"),
                                                predicted_run(2, 0.1, "a data sheet"),
                                                predicted_run(2, predicted_s, "a guess")})) {
            all += finding + "\n";
        }
        return all;
    };
    EXPECT_NE(of_second_run(0.1).find(
                  "predicted from links of hall (a data sheet) and hall (a guess), with "
                  "a core of its own for each rank, at the rates measured in its run"),
              std::string::npos);
    EXPECT_EQ(of_second_run(0.109).find("different descriptions"), std::string::npos);
    EXPECT_NE(of_second_run(0.12).find("on 2 ranks its runs were predicted from different "
                                       "descriptions or rates, to take 100 ms to 120 ms"),
              std::string::npos)
        << of_second_run(0.12);
}

TEST(ScalingVerdicts, NameTheSingleRunThatLeavesNoInterval) {
    auto records = written_twice({{1, 1000.0, 100.0}, {2, 1600.0, 200.0}}, 0.01);
    records.push_back(written_run({4, 3000.0, 400.0}));
    EXPECT_NE(findings_of(records).at(0).find(
                  "75.0 % (no interval: a single run on 4 ranks); 4 ranks share 2 cores."),
              std::string::npos)
        << findings_of(records)[0];
    ScaledRun disturbed{4, 100.0, 400.0};
    disturbed.disturbed = true;
    records.insert(records.end(), 2, written_run(disturbed));
    EXPECT_NE(
        findings_of(records).at(0).find("75.0 % (no interval: a single run on 4 ranks counts, 2 "
                                        "others were disturbed); 4 ranks share 2 cores."),
        std::string::npos)
        << findings_of(records)[0];
}

/// Two changes of a step of 0.125 s on 2 ranks, to 0.1 s and to 0.05 s.
Record with_changes(ScaledRun run) {
    Record record = written_run(run);
    const std::vector<ChangedStepRow> changes{{"perfect overlap", "", 0.1, 0.1},
                                              {"another all-reduce", "mpi", 0.05, 0.05}};
    record.derived.push_back(table_of(changes));
    return record;
}

TEST(ScalingVerdicts, OfReplaysAreMarked) {
    ScaledRun run{2, 1600.0, 200.0, {{"input", {0.125, 0.1}}}};
    const auto base = written_run({1, 1000.0, 100.0, {{"input", {0.1, 0.1}}}});
    for (const bool disturbed : {false, true}) {
        run.disturbed = disturbed;
        const std::vector<Record> records{base, with_changes(run)};
        const auto findings = findings_of(records);
        ASSERT_EQ(findings.size(), disturbed ? 1U : 4U) << "of two models, too";
        expect_end(findings.at(disturbed ? 0 : 1),
                   disturbed ? "cannot be judged: disturbed; of the steps that were split 20.0 % "
                               "input are beyond the base's at equal work. From disturbed points "
                               "no verdict is drawn on what replays would make of the rate and "
                               "what 2 models predict from fewer ranks; the report's tables have "
                               "the figures."
                             : "the rate on 2 ranks would be 1.25 times with perfect overlap and "
                               "2.50 times with another all-reduce (mpi).");
        const auto sources = as_sources(records);
        const auto changes = scaling_tables(scaling_curves(sources)).changes;
        ASSERT_EQ(changes.size(), 2U);
        EXPECT_DOUBLE_EQ(changes[1].ratio, 2.5);
        EXPECT_EQ(changes[1].disturbed, disturbed ? 1.0 : 0.0);
        const std::string body = scaling_section(sources)->body;
        EXPECT_EQ(body.find("! disturbed") != std::string::npos, disturbed);
        EXPECT_EQ(body.find("4 000 !") != std::string::npos, disturbed);
    }
}

}  // namespace
}  // namespace shardstone::validation
