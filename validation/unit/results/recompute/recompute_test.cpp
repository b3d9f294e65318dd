// SPDX-License-Identifier: BSD-3-Clause
// Figures of archived records of every version are what their samples give, and altered ones not.
#include "results/recompute/recompute.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "results/format/record_files.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

std::string archived(const std::string& file) {
    return SHARDSTONE_SOURCE_DIR "/results/archive/" + file;
}

TEST(Recompute, ArchivedRecordsAreWhatTheirSamplesGive) {
    std::size_t figures = 0;
    for (const auto& path : files_below({archived("")}, {".h5"})) {
        const Recomputed found = recompute(read_record(path));
        figures += found.figures;
        for (const Mismatch& one : found.wrong) ADD_FAILURE() << path << ": " << in_words(one);
    }
    std::printf("%zu figures recomputed\n", figures);
    EXPECT_GT(figures, 3500U);
}

/// A table of an archived record, and its columns that are recomputed.
struct Family {
    const char* file;
    const char* table;
    std::vector<std::string> columns;
};

/// Each altered alone, in the first row that has it: by less than a report shows, and to what is no
/// number, or none that was measured.
void expect_each_alteration_found(const Family& family) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Record record = read_record(archived(family.file));
    for (const std::string& name : family.columns) {
        for (const double factor : {1.0 + 1e-6, not_measured, infinity}) {
            Record altered = record;
            auto& numbers = numbers_of(altered, family.table, name);
            const auto number = std::ranges::find_if(
                numbers, [](double one) { return !std::isnan(one) && one != 0.0; });
            ASSERT_NE(number, numbers.end()) << family.file << " has no " << name;
            *number *= factor;
            const auto found = recompute(altered).wrong;
            const bool named = std::ranges::any_of(found, [&](const Mismatch& one) {
                return one.table == family.table && one.column == name &&
                       one.row == static_cast<std::size_t>(number - numbers.begin());
            });
            EXPECT_TRUE(named) << family.file << ", " << family.table << ", " << name << " x "
                               << factor;
        }
    }
}

TEST(Recompute, FindsAnAlteredFigureOfEveryFamily) {
    for (const Family& family : std::vector<Family>{
             {"quickstart/collectives.h5",
              "collectives",
              {"time_s", "mean_s", "time_low_s", "time_high_s", "p95_s", "skew_s", "algbw_gb_s",
               "busbw_gb_s"}},
             {"quickstart/train-2.h5",
              "summary",
              {"tokens_per_s", "tokens_per_s_low", "tokens_per_s_high", "step_s", "step_s_low",
               "step_s_high", "uncounted_steps", "counted_steps", "tokens_per_step", "flop_per_s",
               "mfu", "final_loss", "validation_loss", "compute_s", "communication_s", "data_s",
               "optimizer_s"}},
             {"quickstart/train-2.h5", "steps", {"time_s", "tokens_per_s", "compute_s", "data_s"}},
             {"quickstart/kernels.h5",
              "kernels",
              {"time_s", "time_low_s", "time_high_s", "best_s", "intensity", "share"}},
             {"quickstart/probe.h5", "machine", {"value", "low", "high"}},
             {"pipeline/study.h5",
              "utilisation",
              {"measured", "measured_low", "measured_high", "median_span_s"}},
             {"version2/overlap.h5", "overlap", {"median", "low", "high"}}}) {
        expect_each_alteration_found(family);
    }
}

/// A paced training has no MFU, and may not be given one.
TEST(Recompute, FindsAnMfuOfAPacedTraining) {
    Record record = read_record(archived("quickstart/train-2.h5"));
    record.configuration["pace_gflop_per_s"] = 20.0;
    const auto is_mfu = [](const Mismatch& one) { return one.column == "mfu"; };
    EXPECT_TRUE(std::ranges::any_of(recompute(record).wrong, is_mfu));
    numbers_of(record, "summary", "mfu")[0] = not_measured;
    EXPECT_FALSE(std::ranges::any_of(recompute(record).wrong, is_mfu));
}

/// What the samples do not support may not be claimed.
TEST(Recompute, FindsAnIntervalThatTooFewSamplesCannotGive) {
    Record record = written_collectives();
    for (auto& column : record.samples.front().columns) {
        if (column.name == "size_bytes") column.numbers = {4, 4, 4};
        if (column.name == "in_place") column.numbers = {1, 1, 1};
    }
    const auto found = recompute(record).wrong;
    const bool named = std::ranges::any_of(
        found, [](const Mismatch& one) { return one.column == "time_low_s" && one.row == 0; });
    EXPECT_TRUE(named);
}

}  // namespace
}  // namespace shardstone::validation
