// SPDX-License-Identifier: BSD-3-Clause
// Records of validations whose verdict was edited: samples that no run could have measured, and
// tables that are missing, do not keep them from being found.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "results/bundle/archive.hpp"
#include "results/bundle/contents.hpp"
#include "results/bundle/judge.hpp"
#include "results/format/hdf5_format.hpp"
#include "results/recompute/recompute.hpp"
#include "results/record/incomplete.hpp"
#include "results/schema/simulated_trials.hpp"
#include "validation/interconnect/findings.hpp"
#include "validation/interconnect/interconnect_record.hpp"
#include "validation/interconnect/trial_grid.hpp"
#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/validation/interconnect/findings/recorded_samples.hpp"
#include "validation/unit/validation/interconnect/soak/planted_soak.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

/// What `shardstone verify` says of records in a bundle.
std::vector<std::string> complaints_about_all(const std::map<std::string, Record>& records) {
    BundleContents contents;
    for (const auto& [name, record] : records) {
        const std::string bytes = to_hdf5_bytes(record);
        contents.records.push_back({name, bytes, record_from_bytes(bytes, name)});
    }
    contents.maker = own_maker();
    return judge_bundle(to_zip(bundle_files(contents)), "i.zip", [](const std::string&) {}).wrong;
}

std::vector<std::string> complaints_about(const Record& record) {
    return complaints_about_all({{"i", record}});
}

bool says(const std::vector<std::string>& lines, const std::string& words) {
    return std::ranges::any_of(
        lines, [&](const std::string& line) { return line.find(words) != std::string::npos; });
}

/// Of a cluster that fails, with the verdict of one that passes.
Record called_healthy() {
    auto samples = planted_samples();
    samples.gpu_readings.push_back({3.0, 1.0, 10.0, 300.0, 1980.0, 60.0, ""});
    slow_down_sender(samples, 2, 1.0 / 0.7);
    Record record = recorded(samples);
    column_of(record, "interconnect_verdict", "verdict").texts[0] = "pass";
    column_of(record, "interconnect_verdict", "reasons").texts[0] = "";
    remove_table(record, "suspects");
    return record;
}

TEST(ForgedSamples, SoundRecordsAreGood) {
    auto samples = planted_samples();
    for (const double factor : {1.0, 2.0}) {
        slow_down_sender(samples, 2, factor);
        const Record record = recorded(samples);
        EXPECT_EQ(complaints_about(record), std::vector<std::string>{});
        EXPECT_GT(recompute(record).figures, 100u);
    }
}

// Which told a bound below zero of a rate that has none.
TEST(ForgedSamples, RecordsOfEarlierVersionsAreGood) {
    auto samples = planted_samples();
    for (auto& row : samples.pairs) {
        if (row.size_bytes > 8.0 && row.sender < 1.0) row.time_s = 1e-9;
    }
    Record record = recorded(samples);
    double& high = column_of(record, "paths", "rate_high_gb_s").numbers.at(0);
    ASSERT_TRUE(std::isnan(high));
    EXPECT_EQ(complaints_about(record), std::vector<std::string>{});
    high = -0.0036;
    EXPECT_EQ(complaints_about(record), std::vector<std::string>{});
    high = 0.0036;
    EXPECT_TRUE(says(complaints_about(record), "rate_high_gb_s: 0.0036, but its samples give nan"));
}

TEST(ForgedSamples, AnotherVerdictIsFound) {
    EXPECT_TRUE(says(complaints_about(called_healthy()),
                     "records/i.h5: table interconnect_verdict, row 0 (number 1), verdict: 'pass', "
                     "but its samples give 'fail'"));
}

TEST(ForgedSamples, AnImpossibleTimeIsFoundWithItsPlace) {
    for (const double time_s : {-1.0, 0.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
        Record record = called_healthy();
        column_of(record, "pair_samples", "time_s").numbers[5] = time_s;
        EXPECT_TRUE(says(complaints_about(record),
                         fmt::format("records/i.h5: table pair_samples, row 5 (number 6), time_s: "
                                     "{}, but it must be a finite number above 0",
                                     time_s)))
            << time_s;
    }
}

TEST(ForgedSamples, ARankThatIsNoneIsFoundWithItsPlace) {
    for (const double rank : {99.0, 4.0, -1.0, 1.5}) {
        Record record = called_healthy();
        column_of(record, "pair_samples", "sender").numbers[7] = rank;
        EXPECT_TRUE(says(complaints_about(record),
                         fmt::format("table pair_samples, row 7 (number 8), sender: {}, but it "
                                     "must be a whole number from 0 to below 4",
                                     rank)))
            << rank;
    }
}

TEST(ForgedSamples, EveryTestOfRanksAndPlaceIsLookedAt) {
    for (const auto& [table, column, number] : {std::tuple("rank_samples", "time_s", 0.0),
                                                {"rank_samples", "rank", 9.0},
                                                {"rank_samples", "turn", 0.5},
                                                {"pair_samples", "size_bytes", std::nan("")},
                                                {"pair_samples", "pass", 1e18},
                                                {"gpu_readings", "rank", 4.0},
                                                {"rank_places", "node", 1e9},
                                                {"rank_places", "rank", 3.0}}) {
        Record record = called_healthy();
        column_of(record, table, column).numbers[0] = number;
        EXPECT_TRUE(says(complaints_about(record), fmt::format("table {}, row 0", table)))
            << table << ", " << column;
    }
}

TEST(ForgedSamples, AFigureThatIsNoNumberIsFound) {
    auto samples = planted_samples();
    slow_down_sender(samples, 2, 1.0 / 0.7);
    for (const auto& [table, column] : {std::pair("pairs", "rate_gb_s"),
                                        {"pairs", "time_low_s"},
                                        {"suspects", "log10_odds"},
                                        {"rank_tests", "factor"}}) {
        Record record = recorded(samples);
        column_of(record, table, column).numbers[0] = not_measured;
        EXPECT_TRUE(says(complaints_about(record), fmt::format("table {}, row 0 (number 1), {}: "
                                                               "nan, but its samples give ",
                                                               table, column)));
    }
}

TEST(ForgedSamples, AMissingTableIsFound) {
    auto samples = planted_samples();
    slow_down_sender(samples, 2, 1.0 / 0.7);
    for (const char* table : {"interconnect_verdict", "suspects", "pairs"}) {
        Record record = recorded(samples);
        remove_table(record, table);
        EXPECT_TRUE(says(complaints_about(record), fmt::format("table {}, row 0 (all), rows: 0, "
                                                               "but its samples give ",
                                                               table)))
            << table;
    }
    Record record = recorded(samples);
    remove_table(record, "rank_places");
    EXPECT_TRUE(says(complaints_about(record), "table pair_samples, row 0"));
}

TEST(ForgedSamples, AnInventedTableIsFound) {
    const Record healthy = recorded(planted_samples());
    AcceptanceRow kept;
    kept.verdict = "pass";
    SuspectRow suspect;
    suspect.part = "NIC 0 of node 2, outgoing";
    for (const Table& table :
         {table_of(std::vector{kept}), table_of(std::vector{suspect}),
          table_of(std::vector{ClockRow{}}), table_of(std::vector{EpisodeRow{}})}) {
        Record record = healthy;
        record.derived.push_back(table);
        const auto wrong = recompute(record).wrong;
        ASSERT_EQ(wrong.size(), 1u) << table.name;
        EXPECT_EQ(in_words(wrong[0]), fmt::format("table {}, row 0 (all), rows: 1, but its samples "
                                                  "give 0",
                                                  table.name));
    }
}

/// Its journal holds samples only.
TEST(ForgedSamples, ARunThatWasKilledNeedsNoFindings) {
    Record record = recorded(planted_samples());
    record.derived.clear();
    EXPECT_FALSE(recompute(record).wrong.empty());
    record.verification.push_back(incomplete_check("20 samples were taken"));
    EXPECT_TRUE(recompute(record).wrong.empty());
}

/// A hundred trials with a fault each.
Record self_tested() {
    TrialRow trial{"nic-out", 0.8, 3.0, 100.0, 100.0, 90.0, 80.0, 80.0, 5.0, 12.0};
    const std::vector<TrialRow> trials{trial, trial};
    Record record = written_record("simulated_trials", "cn0", 1);
    record.samples = {table_of(trials)};
    record.derived = {table_of(detection_rows(trials))};
    return record;
}

TEST(ForgedSamples, MoreDetectedThanTrialsIsFoundAndOtherRecordsAreJudged) {
    EXPECT_EQ(complaints_about_all({{"a.simulated", self_tested()}}), std::vector<std::string>{});
    Record trials = self_tested();
    column_of(trials, "simulated_trials", "detected").numbers[1] = 101.0;
    const auto wrong = complaints_about_all({{"a", trials}, {"i", called_healthy()}});
    EXPECT_TRUE(says(wrong,
                     "records/a.h5: table simulated_trials, row 1 (number 2), detected: "
                     "101, but it must be at most its 'faults', 100"));
    EXPECT_TRUE(says(wrong, "records/i.h5: table interconnect_verdict"));
}

TEST(ForgedSamples, CountsOfTrialsAreLookedAt) {
    for (const auto& [column, number] : {std::pair("localised", 100.5),
                                         {"false_alarms", 101.0},
                                         {"all_right", -1.0},
                                         {"trials", std::nan("")},
                                         {"faults", -1.0},
                                         {"rate", 0.0}}) {
        Record record = self_tested();
        column_of(record, "simulated_trials", column).numbers[0] = number;
        EXPECT_TRUE(says(complaints_about(record), fmt::format("table simulated_trials, row 0 "
                                                               "(number 1), {}: {}, but it must ",
                                                               column, number)))
            << column;
    }
    Record record = self_tested();
    remove_table(record, "simulated_trials");
    EXPECT_TRUE(says(complaints_about(record), "table simulated_detection, row 0 (all), rows: 2"));
}

TEST(ForgedSamples, ARecordThatLacksAColumnIsFoundAndOthersAreJudged) {
    Record lacking = called_healthy();
    auto& columns = lacking.samples.front().columns;
    std::erase_if(columns, [](const Table::Column& one) { return one.name == "machine"; });
    const auto wrong = complaints_about_all({{"a", lacking}, {"i", called_healthy()}});
    EXPECT_TRUE(says(wrong,
                     "records/a.h5: its figures cannot be computed again: table "
                     "'rank_places' has no column 'machine'"));
    EXPECT_TRUE(says(wrong, "records/i.h5: table interconnect_verdict"));
}

/// Whether a number that no run can measure is named, though all findings were made anew from it.
bool is_named(const InterconnectSamples& samples, const std::string& table,
              const std::string& column, double number) {
    auto record = recorded(samples);
    column_of(record, table, column).numbers.at(0) = number;
    try {
        record.derived = finding_tables_of(find_in(interconnect_samples_in(record)));
    } catch (const std::exception&) {
        // They could not be made: the forger leaves them.
    }
    const std::string place = "table " + table + ", row 0 (number 1), " + column;
    return std::ranges::any_of(results::recompute(record).wrong, [&](const auto& one) {
        return in_words(one).find(place) != std::string::npos;
    });
}

TEST(ForgedSamples, ImpossibleLoadsClocksAndTrafficAreNamed) {
    auto samples = planted_samples();
    for (int pass = 0; pass < 7; ++pass) {
        for (const char* load : {"alone", "pairs at once"}) {
            samples.congestion.push_back({load, 0.0, 2.0, double(pass), 1048576.0, 10e-3});
            samples.congestion.push_back({load, 2.0, 0.0, double(pass), 1048576.0, 10e-3});
        }
        samples.traffic.push_back(
            {"all_reduce ring", 1 << 20, double(pass), 10e-3, 10e-3, 1.0, 0.0});
    }
    for (const double round : {0.0, 1.0}) {
        samples.clocks.push_back({1.0, round, 1.7e9 + 100.0 * round, 1e-6, 1e-5});
    }
    EXPECT_TRUE(is_named(samples, "congestion_samples", "time_s", -1.0));
    EXPECT_TRUE(is_named(samples, "congestion_samples", "sender", 9.0));
    EXPECT_TRUE(is_named(samples, "clock_samples", "error_s", -1.0));
    EXPECT_TRUE(is_named(samples, "clock_samples", "round", 3.0));
    EXPECT_TRUE(is_named(samples, "traffic_samples", "time_s", 0.0));
    EXPECT_TRUE(is_named(samples, "traffic_samples", "predicted_s", -1.0));
}

TEST(ForgedSamples, ImpossibleSoaksAreNamed) {
    auto samples = planted_soak();
    plant_slow(samples, 60, 3, 1, 2.0);
    samples.standstills.push_back({1.0, 40.0, 1040.5, 1043.0, 2.5, 0.0});
    samples.waits = waits_for_each_other(2.0);
    EXPECT_TRUE(is_named(samples, "soak_windows", "passes", -1.0));
    EXPECT_TRUE(is_named(samples, "slow_messages", "time_s", 0.0));
    EXPECT_TRUE(is_named(samples, "standstills", "rank", 4.0));
    EXPECT_TRUE(is_named(samples, "long_waits", "awaited", 4.0));
}

}  // namespace
}  // namespace shardstone::validation
