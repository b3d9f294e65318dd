// SPDX-License-Identifier: BSD-3-Clause
// What the screen, a check and the report say of a stall: where, who and what.
#include <gtest/gtest.h>

#include <cmath>

#include "benchmarks/harness/stall_record.hpp"
#include "results/format/json_format.hpp"
#include "results/schema/stalls_in_words.hpp"

namespace shardstone::benchmarks {
namespace {

using results::OutlierRow;

OutlierRow in_step(double step) {
    OutlierRow row;
    row.step = step;
    row.timed = 1.0;
    row.kept = 1.0;
    row.excused = 0.0;
    row.place = "rank 1 on node 0 (vm)";
    row.time_s = 0.554;
    row.usual_s = 0.0175;
    row.machine = "stalled for 540 ms";
    return row;
}

OutlierRow in_iteration(double iteration) {
    OutlierRow row = in_step(NAN);
    row.operation = "all_reduce";
    row.algorithm = "ring";
    row.in_place = 1.0;
    row.size_bytes = 64.0;
    row.iteration = iteration;
    return row;
}

OutlierRow outside(OutlierRow row) {
    row.timed = 0.0;
    row.step = row.iteration = row.time_s = NAN;
    return row;
}

TEST(StallWords, SayWhereInTheRun) {
    EXPECT_EQ(where_in_run(in_step(224)), "step 224");
    EXPECT_EQ(where_in_run(outside(in_step(224))), "outside the timed parts");
    OutlierRow before = in_step(3);
    before.timed = 0.0;
    EXPECT_EQ(where_in_run(before), "before step 3");
    EXPECT_EQ(where_in_run(in_iteration(594)), "all_reduce ring, 64 B, iteration 594");
    OutlierRow apart = in_iteration(0);
    apart.in_place = 0.0;
    EXPECT_EQ(where_in_run(apart), "all_reduce ring, 64 B, out of place, iteration 0");
    EXPECT_EQ(where_in_run(outside(in_iteration(5))),
              "all_reduce ring, 64 B, outside the timed parts");
    // A study is watched as a whole: nothing in it is outside.
    OutlierRow study = outside(in_step(1));
    study.usual_s = NAN;
    study.operation = "pipeline";
    study.algorithm = "4 micro-batches";
    EXPECT_EQ(where_in_run(study), "pipeline, 4 micro-batches");
    study.operation = study.algorithm = "";
    EXPECT_EQ(where_in_run(study), "");
}

TEST(StallWords, SayWhoAndWhat) {
    EXPECT_EQ(in_words(in_step(224)),
              "step 224: rank 1 on node 0 (vm): 554 ms instead of 17.5 ms; stalled for 540 ms");
    OutlierRow left_out = in_iteration(594);
    left_out.kept = 0.0;
    EXPECT_EQ(in_words(left_out),
              "all_reduce ring, 64 B, iteration 594: rank 1 on node 0 (vm): 554 ms instead of 17.5 "
              "ms; that try was repeated and does not count; stalled for 540 ms");
}

// 40 ms of 24.6 s are less than the last digit that is printed.
TEST(StallWords, CompareNoTimesThatLookEqual) {
    OutlierRow in_long = in_step(3);
    in_long.time_s = 24.61;
    in_long.usual_s = 24.57;
    EXPECT_EQ(in_words(in_long), "step 3: rank 1 on node 0 (vm); stalled for 540 ms");
    in_long.usual_s = 24.4;
    EXPECT_EQ(in_words(in_long),
              "step 3: rank 1 on node 0 (vm): 24.6 s instead of 24.4 s; stalled for 540 ms");
}

TEST(StallWords, LeaveOutWhatIsNot) {
    const OutlierRow timed = in_step(224), beside = outside(in_step(1));
    EXPECT_EQ(results::counts_in_words({timed}), "1 sample");
    EXPECT_EQ(results::counts_in_words({beside, beside}), "2 stalls outside the timed parts");
    EXPECT_EQ(results::counts_in_words({timed, beside}),
              "1 sample and 1 stall outside the timed parts");
    OutlierRow other_rank = timed, again = timed;
    other_rank.place = "rank 0 on node 0 (vm)";
    again.kept = 0.0;
    EXPECT_EQ(results::counts_in_words({timed, other_rank, in_step(225)}), "2 samples");
    EXPECT_EQ(results::counts_in_words({again, timed}), "1 sample and 1 stall in repeated tries");
    OutlierRow excused = timed;
    excused.excused = 1.0;
    EXPECT_EQ(stall_note({excused}), "");
    EXPECT_EQ(
        stall_note({timed, excused}),
        "! STALLED: 1 sample; all in table outliers\n"
        "!   step 224: rank 1 on node 0 (vm): 554 ms instead of 17.5 ms; stalled for 540 ms\n");
}

TEST(StallWords, AFailedCheckSaysWhereWhoAndWhat) {
    OutlierRow excused = in_step(2);
    excused.excused = 1.0;
    EXPECT_TRUE(outlier_check({excused}).passed);
    const results::Check one = outlier_check({excused, in_step(224)});
    EXPECT_FALSE(one.passed);
    EXPECT_EQ(one.detail, in_words(in_step(224)));
    OutlierRow again = in_step(6);
    again.kept = 0.0;
    EXPECT_EQ(outlier_check({again, in_step(7)}).detail,
              in_words(in_step(7)) + "; and 1 more in table outliers");
    EXPECT_FALSE(outlier_check({again}).passed);
    EXPECT_EQ(outlier_check({in_step(7), in_step(8), in_step(9)}).detail,
              in_words(in_step(7)) + "; and 2 more in table outliers");
}

/// Every figure another, so that each can only be in its own place.
OutlierRow all_different() {
    OutlierRow row = in_iteration(594.0);
    row.operation = row.algorithm = "";
    row.in_place = row.size_bytes = NAN;
    row.attempt = 2.0;
    row.kept = 0.0;
    row.rank = 3.0;
    row.node = 1.0;
    row.at_s = 11.5;
    row.times_as_large = row.time_s / row.usual_s;
    row.still_s = 0.54;
    row.waited_s = 0.125;
    row.switches = 5.0;
    row.faults = 7.0;
    row.stolen_s = 0.0625;
    return row;
}

std::string text_of(const OutlierRow& row) {
    results::Record record;
    record.derived = {results::table_of(std::vector{row})};
    return results::to_json_text(record);
}

TEST(StallWords, ARowTellsTheStallThatItWasMadeOf) {
    OutlierRow row = all_different();
    EXPECT_EQ(text_of(outlier_row(stall_of(row))), text_of(row));
    row.kept = 1.0;
    row.timed = 0.0;
    row.excused = 1.0;
    EXPECT_EQ(text_of(outlier_row(stall_of(row))), text_of(row));
    // Of what nobody is named for and no iteration holds.
    row.rank = row.node = row.iteration = NAN;
    const Stall nobody = stall_of(row);
    EXPECT_EQ(nobody.outlier.rank, Outlier::nobody);
    EXPECT_EQ(nobody.outlier.node, -1);
    EXPECT_EQ(nobody.outlier.occasion.iteration, -1);
}

}  // namespace
}  // namespace shardstone::benchmarks
