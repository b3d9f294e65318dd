// SPDX-License-Identifier: BSD-3-Clause
// Two dates of one cluster's validation: the real command on records of a real run with planted
// changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>
#include <stdexcept>

#include "results/schema/comparison.hpp"
#include "results/schema/congestion.hpp"
#include "results/schema/interconnect.hpp"
#include "validation/unit/results/compare/real_runs.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

struct Figure {
    const char *table, *value, *low, *high;
    double planted;       ///< by which that of B is multiplied
    const char* verdict;  ///< of B
};
constexpr std::array figures{
    Figure{"paths", "alpha_s", "alpha_low_s", "alpha_high_s", 0.8, "better"},
    Figure{"paths", "rate_gb_s", "rate_low_gb_s", "rate_high_gb_s", 0.8, "worse"},
    Figure{"pairs", "time_s", "time_low_s", "time_high_s", 1.25, "worse"},
    Figure{"bisection", "rate_gb_s", "rate_low_gb_s", "rate_high_gb_s", 1.25, "better"},
    Figure{"congestion", "slowdown", "slowdown_low", "slowdown_high", 1.25, "worse"},
    Figure{"rank_tests", "time_s", nullptr, nullptr, 0.8, "better"}};

/// Four ranks on two nodes, a and b, of which nothing was disturbed.
const Record& real_validation() {
    static const auto record = [] {
        const TemporaryFolder folder;
        const auto outcome = run_shell(
            fmt::format("mpiexec -n 4 {} validate interconnect --part pairs,congestion,ranks "
                        "--budget 1 --sizes 8,64K --ranks-per-node 2 --json {}",
                        shardstone_binary(), (folder / "i.json").string()),
            folder);
        if (outcome.code != 0 && outcome.code != 1 && outcome.code != 7) {
            throw std::runtime_error(outcome.errors + outcome.output);
        }
        Record run = read_record(folder / "i.json");
        // Which fewer than four nodes do not have.
        run.derived.push_back(table_of(std::vector{
            BisectionRow{"to the second half", 2.0, 65536.0, 7.0, 3.0, 2.9, 3.1, 1.6}}));
        for (Table& table : run.samples) {
            for (auto& column : table.columns) {
                if (column.name == "disturbed") std::ranges::fill(column.numbers, 0.0);
                if (table.name == "rank_places" && column.name == "host") {
                    column.texts = {"a", "a", "b", "b"};
                }
            }
        }
        return run;
    }();
    return record;
}

Table::Column& column_of(Record& record, const std::string& table, const std::string& name) {
    for (auto* tables : {&record.derived, &record.samples}) {
        for (Table& one : *tables) {
            if (one.name != table) continue;
            const auto found = std::ranges::find(one.columns, name, &Table::Column::name);
            if (found != one.columns.end()) return *found;
        }
    }
    throw std::runtime_error("no column " + name + " of " + table);
}

class CompareInterconnect : public testing::Test, protected ComparedRuns {
  protected:
    /// One record per factor, by which all figures are multiplied, with narrow intervals.
    void write_dates(const std::string& folder, const std::vector<double>& factors,
                     const Edit& edit = {}) const {
        static int runs = 0;
        std::vector<Record> records;
        for (const double factor : factors) {
            Record copy = real_validation();
            copy.identity["id"] = fmt::format("date {}", ++runs);
            for (const Figure& one : figures) {
                multiply(copy, one.table, one.value, factor);
                if (one.low == nullptr) continue;
                const auto values = copy.table(one.table).column(one.value).numbers;
                for (std::size_t row = 0; row < values.size(); ++row) {
                    column_of(copy, one.table, one.low).numbers[row] = 0.998 * values[row];
                    column_of(copy, one.table, one.high).numbers[row] = 1.002 * values[row];
                }
            }
            if (edit) edit(copy);
            records.push_back(std::move(copy));
        }
        write_all(records, path(folder));
    }
    std::vector<ComparisonRow> rows_of_comparison(const std::string& words) const {
        const auto outcome = compare(words + " --json c.json --force");
        if (outcome.code != 0) throw std::runtime_error(outcome.errors + outcome.output);
        return rows_of<ComparisonRow>(read_record(path("c.json")));
    }
};

TEST_F(CompareInterconnect, CallsPlantedChangesWithTheirDirection) {
    write_dates("a", one_percent);
    write_dates("b", other_one_percent, [](Record& record) {
        for (const Figure& one : figures) {
            for (const char* column : {one.value, one.low, one.high}) {
                if (column != nullptr) multiply(record, one.table, column, one.planted);
            }
        }
        multiply(record, "pairs", "rate_gb_s", 3.0);
        multiply(record, "pairs", "factor", 3.0);
    });
    const auto rows = rows_of_comparison("a b");
    for (const Figure& one : figures) {
        std::size_t count = 0;
        for (const auto& row : rows) {
            if (row.table != one.table || row.quantity != one.value) continue;
            ++count;
            EXPECT_EQ(row.benchmark, "interconnect");
            EXPECT_NEAR(row.ratio, one.planted, 5e-3) << row.row;
            EXPECT_EQ(row.verdict, one.verdict) << row.table << " " << row.row;
        }
        EXPECT_EQ(count, real_validation().table(one.table).rows()) << one.table;
    }
    const auto text = compare("a b").output;
    for (const char* head : {"interconnect, alpha_s of table 'paths', lower is better",
                             "interconnect, rate_gb_s of table 'paths', higher is better"}) {
        EXPECT_NE(text.find(head), std::string::npos) << text;
    }
    EXPECT_TRUE(std::regex_search(text, std::regex("\n  between nodes .* [GM]B/s +0[.]80")))
        << text;
    EXPECT_EQ(text.find("only in"), std::string::npos) << text;
}

// On the second day node b comes first, so that rank 0 is where rank 2 was.
TEST_F(CompareInterconnect, FindsRanksByTheirHosts) {
    const auto with_slow_host_a = [](bool b_first) {
        return [b_first](Record& record) {
            for (const auto& [table, key] :
                 {std::pair{"pairs", "sender"}, {"congestion", "sender"}, {"rank_tests", "rank"}}) {
                const char* value = std::string(table) == "congestion" ? "slowdown" : "time_s";
                const auto ranks = column_of(record, table, key).numbers;
                auto& times = column_of(record, table, value).numbers;
                for (std::size_t row = 0; row < ranks.size(); ++row) {
                    if (ranks[row] < 2.0) times[row] *= 2.0;
                }
            }
            if (!b_first) return;
            for (const auto& [table, key] : {std::pair{"pairs", "sender"},
                                             {"pairs", "receiver"},
                                             {"congestion", "sender"},
                                             {"congestion", "receiver"},
                                             {"rank_tests", "rank"}}) {
                for (double& rank : column_of(record, table, key).numbers) {
                    rank = std::fmod(rank + 2.0, 4.0);
                }
            }
            column_of(record, "rank_places", "host").texts = {"b", "b", "a", "a"};
        };
    };
    write_dates("a", one_percent, with_slow_host_a(false));
    write_dates("b", other_one_percent, with_slow_host_a(true));
    for (const auto& row : rows_of_comparison("a b")) {
        EXPECT_NEAR(row.ratio, 1.0, 5e-3) << row.table << " " << row.row;
        EXPECT_EQ(row.verdict, "same") << row.table << " " << row.row;
    }
    EXPECT_TRUE(rows_of<ComparisonMissingRow>(read_record(path("c.json"))).empty());
    const auto text = compare("a b").output;
    EXPECT_TRUE(
        std::regex_search(text, std::regex("\n  a rank 0, to b rank 0, between nodes.*, 8 B")))
        << text;
}

// Of one run on each side, stated to deviate by 1 %; rates of paths vary within a run by more.
TEST_F(CompareInterconnect, UsesTheIntervalsOfAFigure) {
    const auto wide = [](Record& record) {
        multiply(record, "paths", "rate_low_gb_s", 0.8);
        multiply(record, "paths", "rate_high_gb_s", 1.25);
    };
    write_dates("a", {1.0}, wide);
    write_dates("b", {1.0}, wide);
    for (const auto& row : rows_of_comparison("a b --run-deviation 1%")) {
        const double ends = row.table == "rank_tests" ? 1.0
                            : row.quantity == "rate_gb_s" && row.table == "paths"
                                ? 1.002 / 0.998 * 1.25 / 0.8
                                : 1.002 / 0.998;
        const double within = std::log(ends) / 2.0 / 1.96;
        EXPECT_NEAR(row.deviation, std::hypot(0.01, within), 1e-5) << row.table << row.row;
    }
}

// Nor are other limits a difference in what was measured.
TEST_F(CompareInterconnect, AVerdictThatFailsIsNoHindrance) {
    const auto fail = [](Record& record) {
        std::ranges::fill(column_of(record, "interconnect_verdict", "verdict").texts, "fail");
        record.configuration["accept"] = "other limits";
    };
    write_dates("a", one_percent);
    write_dates("b", other_one_percent, fail);
    EXPECT_FALSE(rows_of_comparison("a b").empty());
    const auto text = compare("a b").output;
    EXPECT_NE(text.find("What differs: nothing"), std::string::npos) << text;
    EXPECT_NE(text.find("\nB: 5 runs"), std::string::npos) << text;
}

}  // namespace
}  // namespace shardstone::validation
