// SPDX-License-Identifier: BSD-3-Clause
// Options of `shardstone compare`, and what its lines, page and record say of rows, runs and
// limits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "results/format/atomic_file.hpp"
#include "results/report/unbroken.hpp"
#include "results/schema/comparison.hpp"
#include "validation/unit/results/compare/real_runs.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

class CompareOptions : public testing::Test, protected ComparedRuns {
  protected:
    CompareOptions() { write_sweeps("base", one_percent); }

    /// By other factors with ring and with mpi.
    void write_slower(const std::string& folder, double ring, double mpi,
                      const std::vector<double>& runs = other_one_percent) const {
        write_sweeps(folder, runs, [=](Record& record) {
            for (const char* column : {"time_s", "time_low_s", "time_high_s"}) {
                multiply(record, "collectives", column, ring, "ring");
                multiply(record, "collectives", column, mpi, "mpi");
            }
        });
    }
    static void expect_says(const std::string& text, const std::string& pattern) {
        EXPECT_TRUE(std::regex_search(text, std::regex(pattern))) << pattern << "\n" << text;
    }
    /// The first row of an algorithm in the record of a comparison.
    ComparisonRow recorded(const std::string& file, const std::string& algorithm) const {
        for (const auto& row : rows_of<ComparisonRow>(read_record(path(file)))) {
            if (row.row.find("algorithm=" + algorithm) != std::string::npos) return row;
        }
        throw std::runtime_error("no row of " + algorithm);
    }
};

void mark_disturbed(Record& record, const std::string& table) {
    for (Table& one : record.derived) {
        for (auto& column : one.columns) {
            if (one.name == table && column.name == "disturbed") {
                std::ranges::fill(column.numbers, 1.0);
            }
        }
    }
}

TEST_F(CompareOptions, MarginDecidesWhatIsTheSame) {
    write_slower("slow", 1.05, 1.0);
    const auto wide = compare("base slow --margin 8% --json c.json --report page.html");
    expect_says(wide.output, "4 rows: 0 better, 0 worse, 4 same, 0 undecided[.]");
    const std::string reading = "Same: the 95 % interval of the ratio lies within 8 % of 1";
    expect_says(wide.output, reading);
    const std::string page = with_plain_blanks(read_file(path("page.html")));
    expect_says(page, reading);
    // By which rule: a change that was seen, or none.
    const std::string seen = "same (a change beyond the floor, but within the margin)";
    expect_says(wide.output,
                "  ring, 1 KiB .* 5/5  same [(]a change beyond the floor, but within "
                "the margin[)]\n");
    expect_says(wide.output, "  mpi, 1 KiB .* 5/5  same\n");
    EXPECT_NE(page.find(seen), std::string::npos);
    EXPECT_EQ(recorded("c.json", "mpi").reason, "");
    EXPECT_EQ(recorded("c.json", "ring").reason, seen.substr(6, seen.size() - 7));
    EXPECT_EQ(read_record(path("c.json")).configuration.at("margin"), 0.08);
    // A limit above the margin leaves it as it is: a row may be worse without failing.
    const auto gate = compare("base slow --fail-if-worse 8%");
    EXPECT_EQ(gate.code, 0) << gate.errors;
    expect_says(gate.output, "4 rows: 0 better, 2 worse, 2 same, 0 undecided[.]");
}

TEST_F(CompareOptions, RunDeviationIsRecorded) {
    write_slower("slow", 1.9, 1.0);
    ASSERT_EQ(compare("base/0.json slow/0.json --run-deviation 4% --json c.json").code, 0);
    const auto settings = read_record(path("c.json")).configuration;
    EXPECT_EQ(settings.at("assumed_run_deviation"), 0.04);
    EXPECT_EQ(settings.at("margin"), 0.03);
    EXPECT_EQ(settings.at("deviation_is_stated"), true);
    EXPECT_EQ(recorded("c.json", "ring").assumed, 1.0);
    EXPECT_NEAR(recorded("c.json", "ring").deviation, 0.04, 1e-3);
}

TEST_F(CompareOptions, TheGateNamesTheWorstRow) {
    write_slower("slow", 1.05, 1.2);
    const auto outcome = compare("base slow --fail-if-worse 3%");
    EXPECT_EQ(outcome.code, 1);
    expect_says(outcome.errors,
                "4 of 4 rows worse by 3 % or more, most of all time_s of collectives mpi");
    write_slower("other", 1.2, 1.05);
    expect_says(compare("base other --fail-if-worse 3%").errors,
                "most of all time_s of collectives ring");
}

// 1 / 1.25 of the rate is worse by 25 %.
TEST_F(CompareOptions, TheGateTellsByHowMuchARateIsWorse) {
    write_trainings("trained", one_percent);
    write_trainings("slow", other_one_percent,
                    [](Record& record) { multiply(record, "summary", "tokens_per_s", 0.8); });
    const auto outcome = compare("trained slow --fail-if-worse 3%");
    EXPECT_EQ(outcome.code, 1);
    expect_says(
        outcome.errors,
        "most of all tokens_per_s of summary nano, ranks 2 [(]by a factor of 1[.]2[45]\\d[)]\n");
}

TEST_F(CompareOptions, TheGateWarnsOfRowsThatWereDisturbed) {
    write_sweeps("busy", other_one_percent,
                 [](Record& record) { mark_disturbed(record, "collectives"); });
    const auto outcome = compare("base busy --fail-if-worse 20%");
    EXPECT_EQ(outcome.code, 0);
    expect_says(outcome.errors, "warning: 4 rows could be worse by 20 % without being seen");
}

/// A record with `count` more rows, of other sizes.
void add_rows(Record& record, int count) {
    for (Table& table : record.derived) {
        if (table.name != "collectives") continue;
        for (auto& column : table.columns) {
            for (int i = 0; i < count; ++i) {
                if (!column.texts.empty()) column.texts.push_back(std::string(column.texts[0]));
                if (column.numbers.empty()) continue;
                column.numbers.push_back(column.numbers[0] +
                                         (column.name == "size_bytes" ? 4.0 * (i + 1) : 0.0));
            }
        }
    }
}

// Rows that only B has are no gap of the gate; twenty are listed.
TEST_F(CompareOptions, RowsThatOnlyOneSideHasAreCounted) {
    write_sweeps("more", other_one_percent, [](Record& record) { add_rows(record, 27); });
    const auto outcome = compare("base more --fail-if-worse 20%");
    EXPECT_EQ(outcome.errors.find("missing"), std::string::npos) << outcome.errors;
    expect_says(outcome.output, "\nonly in B: 7 more rows\n");
    const auto other = compare("more base --fail-if-worse 20%");
    expect_says(other.errors, "warning: 27 rows of A are missing in B");
    expect_says(other.output, "\nonly in A: 7 more rows\n");
}

// With 100 rows of the table, and with one more; those that are added are of the first algorithm.
TEST_F(CompareOptions, OfALongTableOnlyWhatChangedIsListed) {
    const auto first = real_sweep().table("collectives").column("algorithm").texts.front();
    const std::string other = first == "ring" ? "mpi" : "ring";
    for (const int more : {96, 97}) {
        const auto slower = [&](double factor) {
            return [&, factor](Record& record) {
                multiply(record, "collectives", "time_s", factor, other);
                add_rows(record, more);
            };
        };
        const auto before = fmt::format("before{}", more), after = fmt::format("after{}", more);
        write_sweeps(before, one_percent, slower(1.0));
        write_sweeps(after, other_one_percent, slower(1.2));
        const auto text = compare(before + " " + after).output;
        expect_says(text, "  " + other + ", 1 KiB .* worse\n");
        expect_says(text, fmt::format("{} rows: 0 better, 2 worse, {} same", more + 4, more + 2));
        const bool is_short = more == 96;
        EXPECT_EQ(text.find("  " + first + ", 1 KiB ") != std::string::npos, is_short) << text;
        EXPECT_EQ(text.find("  99 rows more, the same or undecided") == std::string::npos, is_short)
            << text;
    }
}

// Of the four rows of sweeps and the one of trainings, one was run with another plan.
TEST_F(CompareOptions, DifferencesSayOfHowManyRows) {
    write_trainings("base/trained", one_percent);
    write_sweeps("new", other_one_percent);
    write_trainings("new/trained", other_one_percent,
                    [](Record& record) { record.configuration["optimizer"] = "sgd"; });
    expect_says(compare("base new").output,
                "settings +optimizer +\\S+ -> sgd   [(]1 of 5 rows: train[)]\n");
}

TEST_F(CompareOptions, MoreRunsAreAskedForToTheMargin) {
    write_sweeps("noisy", {0.7, 1.4, 1.1, 0.9, 1.0});
    expect_says(compare("base noisy --margin 5%").output,
                "About \\d+ runs on each side would put the noise floor of an undecided row at 5 "
                "%[.]\n");
}

TEST_F(CompareOptions, SidesTellWhenTheirRunsBegan) {
    const char* days[] = {"2026-11-23", "2026-11-21", "2026-11-25", "2026-11-24", "2026-11-22"};
    write_sweeps("week", other_one_percent, [&, run = 0](Record& record) mutable {
        record.identity["start_time"] = std::string(days[run++]) + "T13:00:00Z";
    });
    expect_says(compare("base week").output,
                "\nB: 5 runs from 2026-11-21T13:00:00Z to 2026-11-25T13:00:00Z: week/0.json");
}

/// Five runs on one side and four on the other, one of the five on a busy machine.
TEST_F(CompareOptions, RunsOfBothSidesAreCountedInRecordAndPage) {
    write_sweeps("five", one_percent, [run = 0](Record& record) mutable {
        if (run++ == 3) mark_disturbed(record, "collectives");
    });
    write_slower("two", 0.8, 0.9, {1.01, 0.99});
    ASSERT_EQ(compare("five two --json c.json --report page.html").code, 0);
    const ComparisonRow row = recorded("c.json", "ring");
    EXPECT_EQ(row.runs_a, 4.0);
    EXPECT_EQ(row.runs_b, 2.0);
    EXPECT_EQ(row.left_out, 1.0);
    EXPECT_EQ(row.assumed, 0.0);
    // Logarithms -0.0125, -0.005, 0, 0.0125 and log 1.01, log 0.99, with four degrees of freedom.
    EXPECT_NEAR(row.deviation, 0.011525, 1e-5);
    const std::string page = with_plain_blanks(read_file(path("page.html")));
    expect_says(page,
                "</td><td[^>]*>\\d[.]\\d %</td><td[^>]*>4</td><td[^>]*>2</td><td[^>]*>better");
    expect_says(
        page,
        "Most of all it is better in time_s of collectives, ring, 16? KiB: B / A is 0[.](79|80)");
}

}  // namespace
}  // namespace shardstone::validation
