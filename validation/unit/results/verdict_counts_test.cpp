// SPDX-License-Identifier: BSD-3-Clause
// The counts beside a verdict on an interconnect, by hand.
#include "results/schema/verdict_counts.hpp"

#include <gtest/gtest.h>

#include "results/record/incomplete.hpp"
#include "results/schema/held_against.hpp"
#include "results/schema/own_verdict.hpp"
#include "results/schema/soak.hpp"
#include "results/schema/traffic.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

/// Two pairs of three ranks, both ways and with two sizes; three ranks with two tests each.
Record judged() {
    auto record = written_record("interconnect", "left", 3);
    std::vector<PairRow> pairs;
    for (const auto& [sender, receiver] :
         {std::pair(0.0, 1.0), {1.0, 0.0}, {2.0, 1.0}, {1.0, 2.0}}) {
        for (const double size_bytes : {8.0, 4096.0}) {
            PairRow& row = pairs.emplace_back();
            row.sender = sender;
            row.receiver = receiver;
            row.size_bytes = size_bytes;
        }
    }
    std::vector<RankTestRow> ranks;
    for (const double rank : {0.0, 1.0, 2.0}) {
        for (const char* test : {"arithmetic", "memory"}) {
            RankTestRow& row = ranks.emplace_back();
            row.rank = rank;
            row.test = test;
            row.suspected = 0.0;
        }
    }
    record.derived = {table_of(std::vector{InterconnectVerdictRow{"pass", "held against"}}),
                      table_of(pairs), table_of(ranks)};
    return record;
}

template <class Row>
void add(Record& record, const std::vector<Row>& rows) {
    record.derived.push_back(table_of(rows));
}

AcceptanceRow limit(const std::string& verdict) {
    AcceptanceRow row;
    row.verdict = verdict;
    return row;
}

SuspectRow suspect(const std::string& part, double suspected) {
    SuspectRow row;
    row.part = part;
    row.suspected = suspected;
    return row;
}

TEST(VerdictCounts, APairHasTwoDirectionsAndARankSeveralTests) {
    EXPECT_EQ(verdict_counts(judged()), "no suspects among 2 pairs and 3 ranks");
    EXPECT_EQ(verdict_words(*own_verdict(judged())), "PASS: no suspects among 2 pairs and 3 ranks");
}

TEST(VerdictCounts, WhatIsSlowTwiceIsOneSuspect) {
    auto record = judged();
    add(record, std::vector{suspect("node 2", 1.0), suspect("node 2", 1.0), suspect("node 2", 0.0),
                            suspect("NIC 1", 0.0)});
    numbers_of(record, "rank_tests", "suspected") = {0, 0, 1, 1, 0, 0};
    EXPECT_EQ(verdict_counts(record), "2 suspects among 2 pairs and 3 ranks, 1 undecided part");
}

HeldAgainstRow held(const std::string& what, double between_nodes, const std::string& against) {
    HeldAgainstRow row;
    row.what = what;
    row.between_nodes = between_nodes;
    row.against = against;
    return row;
}

TEST(VerdictCounts, OnlyWhatWasComparedIsCounted) {
    auto record = judged();
    for (auto& table : record.derived) {
        for (auto& column : table.columns) {
            if (column.name != "path") continue;
            for (std::size_t i = 0; i < 4; ++i) column.texts[i] = "inside node";
            for (std::size_t i = 4; i < 8; ++i) column.texts[i] = "same leaf";
        }
    }
    const auto with = [&](const std::vector<HeldAgainstRow>& rows) {
        auto all = record;
        add(all, rows);
        return verdict_counts(all);
    };
    const auto inside = held("messages inside node", 0.0, "nothing");
    EXPECT_EQ(with({inside, held("messages between nodes", 1.0, "median"),
                    held("arithmetic of ranks", 0.0, "median")}),
              "no suspects among 1 pair and 3 ranks");
    EXPECT_EQ(with({inside, held("messages between nodes", 1.0, "limits"),
                    held("arithmetic of ranks", 0.0, "median")}),
              "no suspects among 3 ranks");
    EXPECT_EQ(with({inside, held("arithmetic of ranks", 0.0, "nothing")}), "");
}

TEST(VerdictCounts, LimitsAreKeptBrokenOrUndecided) {
    const auto counts = [](const std::vector<std::string>& verdicts) {
        std::vector<AcceptanceRow> limits;
        for (const auto& verdict : verdicts) limits.push_back(limit(verdict));
        auto record = written_record("interconnect", "left", 3);
        add(record, limits);
        return verdict_counts(record);
    };
    EXPECT_EQ(counts({"pass", "pass", "pass"}), "3 of 3 limits kept");
    EXPECT_EQ(counts({"pass", "fail", "fail", "inconclusive"}),
              "2 of 4 limits broken, 1 undecided");
    EXPECT_EQ(counts({"pass", "inconclusive", "pass"}), "1 of 3 limits undecided");
}

TEST(VerdictCounts, WrongDataComesFirstAndTrafficOnlyWhereItIsJudged) {
    auto record = judged();
    record.samples.push_back(table_of(std::vector(3, WrongDataRow{})));
    std::vector<TrafficRow> traffic(9);
    traffic[4].slow = traffic[7].slow = 1.0;
    add(record, traffic);
    TrafficSampleRow sample;
    sample.judged = 0.0;
    record.samples.push_back(table_of(std::vector{sample}));
    EXPECT_EQ(verdict_counts(record),
              "3 messages with wrong data, no suspects among 2 pairs and 3 ranks");
    sample.judged = 1.0;
    record.samples.back() = table_of(std::vector{sample});
    std::vector<EpisodeRow> episodes(5);
    episodes[3].suspected = 1.0;
    add(record, episodes);
    EXPECT_EQ(verdict_counts(record),
              "3 messages with wrong data, no suspects among 2 pairs and 3 ranks, 2 of 9 kinds of "
              "traffic surely slow, 1 episode of the soak held against it");
}

TEST(VerdictCounts, SubjectsOfALimitThatFailComeFirst) {
    AcceptanceRow row;
    EXPECT_EQ(subjects_in_words(row), "") << "an older record";
    row.subjects = 12.0;
    row.subjects_failed = 3.0;
    row.subjects_passed = 8.0;
    EXPECT_EQ(subjects_in_words(row), "of 12: 3 fail, 8 pass, 1 undecided");
    row.subjects_passed = 9.0;
    row.subjects_failed = 0.0;
    EXPECT_EQ(subjects_in_words(row), "of 12: 9 pass, 3 undecided");
    row.subjects = 1.0;
    EXPECT_EQ(subjects_in_words(row), "");
}

TEST(VerdictCounts, AVerdictOfSeveralRowsHasAReasonInEach) {
    auto record = judged();
    record.derived.front() =
        table_of(std::vector{InterconnectVerdictRow{"inconclusive", "one"},
                             InterconnectVerdictRow{"inconclusive", "another"}});
    const auto own = own_verdict(record);
    EXPECT_EQ(own->word, "INCONCLUSIVE");
    EXPECT_EQ(own->reasons, (std::vector<std::string>{"one", "another"}));
}

TEST(VerdictCounts, ARunThatWasStoppedHasNoVerdict) {
    auto record = judged();
    record.verification.push_back(incomplete_check("60 samples were taken"));
    EXPECT_FALSE(own_verdict(record).has_value());
}

TEST(VerdictCounts, OneRankAloneIsComparedWithNone) {
    auto record = judged();
    record.derived.clear();
    RankTestRow rank;
    rank.rank = 0.0;
    add(record, std::vector{rank});
    EXPECT_EQ(verdict_counts(record), "");
}

}  // namespace
}  // namespace shardstone::validation
