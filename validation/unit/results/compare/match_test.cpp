// SPDX-License-Identifier: BSD-3-Clause
// Which runs are repetitions of each other, which rows two sides share, and what names them.
#include "results/compare/match.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "kernels/base/error.hpp"
#include "results/compare/labels.hpp"
#include "results/schema/machine.hpp"
#include "results/schema/studies.hpp"
#include "validation/unit/results/compare/compared_records.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

Record training(const std::string& plan, const std::string& precision, double tokens_per_s = 1000) {
    return written_training(
        {.plan = plan, .precision = precision, .ranks = 4, .tokens_per_s = tokens_per_s});
}

std::vector<MatchedRow> matched(const std::vector<Record>& a, const std::vector<Record>& b) {
    static std::vector<ComparedSide> kept;  // rows point to their records
    kept.reserve(100);
    const auto& of_a = kept.emplace_back(as_side(a, "a"));
    const auto& of_b = kept.emplace_back(as_side(b, "b"));
    return match(of_a.given.sources, of_b.given.sources);
}

std::vector<std::string> names_of(const std::vector<MatchedRow>& rows) {
    std::vector<std::string> names;
    for (const auto& row : rows) names.push_back(row.name());
    return names;
}

TEST(Match, EveryEntryIsATableOfTheFormatWithItsColumn) {
    for (const ComparableTable& table : comparable_tables()) {
        const auto* described = find_description(table.table);
        ASSERT_NE(described, nullptr) << table.table;
        EXPECT_EQ(described->role, Role::derived);
        EXPECT_TRUE(std::ranges::any_of(described->columns, [&](const ColumnDescription& column) {
            return column.name == table.quantity && !column.is_text;
        })) << table.table;
    }
}

// Only the right column gives these figures: report_rows has another number in each.
TEST(Match, TakesTheFigureOfEachTable) {
    const auto sweep = matched({written_collectives()}, {written_collectives()});
    ASSERT_EQ(sweep.size(), 5U);
    EXPECT_EQ(sweep[0].name(),
              "operation=all_gather algorithm=auto in_place=1 size_bytes=4 ranks=3");
    EXPECT_EQ(sweep[0].a.at(0).value, 12.5e-6);
    EXPECT_EQ(sweep[0].a.at(0).low, 12e-6);
    EXPECT_EQ(sweep[0].a.at(0).high, 13.4e-6);
    EXPECT_EQ(sweep[0].unit, "s");
    EXPECT_EQ(sweep[0].table->better, Better::lower);
    const auto trained = matched({training("dp=4", "fp32", 1234.0)}, {training("dp=4", "fp32")});
    ASSERT_EQ(trained.size(), 1U);
    EXPECT_EQ(trained[0].name(), "model=nano ranks=4");
    EXPECT_EQ(trained[0].a.at(0).value, 1234.0);
    EXPECT_EQ(trained[0].table->better, Better::higher);
    const auto kernels = matched({written_kernels(0.5)}, {written_kernels(0.5)});
    ASSERT_EQ(kernels.size(), 2U);
    EXPECT_EQ(kernels[0].name(), "name=layernorm forward size_of= size=3000");
    EXPECT_EQ(kernels[0].a.at(0).value, 7e-6);
}

TEST(Match, TakesRatesOfTheMachineAndFiguresOfOverlapThatMeasureSpeed) {
    Record record = written_record("overlap", "left", 2);
    record.derived = {
        table_of<MachineRow>({{.quantity = "memory rate", .unit = "GB/s", .value = 25.0}}),
        table_of<OverlapRow>({{.figure = "overlapped_step_s", .median = 0.25},
                              {.figure = "hidden_share", .median = -0.5},
                              {.figure = "exposed_ratio", .median = 0.75},
                              {.figure = "bytes_per_step", .median = 142896.0}})};
    const auto rows = matched({record}, {record});
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].unit, "GB/s");
    EXPECT_EQ(rows[0].table->better, Better::higher);
    EXPECT_EQ(rows[1].name(), "figure=overlapped_step_s");
    EXPECT_EQ(rows[1].unit, "s");
    EXPECT_EQ(rows[1].a.at(0).value, 0.25);
    EXPECT_EQ(rows[2].name(), "figure=exposed_ratio");
    EXPECT_EQ(rows[2].unit, "1");
    EXPECT_EQ(rows[2].table->better, Better::lower);
}

TEST(Match, RunsOfEqualSettingsAreRepetitions) {
    const auto rows =
        matched({training("dp=4", "fp32"), training("dp=4", "fp32")}, {training("dp=4", "fp32")});
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].a.size(), 2U);
    EXPECT_EQ(rows[0].b.size(), 1U);
}

// A setting in which the two sides differ is what is compared: it names no row.
TEST(Match, SettingsThatDifferBetweenTheSidesNameNoRow) {
    const auto rows = matched({training("dp=4", "fp32")}, {training("dp=4", "bf16")});
    EXPECT_EQ(names_of(rows), std::vector<std::string>{"model=nano ranks=4"});
    EXPECT_TRUE(rows[0].is_complete());
}

TEST(Match, SettingsThatDifferWithinASideNameItsRows) {
    const auto rows = matched({training("dp=4", "fp32"), training("tp=4", "fp32")},
                              {training("tp=4", "bf16"), training("dp=4", "bf16")});
    EXPECT_EQ(names_of(rows), (std::vector<std::string>{"model=nano ranks=4 plan=dp=4",
                                                        "model=nano ranks=4 plan=tp=4"}));
    for (const auto& row : rows) {
        ASSERT_TRUE(row.is_complete());
        EXPECT_EQ(row.a[0].source->record.configuration.at("plan"),
                  row.b[0].source->record.configuration.at("plan"));
    }
}

// A stray run is not averaged with the others, and shows.
TEST(Match, ARunWithAnotherSettingStandsApart) {
    auto stray = training("dp=4", "fp32");
    stray.configuration["seed"] = 2;
    auto usual = training("dp=4", "fp32");
    usual.configuration["seed"] = 1;
    const auto rows = matched({usual, stray}, {usual, usual});
    EXPECT_EQ(names_of(rows),
              (std::vector<std::string>{"model=nano ranks=4 seed=1", "model=nano ranks=4 seed=2"}));
    EXPECT_TRUE(rows[0].is_complete());
    EXPECT_FALSE(rows[1].is_complete());
    EXPECT_TRUE(rows[1].b.empty());
}

TEST(Match, SettingsThatNeverMeetLeaveTheRowToEachSide) {
    const auto rows =
        matched({training("dp=4", "fp32"), training("dp=4", "bf16")}, {training("dp=4", "fp16")});
    EXPECT_EQ(rows.size(), 3U);
    EXPECT_TRUE(std::ranges::none_of(rows, &MatchedRow::is_complete));
    EXPECT_EQ(rows[2].told_by, std::vector<std::string>{"precision"});
}

// Only the row that needs it is named by the setting: the others still meet.
TEST(Match, SettingsNameOnlyTheRowsThatNeedThem) {
    const auto run = [](int ranks, const char* precision, int steps) {
        auto record = written_training(
            {.plan = "dp=" + std::to_string(ranks), .precision = precision, .ranks = ranks});
        record.configuration["steps"] = steps;
        return record;
    };
    const auto rows = matched({run(2, "fp32", 20), run(4, "fp32", 20), run(4, "bf16", 20)},
                              {run(2, "fp32", 30), run(4, "bf16", 30)});
    EXPECT_EQ(names_of(rows),
              (std::vector<std::string>{"model=nano ranks=2", "model=nano ranks=4 precision=fp32",
                                        "model=nano ranks=4 precision=bf16"}));
    EXPECT_TRUE(rows[0].is_complete());
    EXPECT_FALSE(rows[1].is_complete());
    EXPECT_TRUE(rows[2].is_complete());
}

// What only says which rows there are, or was found out during the run, tells no runs apart.
TEST(Match, TheScopeOfASweepIsNoSetting) {
    auto wide = written_collectives(), narrow = written_collectives();
    wide.configuration["largest"] = "4M";
    wide.configuration["prediction"] = "alpha_s = 1";
    narrow.configuration["largest"] = "1M";
    narrow.configuration["prediction"] = "alpha_s = 2";
    EXPECT_EQ(matched({wide, narrow}, {wide}).size(), 5U);
    narrow.configuration["type"] = "bf16";
    const auto rows = matched({wide, narrow}, {wide});
    EXPECT_EQ(rows.size(), 10U);
    EXPECT_TRUE(rows[0].name().ends_with(" type=fp32")) << rows[0].name();
}

TEST(Match, RefusesARecordWithTwoRowsOfOneName) {
    auto record = written_kernels(0.5);
    for (auto& column : record.derived[0].columns) {
        if (!column.texts.empty()) column.texts[1] = column.texts[0];
        if (column.name == "size") column.numbers[1] = column.numbers[0];
    }
    EXPECT_THROW(matched({record}, {written_kernels(0.5)}), Error);
}

TEST(Match, RecordsOfOtherKindsShareNoRow) {
    auto probe = written_kernels(0.5);
    probe.kind = "probe";
    const auto rows = matched({written_kernels(0.5)}, {probe});
    EXPECT_TRUE(std::ranges::none_of(rows, &MatchedRow::is_complete));
    EXPECT_EQ(rows.size(), 4U);
}

TEST(Labels, TellRowsApartAndNameWhatTheyShare) {
    const auto rows = matched({written_collectives()}, {written_collectives()});
    const Labels labels(rows);
    EXPECT_EQ(labels.of(rows[0]), "auto, 4 B");
    EXPECT_EQ(labels.of(rows[4]), "mpi, 1 MiB");
    EXPECT_EQ(labels.common("collectives", "collectives", "time_s"),
              "all_gather, in_place yes, ranks 3");
    const auto one = matched({training("dp=4", "fp32")}, {training("dp=4", "fp32")});
    EXPECT_EQ(Labels(one).of(one[0]), "nano, ranks 4");
    EXPECT_EQ(Labels(one).common("train", "summary", "tokens_per_s"), "");
}

}  // namespace
}  // namespace shardstone::validation
