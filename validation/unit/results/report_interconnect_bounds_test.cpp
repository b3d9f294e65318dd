// SPDX-License-Identifier: BSD-3-Clause
// What the report says of what was not tested, of times, and of episodes of a soak.
#include <gtest/gtest.h>

#include "results/report/rows_table.hpp"
#include "results/report/section.hpp"
#include "results/schema/held_against.hpp"
#include "results/schema/interconnect.hpp"
#include "results/schema/soak.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using results::EpisodeRow;

results::Record validated(int ranks) {
    auto record = written_record("interconnect", "left", ranks);
    record.derived = {results::table_of(std::vector{results::InterconnectVerdictRow{"pass", ""}})};
    return record;
}

std::string page_of(const results::Record& record) {
    const auto section = results::interconnect_section(as_sources({record}));
    return section ? section->body : "";
}

bool holds(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

/// As the screen does: for who signs by the page.
TEST(ReportInterconnectBounds, WhatIsNotTestedAndWhatWouldDecideAreTold) {
    auto record = validated(4);
    EXPECT_TRUE(holds(page_of(record),
                      "a.h5: not tested: GPU memory, NVLink, GPUDirect (messages go by MPI"))
        << page_of(record);
    results::TestTimeRow row{5.0, 104.2, "passes over pairs 13.6 s, tests of ranks 47.0 s", 1249.0};
    record.samples.push_back(results::table_of(std::vector{row}));
    EXPECT_TRUE(
        holds(page_of(record),
              "a.h5: the tests took 104 s, with --budget 5: passes over pairs 13.6 s, tests "
              "of ranks 47.0 s. To decide the limits that need more samples: --budget 1249, "
              "by the time that these took."));
    row.deciding_s = results::not_measured;
    record.samples.back() = results::table_of(std::vector{row});
    EXPECT_FALSE(holds(page_of(record), "To decide the limits"));
}

TEST(ReportInterconnectBounds, AnMtuIsANumberOfBytes) {
    EXPECT_EQ(results::cell_text({"mtu_bytes", "B", ""}, 1400.0), "1 400 B");
}

/// Twice would not fit beside the rest.
TEST(ReportInterconnectBounds, TimesOfAnEpisodeStandOnceBelowIt) {
    auto record = validated(4);
    results::SoakWindowRow window;
    window.window = 0.0;
    window.begin_unix_s = 1795653690.25;
    window.end_unix_s = 1795653710.25;
    record.samples.push_back(results::table_of(std::vector{window}));
    EpisodeRow episode;
    episode.fault = "slow";
    episode.subject = "cn2 (node 2 of the run)";
    episode.begin = "2026-11-26T00:41:31Z";
    episode.begin_unix_s = 1795653691.5;
    record.derived.push_back(results::table_of(std::vector{episode}));
    const std::string page = page_of(record);
    EXPECT_TRUE(holds(page, "<div>begin (UTC): 2026-11-26T00:41:31.500Z")) << page;
    EXPECT_FALSE(holds(page, episode.begin));
    EXPECT_FALSE(holds(page, "data-column=\"begin\""));
}

/// With what lies between its windows; not with the time between a killed run and the one after it.
TEST(ReportInterconnectBounds, ASoakIsAsLongAsItsSpan) {
    auto record = validated(4);
    const auto add = [](std::vector<results::SoakWindowRow>& all, double begin_s) {
        auto& row = all.emplace_back();
        row.window = static_cast<double>(all.size()) - 1.0;
        row.begin_unix_s = begin_s;
        row.end_unix_s = begin_s + 1.0;
        row.passes = 3.0;
        row.slow = 0.0;
    };
    std::vector<results::SoakWindowRow> windows;
    for (const double begin_s : {100.0, 101.6, 103.2, 104.8}) add(windows, begin_s);
    record.samples.push_back(results::table_of(windows));
    EXPECT_TRUE(holds(page_of(record), "soak: 6 s, 12 passes")) << page_of(record);
    add(windows, 5000.0);
    record.samples.back() = results::table_of(windows);
    EXPECT_TRUE(holds(page_of(record), "soak: 7 s, 15 passes")) << page_of(record);
}

}  // namespace
}  // namespace shardstone::validation
