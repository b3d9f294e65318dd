// SPDX-License-Identifier: BSD-3-Clause
// The report on a record of `scale` says and draws what one on the runs themselves does.
#include <gtest/gtest.h>

#include <algorithm>

#include "results/report/finding.hpp"
#include "results/report/scaling_rows.hpp"
#include "results/report/section.hpp"
#include "results/schema/training.hpp"
#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/results/scaling/scaled_runs.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

/// A run with all that is drawn of one: parts of its step, and what a change would make of it.
Record whole_run(int ranks, double rate) {
    const double tokens = 100.0 * ranks, step_s = tokens / rate;
    Record record = written_run(
        {ranks,
         rate,
         tokens,
         {{"useful passes", {0.9 * step_s, 0.09}}, {"latency", {0.1 * step_s, 0.001 * ranks}}}});
    record.derived.push_back(
        table_of<ChangedStepRow>({{"perfect overlap", "", 0.95 * step_s, 0.09}}));
    record.configuration["pace_gflop_per_s"] = 5.0;
    record.configuration["pace_memory_gb_per_s"] = 2.0;
    return record;
}

std::vector<Record> whole_runs() {
    std::vector<Record> runs;
    for (const double factor : {0.99, 1.01}) {
        for (const int ranks : {1, 2, 4}) {
            runs.push_back(whole_run(ranks, factor * 1000.0 * ranks * (1.0 - 0.02 * ranks)));
        }
    }
    return runs;
}

/// As `scale` writes it, on a machine of its own.
Record record_of(const std::vector<Record>& runs) {
    const auto sources = as_sources(runs);
    Record record = written_record("scale", "desk", 1);
    fill_record(scaling_curves(sources), record);
    return record;
}

std::vector<std::string> sentences_of(const Section& section) {
    std::vector<std::string> sentences;
    for (const Finding& finding : section.findings) sentences.push_back(finding.sentence);
    return sentences;
}

TEST(ScalingRecord, IsReportedAsItsRunsAre) {
    const auto runs = as_sources(whole_runs()), record = as_sources({record_of(whole_runs())});
    const auto expected = scaling_section(runs), section = scaling_section(record);
    ASSERT_TRUE(section.has_value());
    EXPECT_GT(expected->findings.size(), 3U);
    EXPECT_EQ(sentences_of(*section), sentences_of(*expected));
    EXPECT_EQ(section->body, expected->body);
    EXPECT_EQ(section->lead, expected->lead);
    EXPECT_NE(section->lead.find("In a paced run"), std::string::npos);
    ASSERT_EQ(section->figures.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(section->figures[i].title, expected->figures[i].title);
        EXPECT_EQ(section->figures[i].traces, expected->figures[i].traces);
        EXPECT_EQ(section->figures[i].layout, expected->figures[i].layout);
    }
}

// Nothing of it is left for the section on tables that no other one knows, and its findings are of
// the machine of the runs.
TEST(ScalingRecord, IsReadWholeAndSaysWhereItsRunsWere) {
    const auto runs = as_sources(whole_runs()), record = as_sources({record_of(whole_runs())});
    const auto section = scaling_section(record);
    for (const Table& table : record[0].record.derived) {
        EXPECT_TRUE(record[0].read_tables.contains(table.name)) << table.name;
    }
    EXPECT_FALSE(more_section(record).has_value());
    const std::string host = runs[0].machine;
    EXPECT_EQ(host, "left");
    const std::string finding = finding_text(section->findings.at(0));
    EXPECT_NE(finding.find("[left: "), std::string::npos) << finding;
    EXPECT_EQ(finding.find("desk"), std::string::npos) << finding;
}

TEST(ScalingRecord, IsShownOnceBesideItsRunsAndUnderAnotherNameBesideOthers) {
    auto runs = whole_runs();
    const Record record = record_of(runs);
    runs.push_back(record);
    EXPECT_EQ(scaling_section(as_sources(runs))->figures.size(), 2U);
    runs.erase(runs.begin());
    const auto both = scaling_section(as_sources(runs));
    ASSERT_EQ(both->figures.size(), 4U);
    EXPECT_EQ(both->figures[2].title, both->figures[0].title + " (f.h5)");
}

// Of a version that wrote neither findings nor whose runs they are.
TEST(ScalingRecord, OfAnOlderVersionHasItsEfficiency) {
    Record record = record_of(whole_runs());
    std::erase_if(record.derived, [](const Table& table) {
        return table.name == "scaling_findings" || table.name == "scaling_curves";
    });
    const auto section = scaling_section(as_sources({record}));
    const auto sentences = sentences_of(*section);
    ASSERT_EQ(sentences.size(), 1U);
    EXPECT_NE(
        sentences[0].find(": from 1 rank to 4 ranks the efficiency is 93.9 % (95 % interval "),
        std::string::npos)
        << sentences[0];
    EXPECT_EQ(section->figures.size(), 2U);
}

}  // namespace
}  // namespace shardstone::validation
