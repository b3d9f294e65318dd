// SPDX-License-Identifier: BSD-3-Clause
// What the report says of a soak and of how pairs were tested, of made-up validations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "kernels/base/error.hpp"
#include "results/format/json_format.hpp"
#include "results/record/incomplete.hpp"
#include "results/report/page.hpp"
#include "results/report/section.hpp"
#include "results/schema/interconnect.hpp"
#include "results/schema/long_messages.hpp"
#include "results/schema/soak.hpp"
#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/results/shell.hpp"

namespace shardstone::validation {
namespace {

using results::EpisodeRow;
using results::PairRow;

/// Each of `ranks` ranks sends to the next one.
results::Record validated(int ranks) {
    auto record = written_record("interconnect", "left", ranks);
    std::vector<PairRow> pairs;
    for (int rank = 0; rank < ranks; ++rank) {
        PairRow& row = pairs.emplace_back();
        row.sender = rank;
        row.receiver = (rank + 1) % ranks;
        row.path = "between nodes";
        row.alone = 0.0;
        row.size_bytes = 65536.0;
        row.samples = 7.0;
        row.time_s = 1e-4;
        row.rate_gb_s = 0.65536;
        row.factor = 1.0;
    }
    record.derived = {results::table_of(std::vector{results::InterconnectVerdictRow{"pass", ""}}),
                      results::table_of(pairs)};
    return record;
}

std::string page_of(const results::Record& record) {
    const auto section = results::interconnect_section(as_sources({record}));
    return section ? section->body : "";
}

std::string finding_of(const results::Record& record) {
    return results::interconnect_section(as_sources({record}))->findings.at(0).sentence;
}

bool holds(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

/// As table "paths" has it in its column "alone", which the maps must not contradict.
TEST(ReportInterconnect, MapsOfTheTwoMannersHaveTitlesOfTheirOwn) {
    const std::string size = "left: 64 KiB from row to column, ", at_once = "as many pairs at once";
    EXPECT_TRUE(holds(page_of(validated(4)), at_once + " as there can be<"));
    auto three = validated(3);
    EXPECT_TRUE(holds(page_of(three), at_once + " as there can be: one<"));
    EXPECT_FALSE(holds(page_of(three), "one pair at a time"));
    auto pairs = results::rows_of<PairRow>(three);
    for (const PairRow& row : std::vector(pairs)) pairs.emplace_back(row).alone = 1.0;
    three.derived.back() = results::table_of(pairs);
    EXPECT_TRUE(holds(page_of(three), at_once + " as there can be: one<"));
    EXPECT_TRUE(holds(page_of(three), "64 KiB from row to column, one pair at a time<"));
}

/// Windows of 20 s, so many disturbed on two machines beside quiet ones, and an episode for each
/// flag: whether it is held against the cluster.
std::string page_of_soak(const std::vector<double>& held, int windows = 1, int disturbed = 0,
                         int quiet = 0) {
    auto record = validated(4);
    results::SoakWindowRow window;
    window.window = 0.0;
    window.passes = 5.0;
    window.slow = 2.0;
    window.begin_unix_s = 1795653690.25;
    window.end_unix_s = 1795653710.25;
    std::vector all{window};
    for (int i = 1; i < windows; ++i) {
        all.emplace_back(window).window = i;
    }
    std::vector<results::ConditionsRow> conditions;
    for (int i = 0; i < windows; ++i) {
        conditions.push_back({"soak, window " + std::to_string(i), 0.0, i < disturbed ? 1.0 : 0.0});
        conditions.push_back({"soak, window " + std::to_string(i), 1.0, i < disturbed ? 1.0 : 0.0});
        for (int m = 0; m < quiet; ++m) {
            conditions.push_back({"soak, window " + std::to_string(i), 2.0 + m, 0.0});
        }
    }
    conditions.push_back({"passes over pairs", 0.0, 1.0});
    record.samples.push_back(results::table_of(all));
    record.samples.push_back(results::table_of(conditions));
    std::vector<EpisodeRow> episodes;
    for (const double suspected : held) episodes.emplace_back().suspected = suspected;
    record.derived.push_back(results::table_of(episodes));
    return page_of(record);
}

TEST(ReportInterconnect, EpisodesSayHowManyAreHeldAgainstTheCluster) {
    const std::string soak =
        "soak: 20 s, 5 passes, 5 messages, 2 of them slow, 0 with wrong data, 0 standstills; ";
    const std::string slow = " in which something was slow, silent or wrong, ";
    EXPECT_TRUE(holds(page_of_soak({}), soak + "no link or rank was slow, silent or wrong"));
    EXPECT_TRUE(holds(page_of_soak({0.0, 0.0}),
                      soak + "2 episodes" + slow + "none held against the cluster"));
    EXPECT_TRUE(holds(page_of_soak({0.0, 1.0, 1.0}),
                      soak + "3 episodes" + slow + "2 held against the cluster"));
}

/// Whatever the tests of pairs before were.
TEST(ReportInterconnect, OfASoakThatWasDisturbedNothingIsDecided) {
    const std::string nothing = "no link or rank was slow";
    EXPECT_TRUE(holds(page_of_soak({}, 4, 2), nothing));
    EXPECT_TRUE(holds(page_of_soak({}, 4, 4, 2), nothing)) << "on half of the machines";
    const std::string page = page_of_soak({}, 4, 3);
    EXPECT_FALSE(holds(page, nothing));
    EXPECT_TRUE(holds(page,
                      "not decided whether a link or rank was slow for a time: 3 of 4 windows "
                      "disturbed, 8 of 20 messages slow"))
        << page;
    EXPECT_TRUE(holds(page_of_soak({1.0}, 4, 3), "1 episode in which")) << "that was found";
}

TEST(ReportInterconnect, NodesThatWereOnlyDeclaredAreCalledSo) {
    auto record = validated(4);
    EXPECT_FALSE(holds(finding_of(record), "nodes declared"));
    record.configuration["topology"] = "4 nodes of 1 rank (declared)";
    EXPECT_TRUE(
        holds(finding_of(record), ": PASS on nodes declared (--ranks-per-node), not found"));
}

TEST(ReportInterconnect, WindowsBeginAtADate) {
    const std::string page = page_of_soak({});
    EXPECT_TRUE(holds(page, "2026-11-26T00:41:30.250Z")) << page;
    EXPECT_TRUE(holds(page, "begin (UTC)"));
    EXPECT_FALSE(holds(page, "e+09"));
}

TEST(ReportInterconnect, MapsHaveAScale) {
    auto record = validated(4);
    numbers_of(record, "pairs", "factor") = {1.0, 1.25, 0.75, 1.5};
    EXPECT_TRUE(holds(page_of(record), "<p class=\"scale\">0.75 <svg"));
    EXPECT_TRUE(holds(page_of(record), "</svg> 1.50 times the usual of the path"));
}

TEST(ReportInterconnect, TheVerdictOnALimitComesFirstInPlainWords) {
    auto record = validated(4);
    results::AcceptanceRow limit;
    limit.quantity = "latency between nodes";
    limit.low = -std::numeric_limits<double>::infinity();
    limit.high = 2e-6;
    limit.verdict = "inconclusive";
    limit.disturbed = 1.0;
    limit.subject = "rank 7 on cn07 to rank 5 on cn05";
    limit.source = "quote 4711";
    limit.statistic = "p99";
    limit.confidence = 0.98;
    results::SuspectRow suspect;
    suspect.part = "node 2";
    suspect.rivals = "NIC 3 of node 2 (0.25)";
    suspect.suspected = 0.0;
    suspect.log10_odds = 2.18;
    record.derived.push_back(results::table_of(std::vector{limit}));
    record.derived.push_back(results::table_of(std::vector{suspect}));
    const std::string page = page_of(record);
    EXPECT_LT(page.find("data-column=\"verdict\""), page.find("data-column=\"quantity\""));
    EXPECT_LT(page.find("<td>inconclusive</td>"), page.find("<td>latency between nodes</td>"));
    EXPECT_TRUE(holds(page, "<td>no lower bound</td>")) << page;
    EXPECT_TRUE(holds(page, "<td>yes</td>")) << "disturbed";
    EXPECT_TRUE(holds(page, ">odds</th>")) << page;
    EXPECT_TRUE(holds(page, ">150 to 1</td>")) << page;
    EXPECT_TRUE(holds(page, ">no</td>")) << "suspected";
    // What is long has a line over the whole width, and no column.
    EXPECT_TRUE(holds(
        page,
        "<tr><td class=\"below\" colspan=\"5\"><div>statistic: p99; subject: rank 7 on cn07 to "
        "rank 5 on cn05; confidence: 0.9800; samples at most: -; source: quote "
        "4711</div></td></tr>"))
        << page;
    EXPECT_TRUE(holds(page, "<td class=\"heading\" colspan=\"2\"><div>node 2</div></td>")) << page;
    EXPECT_TRUE(
        holds(page, "<td class=\"below\" colspan=\"2\"><div>rivals: NIC 3 of node 2 (0.25)"))
        << page;
    for (const char* column :
         {"statistic", "subject", "confidence", "most", "source", "part", "rivals"}) {
        EXPECT_FALSE(holds(page, fmt::format("data-column=\"{}\"", column))) << column;
    }
}

TEST(ReportInterconnect, ReasonsOfTheVerdictStandBelowItsCounts) {
    auto record = validated(4);
    record.derived.front() = results::table_of(
        std::vector{results::InterconnectVerdictRow{"fail", "wrong data: rank 3"},
                    results::InterconnectVerdictRow{"fail", "latency of rank 2"}});
    const auto sources = as_sources({record});
    const auto section = results::interconnect_section(sources);
    EXPECT_EQ(section->findings.size(), 1U);
    EXPECT_EQ(section->findings.at(0).sentence, "Interconnect: FAIL: no suspects among 4 pairs.");
    EXPECT_EQ(section->findings.at(0).details,
              (std::vector<std::string>{"wrong data: rank 3", "latency of rank 2"}));
    EXPECT_TRUE(holds(results::findings_as_text({*section}),
                      "\n    - wrong data: rank 3\n    - latency of rank 2\n"));
}

/// What was measured until then was not verified, whatever ended it.
TEST(ReportInterconnect, OfARunThatEndedEarlyOnlyAStallIsAFinding) {
    const TemporaryFolder folder;
    const auto given_of = [&](const std::string& kind, const std::string& why) {
        auto record = validated(4);
        record.kind = kind;
        record.verification = {results::incomplete_check("54 samples were taken", why)};
        const auto path = folder / (kind + why.substr(0, 4) + ".json");
        results::write_json(record, path);
        return results::read_sources({path});
    };
    EXPECT_THROW(given_of("interconnect", results::what_stops()), Error);
    EXPECT_THROW(given_of("train", "stalled: rank 2 on cn2"), Error);
    const auto given = given_of("interconnect", "stalled: rank 2 on cn2");
    EXPECT_TRUE(given.sources.empty());
    const auto sections = results::make_sections(given);
    ASSERT_EQ(sections.size(), 2U);
    EXPECT_EQ(sections[0].findings.at(0).sentence,
              "Interconnect: STOPPED, no verdict: stalled: rank 2 on cn2: 54 samples were taken.");
    EXPECT_EQ(sections[0].tiles.at(0).value, "STOPPED");
    EXPECT_EQ(sections[1].id, "not-shown");
    const std::string page = results::make_page(results::page_head(given), sections);
    EXPECT_FALSE(holds(page, "data-table=")) << "no table of the record is shown";
    EXPECT_TRUE(holds(page, "<h1>Is the interconnect sound?</h1>"));
}

TEST(ReportInterconnect, TheTitleAsksWhatThePageAnswers) {
    const auto title = [](const results::Record& record) {
        return results::page_head(as_sources({record})).title;
    };
    EXPECT_EQ(title(validated(4)), "Is the interconnect sound?");
    EXPECT_EQ(title(written_training({})), "How well does this machine train?");
    EXPECT_EQ(title(written_collectives()), "What was found of this machine?");
}

/// Seven passes over two pairs, one message of which took 3.2 s.
TEST(ReportInterconnect, AMessageThatTookFarTooLongIsNamed) {
    auto record = validated(4);
    std::vector<results::PairSampleRow> samples;
    for (int pass = 0; pass < 7; ++pass) {
        for (const double receiver : {1.0, 2.0}) {
            results::PairSampleRow& row = samples.emplace_back();
            row.sender = 0.0;
            row.receiver = receiver;
            row.pass = pass;
            row.size_bytes = 4194304.0;
            row.at_s = 1.0 + pass;
            row.time_s = pass == 5 && receiver == 2.0 ? 3.2 : 45e-3;
        }
    }
    record.samples.push_back(results::table_of(samples));
    const std::string words =
        "rank 0 to rank 2, 4 MiB, pass 5: 3.20 s, usually 45.0 ms (6.00 s after the tests began)";
    const auto found = results::long_messages(samples);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(results::in_words(found[0]), words);
    EXPECT_TRUE(holds(page_of(record), "over ten times their usual")) << page_of(record);
    samples.back().time_s = 90e-3;
    std::erase_if(samples, [](const auto& row) { return row.time_s > 1.0; });
    record.samples.back() = results::table_of(samples);
    EXPECT_FALSE(holds(page_of(record), "over ten times"));
}

// Row 0 has its first field in the second column, since no rank sends to itself.
TEST(ReportInterconnect, RowsOfTheMapSend) {
    auto record = validated(3);
    std::vector<PairRow> pairs;
    for (int sender = 0; sender < 3; ++sender) {
        for (int receiver = 0; receiver < 3; ++receiver) {
            if (sender == receiver) continue;
            PairRow& row = pairs.emplace_back();
            row.sender = sender;
            row.receiver = receiver;
            row.alone = 0.0;
            row.size_bytes = 65536.0;
            row.time_s = 1e-4;
            row.rate_gb_s = 0.6;
            row.factor = sender == 0 && receiver == 1 ? 2.0 : 1.0;
        }
    }
    record.derived = {results::table_of(std::vector{results::InterconnectVerdictRow{"pass", ""}}),
                      results::table_of(pairs)};
    const std::string body = results::interconnect_section(as_sources({record}))->body;
    EXPECT_NE(body.find("<rect x=\"124.0\" y=\"90.0\" width=\"34.0\" height=\"34.0\" "
                        "fill=\"var(--wrong)\" fill-opacity=\"1.000\""),
              std::string::npos);
}

}  // namespace
}  // namespace shardstone::validation
