// SPDX-License-Identifier: BSD-3-Clause
// The real command on records of real runs with planted changes: table, record, CSV and report.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "results/format/atomic_file.hpp"
#include "results/report/unbroken.hpp"
#include "results/report/words.hpp"
#include "results/schema/comparison.hpp"
#include "validation/unit/results/compare/real_runs.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

bool says(const std::string& text, const std::string& pattern) {
    return std::regex_search(text, std::regex(pattern));
}

class CompareCommand : public testing::Test, protected ComparedRuns {
  protected:
    /// A with five runs; B with five others, 5 % slower with ring; other columns go other ways.
    void write_slower_ring(const Edit& edit = {}) const {
        write_sweeps("a", one_percent);
        write_sweeps("b", other_one_percent, [&](Record& record) {
            for (const char* column : {"time_s", "time_low_s", "time_high_s"}) {
                multiply(record, "collectives", column, 1.05, "ring");
            }
            multiply(record, "collectives", "mean_s", 0.5);
            multiply(record, "collectives", "busbw_gb_s", 3.0);
            if (edit) edit(record);
        });
    }
};

TEST_F(CompareCommand, SaysThatTheSameRunsAreTheSame) {
    write_sweeps("a", one_percent);
    const auto outcome = compare("a a");
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("A and B are the same runs, so that every ratio is 1."),
              std::string::npos);
    EXPECT_NE(outcome.output.find("4 rows: 0 better, 0 worse, 4 same, 0 undecided."),
              std::string::npos)
        << outcome.output;
    EXPECT_NE(compare("a/0.json a/0.json").output.find("4 same"), std::string::npos);
}

TEST_F(CompareCommand, SaysThatRepetitionsAreTheSame) {
    write_sweeps("a", one_percent);
    write_sweeps("b", other_one_percent);
    const auto outcome = compare("a b");
    EXPECT_NE(outcome.output.find("4 rows: 0 better, 0 worse, 4 same, 0 undecided."),
              std::string::npos)
        << outcome.output;
    EXPECT_NE(outcome.output.find("What differs: nothing"), std::string::npos);
}

TEST_F(CompareCommand, CallsAPlantedSlowdownAndNamesWhatDiffersFirst) {
    write_slower_ring([](Record& record) {
        record.environment["libraries"]["hdf5"] = "1.14.0";
        record.environment["variables"]["UCX_TLS"] = "posix,self";
    });
    const auto outcome = compare("a b");
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    const auto& text = outcome.output;
    EXPECT_TRUE(says(text, R"(environment +libraries\.hdf5 +\S+ -> 1\.14\.0\n)")) << text;
    EXPECT_TRUE(says(text, R"(environment +variables\.UCX_TLS +not set -> posix,self\n)")) << text;
    EXPECT_TRUE(says(text, R"(collectives, time_s of table 'collectives', lower is better: )"
                           R"(all_reduce, in_place (yes|no), ranks 2\n)"))
        << text;
    for (const char* size : {"1 KiB", "16 KiB"}) {
        EXPECT_TRUE(says(text, std::string("  ring, ") + size +
                                   R"( .* 1\.050 +1\.0\d\d to 1\.0\d\d +\d\.\d % +5/5  worse\n)"))
            << text;
        EXPECT_TRUE(says(text, std::string("  mpi, ") + size +
                                   R"( .* 1\.000 +0\.9\d\d to 1\.0\d\d +\d\.\d % +5/5  same\n)"))
            << text;
    }
    EXPECT_LT(text.find("libraries.hdf5"), text.find("1.050"));
    EXPECT_NE(text.find("4 rows: 0 better, 2 worse, 2 same, 0 undecided."), std::string::npos);
    // The other way round it is better.
    EXPECT_NE(compare("b a").output.find("4 rows: 2 better, 0 worse, 2 same, 0 undecided."),
              std::string::npos);
}

TEST_F(CompareCommand, HigherRatesAreBetter) {
    const auto slower = [](double factor) {
        return [factor](Record& record) {
            multiply(record, "summary", "tokens_per_s", factor);
            multiply(record, "summary", "step_s", 3.0);
            multiply(record, "summary", "mfu", 7.0);
            record.configuration["precision"] = "bf16";
        };
    };
    write_trainings("a", one_percent);
    write_trainings("slow", other_one_percent, slower(1.0 / 1.05));
    write_trainings("fast", other_one_percent, slower(1.05));
    const auto slow = compare("a slow").output;
    EXPECT_TRUE(says(slow, R"(settings +precision +fp32 -> bf16\n)")) << slow;
    EXPECT_TRUE(says(slow, R"(train, tokens_per_s of table 'summary', higher is better)")) << slow;
    EXPECT_TRUE(says(slow, R"(  nano, ranks 2 .* 0\.952 .* 5/5  worse\n)")) << slow;
    const auto fast = compare("a fast").output;
    EXPECT_TRUE(says(fast, R"(  nano, ranks 2 .* 1\.050 .* 5/5  better\n)")) << fast;
}

// Such a figure is a device's that is not there: each row says so, and the page, and the record.
TEST_F(CompareCommand, MarksWhatIsPacedAndNamesTheUnitOfTokens) {
    const auto paced = [](Record& record) {
        record.configuration["pace_gflop_per_s"] = 20.0;
        multiply(record, "summary", "tokens_per_s", 0.5);
    };
    write_trainings("a", one_percent);
    write_trainings("paced", other_one_percent, paced);
    const auto measured = compare("a a").output;
    EXPECT_EQ(measured.find("paced"), std::string::npos) << measured;
    EXPECT_TRUE(says(measured, R"(  nano, ranks 2 .* tokens/s +.* tokens/s )")) << measured;
    EXPECT_EQ(measured.find("1/s"), std::string::npos) << measured;
    const auto outcome = compare("a paced --json c.json --report c.html");
    const auto& text = outcome.output;
    EXPECT_TRUE(says(text, R"(  nano, ranks 2 .* 5/5  \S+.* ~ paced \(B\)\n)")) << text;
    EXPECT_TRUE(says(text, R"(settings +pace_gflop_per_s +not set -> 20\.0\n)")) << text;
    EXPECT_NE(text.find("~ paced: the ranks of that side computed nothing"), std::string::npos);
    EXPECT_NE(read_file(path("c.html")).find("~ paced (B)"), std::string::npos);
    const auto rows = rows_of<ComparisonRow>(read_record(path("c.json")));
    ASSERT_FALSE(rows.empty());
    EXPECT_EQ(rows.front().paced, "paced (B)");
    EXPECT_EQ(rows.front().verdict, "undecided") << "though it is half as fast";
    EXPECT_EQ(rows.front().reason, "only one side was paced");
    EXPECT_EQ(rows.front().unit, "tokens/s");
    EXPECT_TRUE(says(compare("paced paced").output, R"( ~ paced \(A and B\)\n)"));
}

// Where only the library that multiplies is another, only it is named.
TEST_F(CompareCommand, NamesAChangedMatrixLibraryOfTrainings) {
    std::string before;
    write_trainings("a", one_percent);
    write_trainings("b", other_one_percent, [&](Record& record) {
        auto& product = record.environment.at("kernels").at("matrix_product");
        before = product.get<std::string>();
        product = "oneDNN 9.8.7" + before.substr(before.find(" ("));
    });
    ASSERT_NE(before, "");
    const auto text = compare("a b").output;
    const std::string was = before.substr(0, before.find(" ("));
    EXPECT_TRUE(says(text, "What differs\n  environment +kernels\\.matrix_product +.*" + was +
                               ".* -> .*oneDNN 9\\.8\\.7.*\n\n"))
        << text;
}

// A's figure first, in the table and on the page.
TEST_F(CompareCommand, ShowsTheFiguresOfBothSides) {
    write_slower_ring();
    const auto outcome = compare("a b --json c.json --report page.html");
    const std::string page = with_plain_blanks(read_file(path("page.html")));
    for (const auto& row : rows_of<ComparisonRow>(read_record(path("c.json")))) {
        if (row.row.find("algorithm=ring") == std::string::npos) continue;
        const std::string a = time_text(row.a), b = time_text(row.b);
        ASSERT_NE(a, b);
        EXPECT_TRUE(says(outcome.output, "  " + row.label + " +" + a + " +" + b + " +1\\.050"))
            << outcome.output;
        EXPECT_TRUE(says(page, row.label + "</td><td[^>]*>time_s</td><td[^>]*>" + a +
                                   "</td><td[^>]*>" + b + "</td><td[^>]*>1\\.050</td>"))
            << row.label;
    }
}

TEST_F(CompareCommand, RecordsWhatItSays) {
    write_slower_ring();
    ASSERT_EQ(compare("a b --json c.json --csv c.csv").code, 0);
    EXPECT_EQ(shardstone("verify c.json").code, 0);
    const auto record = read_record(path("c.json"));
    EXPECT_EQ(record.kind, "compare");
    const auto rows = rows_of<ComparisonRow>(record);
    ASSERT_EQ(rows.size(), 4U);
    std::istringstream csv(read_file(path("c.csv")));
    std::string line;
    std::getline(csv, line);
    EXPECT_TRUE(line.starts_with("benchmark,table,row,label,quantity,unit,better_if,a,b,ratio,"));
    for (const auto& row : rows) {
        const bool slow = row.row.find("algorithm=ring") != std::string::npos;
        EXPECT_EQ(row.verdict, slow ? "worse" : "same") << row.row;
        EXPECT_NEAR(row.ratio, slow ? 1.05 : 1.0, 2e-3);
        EXPECT_NEAR(row.worse_by, row.ratio - 1.0, 1e-12);
        EXPECT_NEAR(row.b / row.a, row.ratio, 1e-9);
        EXPECT_LT(row.ratio_low, row.ratio);
        EXPECT_GT(row.ratio_high, row.ratio);
        ASSERT_TRUE(std::getline(csv, line));
        EXPECT_TRUE(line.ends_with(slow ? ",worse," : ",same,")) << line;
        EXPECT_NE(line.find(row.row), std::string::npos);
    }
    EXPECT_FALSE(std::getline(csv, line));
    const auto files = rows_of<ComparisonRecordRow>(record);
    ASSERT_EQ(files.size(), 10U);
    EXPECT_EQ(files[5].side, "B");
    EXPECT_EQ(files[5].hash, read_record(path(files[5].file)).hash);
}

TEST_F(CompareCommand, MakesAPageAndJoinsAReport) {
    write_slower_ring(
        [](Record& record) { record.environment["variables"]["UCX_TLS"] = "posix,self"; });
    ASSERT_EQ(compare("a b --json c.json --report page.html").code, 0);
    EXPECT_EQ(shardstone("verify page.html").code, 0);
    ASSERT_EQ(shardstone("report a/0.json c.json --out all.html").code, 0);
    for (const char* name : {"page.html", "all.html"}) {
        const std::string page = read_file(path(name));
        const auto section = page.find("<section id=\"comparison\">");
        ASSERT_NE(section, std::string::npos) << name;
        const auto difference = page.find("variables.UCX_TLS", section);
        const auto ratio = page.find("1.050</td>", section);
        ASSERT_NE(ratio, std::string::npos) << name;
        EXPECT_LT(difference, ratio) << name;
        EXPECT_NE(page.find("4 rows: 0 better, 2 worse, 2 same, 0 undecided."), std::string::npos);
    }
}

TEST_F(CompareCommand, LeavesOutByNameWhatCannotBeCompared) {
    write_slower_ring();
    Record failed = real_sweep();
    failed.identity["id"] = "failed";
    failed.verification[0].passed = false;
    write_json(failed, path("b/failed.json"));
    Record nothing = real_sweep();
    nothing.identity["id"] = "nothing";
    nothing.kind = "equivalence";
    nothing.derived.clear();
    write_json(nothing, path("b/nothing.json"));
    write_file(path("b/other.json"), "{}\n");
    write_file(path("b/broken.json"), R"({"format": "shardstone record", "hash": "0"})");
    const auto outcome = compare("a b --json c.json");
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    const auto& text = outcome.output;
    EXPECT_TRUE(says(text, "left out of B: 'b/failed.json': it did not pass its verification"));
    EXPECT_TRUE(says(text,
                     "left out of B: 'b/nothing.json': a record of kind 'equivalence' has no "
                     "table that can be compared"))
        << text;
    EXPECT_TRUE(says(text, "left out of B: 'b/broken.json': .*is not a Shardstone record")) << text;
    EXPECT_FALSE(says(text, "b/other.json")) << "is no record, and looks like none\n" << text;
    EXPECT_TRUE(says(text, "\nB: 5 runs")) << text;
    const auto files = rows_of<ComparisonRecordRow>(read_record(path("c.json")));
    EXPECT_EQ(std::ranges::count(files, "", &ComparisonRecordRow::left_out), 10);
    EXPECT_EQ(files.size(), 13U);
    EXPECT_TRUE(compare("a b/failed.json").is_one_line_about("nothing to compare"));
}

// The same run as JSON and HDF5 is one run.
TEST_F(CompareCommand, CountsTwinsOnce) {
    write_slower_ring();
    write_hdf5(read_record(path("a/0.json")), path("a/twin.h5"));
    const auto text = compare("a b").output;
    EXPECT_TRUE(says(text, "A: 5 runs")) << text;
    EXPECT_FALSE(says(text, "left out")) << text;
}

TEST_F(CompareCommand, MarksWhatWasDisturbed) {
    write_slower_ring([](Record& record) {
        for (Table& table : record.derived) {
            if (table.name != "collectives") continue;
            const auto algorithms = table.column("algorithm").texts;
            for (auto& column : table.columns) {
                for (std::size_t row = 0; row < column.numbers.size(); ++row) {
                    if (column.name == "disturbed" && algorithms[row] == "ring") {
                        column.numbers[row] = 1.0;
                    }
                }
            }
        }
    });
    const auto text = compare("a b").output;
    EXPECT_TRUE(says(text, R"(ring, 1 KiB .* 1\.050 .* undecided \(the machine was busy\) !\n)"))
        << text;
    EXPECT_TRUE(says(text, R"(mpi, 1 KiB .* same\n)")) << text;
    EXPECT_TRUE(says(text, "! disturbed: the machine was busy with other work")) << text;
}

}  // namespace
}  // namespace shardstone::validation
