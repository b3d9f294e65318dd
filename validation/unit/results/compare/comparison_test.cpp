// SPDX-License-Identifier: BSD-3-Clause
// Whole comparisons of made-up records: what is recorded, refused, counted and shown in a report.
#include "results/compare/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "results/report/section.hpp"
#include "results/schema/schema.hpp"
#include "validation/unit/results/compare/compared_records.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

std::vector<Record> sweeps(double factor, const Edit& edit = {}) {
    return repeated(written_collectives(), "collectives", "time_s",
                    factor == 1.0 ? one_percent : other_one_percent, [&](Record& record) {
                        multiply(record, "collectives", "time_s", factor, "ring");
                        multiply(record, "collectives", "time_low_s", std::nan(""));
                        if (edit) edit(record);
                    });
}

Comparison compared(const std::vector<Record>& a, const std::vector<Record>& b) {
    return compare(as_side(a, "a"), as_side(b, "b"), {});
}

const ComparisonRow& row_of(const Comparison& comparison, const std::string& label) {
    const auto found = std::ranges::find(comparison.rows, label, &ComparisonRow::label);
    require(found != comparison.rows.end(), [&] { return "no row " + label; });
    return *found;
}

std::string refusal(const std::vector<Record>& a, const std::vector<Record>& b) {
    try {
        compared(a, b);
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

TEST(Comparison, CallsThePlantedRowAndNoOther) {
    const auto comparison = compared(sweeps(1.0), sweeps(1.05));
    ASSERT_EQ(comparison.rows.size(), 5U);
    const auto& ring = row_of(comparison, "ring, 4 B");
    EXPECT_EQ(ring.verdict, "worse");
    EXPECT_NEAR(ring.ratio, 1.05, 1e-3);
    EXPECT_NEAR(ring.worse_by, 0.05, 1e-3);
    EXPECT_NEAR(ring.a, 11e-6, 1e-9);
    EXPECT_NEAR(ring.b, 1.05 * 11e-6, 1e-8);
    EXPECT_EQ(ring.runs_a, 5.0);
    EXPECT_EQ(ring.better_if, "lower");
    EXPECT_EQ(std::ranges::count(comparison.rows, "same", &ComparisonRow::verdict), 4);
    EXPECT_TRUE(comparison.mirrored);
    EXPECT_TRUE(comparison.differences.empty());
}

TEST(Comparison, NamesEnvironmentAndSettingsThatDiffer) {
    const auto changed = [](Record& record) {
        record.environment["libraries"]["hdf5"] = "1.14.0";
        record.configuration["type"] = "bf16";
    };
    const auto found = compared(sweeps(1.0), sweeps(1.05, changed)).differences;
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].name, "libraries.hdf5");
    EXPECT_EQ(found[0].b, "1.14.0");
    EXPECT_EQ(found[0].rows, 5.0);
    EXPECT_EQ(found[1].group, "settings");
    EXPECT_EQ(found[1].name, "type");
    EXPECT_EQ(found[1].a, "fp32");
    EXPECT_EQ(found[1].b, "bf16");
}

// Both sides hold both precisions, but each plan has the other one.
TEST(Comparison, SeesSettingsThatAreExchangedBetweenRows) {
    const auto run = [](const char* plan, const char* precision) {
        return written_training({.plan = plan, .precision = precision, .ranks = 4});
    };
    const auto found = compared({run("dp=4", "fp32"), run("tp=4", "bf16")},
                                {run("dp=4", "bf16"), run("tp=4", "fp32")})
                           .differences;
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].name, "precision");
    EXPECT_EQ(found[1].name, "precision");
    EXPECT_EQ(found[0].rows, 1.0);
    EXPECT_EQ(found[0].a + found[0].b + found[1].a + found[1].b, "bf16fp32fp32bf16");
}

TEST(Comparison, NamesRowsThatOneSideLacks) {
    auto fewer = sweeps(1.05);
    for (Record& record : fewer) {
        for (auto& column : record.derived[0].columns) {
            if (!column.numbers.empty()) column.numbers.pop_back();
            if (!column.texts.empty()) column.texts.pop_back();
        }
    }
    const auto comparison = compared(sweeps(1.0), fewer);
    EXPECT_EQ(comparison.rows.size(), 4U);
    ASSERT_EQ(comparison.missing.size(), 1U);
    EXPECT_EQ(comparison.missing[0].only_in, "A");
    EXPECT_EQ(comparison.missing[0].label, "mpi, 1 MiB");
    EXPECT_EQ(compared(fewer, sweeps(1.0)).missing.at(0).only_in, "B");
}

TEST(Comparison, OfTheVerySameRunsSaysSo) {
    const auto runs = sweeps(1.0);
    const auto comparison = compared(runs, runs);
    EXPECT_TRUE(comparison.same_runs);
    EXPECT_EQ(std::ranges::count(comparison.rows, "same", &ComparisonRow::verdict), 5);
    for (const auto& row : comparison.rows) EXPECT_EQ(row.ratio, 1.0);
}

TEST(Comparison, RefusesRunsOnBothSidesAndChangedCopies) {
    auto runs = sweeps(1.0);
    auto shared = sweeps(1.05);
    shared.push_back(runs[2]);
    EXPECT_NE(refusal(runs, shared).find("'b/5.json' is on both sides"), std::string::npos)
        << refusal(runs, shared);
    auto changed = sweeps(1.05);
    changed[1].identity["id"] = runs[3].identity["id"];
    EXPECT_NE(refusal(runs, changed).find("'a/3.json' and 'b/1.json' have different contents"),
              std::string::npos)
        << refusal(runs, changed);
}

TEST(Comparison, RefusesRecordsWithoutACommonRow) {
    EXPECT_NE(refusal(sweeps(1.0), {written_kernels(0.5)})
                  .find("A (collectives) and B (kernels) "
                        "have no row in common"),
              std::string::npos);
}

TEST(Comparison, RefusesSettingsThatNeverMeet) {
    const auto run = [](const char* precision) {
        return written_training({.plan = "dp=4", .precision = precision, .ranks = 4});
    };
    EXPECT_NE(refusal({run("fp32"), run("bf16")}, {run("fp16")})
                  .find("differ among themselves in precision"),
              std::string::npos);
}

TEST(Comparison, TellsHowManyRunsWouldDecide) {
    EXPECT_EQ(compared(sweeps(1.0), sweeps(1.05)).runs_needed, 0U);
    const auto noisy = [](double sign) {
        return repeated(written_kernels(0.5), "kernels", "time_s",
                        {std::exp(sign * 0.1), 1.0, std::exp(-sign * 0.1)});
    };
    const auto needed = compared(noisy(1.0), noisy(0.8)).runs_needed;
    EXPECT_GT(needed, 100U);
    // It is the row in the middle that counts, not one that varies less.
    const auto with_a_quiet_row = [&](double sign) {
        auto records = noisy(sign);
        for (Record& record : records) {
            auto& times_s = numbers_of(record, "kernels", "time_s");
            const double usual_s = numbers_of(records[1], "kernels", "time_s").front();
            times_s.front() = usual_s * std::pow(times_s.front() / usual_s, 0.5);
        }
        return records;
    };
    EXPECT_EQ(compared(with_a_quiet_row(1.0), with_a_quiet_row(0.8)).runs_needed, needed);
    // What was disturbed is undecided however often it is repeated on a busy machine.
    const auto disturbed = [&](double sign) {
        auto records = noisy(sign);
        for (Record& record : records) {
            std::ranges::fill(numbers_of(record, "kernels", "disturbed"), 1.0);
        }
        return records;
    };
    EXPECT_EQ(compared(disturbed(1.0), disturbed(0.8)).runs_needed, 0U);
    const auto single = [&](double sign) { return std::vector<Record>{noisy(sign).front()}; };
    EXPECT_EQ(compared(single(1.0), single(0.8)).runs_needed, 0U) << "nobody knows how they differ";
}

/// The record of a comparison with one worse row and one difference.
Record comparison_record() {
    const auto changed = [](Record& r) { r.environment["variables"]["UCX_TLS"] = "tcp"; };
    Record record = written_record("compare", "left", 1);
    fill_record(compared(sweeps(1.0), sweeps(1.05, changed)), {}, record);
    return record;
}

TEST(ComparisonRecord, IsDescribedAndVerified) {
    const Record record = comparison_record();
    EXPECT_NO_THROW(require_described(record));
    EXPECT_TRUE(record.verified());
    EXPECT_EQ(record.verification.size(), 2U);
    EXPECT_EQ(rows_of<ComparisonRow>(record).size(), 5U);
    EXPECT_EQ(rows_of<ComparisonRecordRow>(record).size(), 10U);
    EXPECT_EQ(record.configuration.at("margin"), 0.03);
}

TEST(ComparisonSection, ListsDifferencesBeforeRatios) {
    const auto sources = as_sources({comparison_record()});
    const auto section = comparison_section(sources);
    ASSERT_TRUE(section);
    EXPECT_EQ(
        section->findings.at(0).sentence,
        "B next to A, from which it differs in 1 property: 5 rows: 0 better, 1 worse, 4 same, "
        "0 undecided. Most of all it is worse in time_s of collectives, ring, 4 B: B / A is "
        "1.050.");
    const auto difference = section->body.find("variables.UCX_TLS");
    const auto ratio = section->body.find("1.050");
    ASSERT_NE(difference, std::string::npos);
    ASSERT_NE(ratio, std::string::npos);
    EXPECT_LT(difference, ratio);
    EXPECT_NE(section->body.find("posix,self</td><td>tcp"), std::string::npos);
    EXPECT_FALSE(comparison_section(as_sources({written_collectives()})));
}

}  // namespace
}  // namespace shardstone::validation
