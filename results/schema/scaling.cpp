// SPDX-License-Identifier: BSD-3-Clause
// Columns of the tables of a scaling study: points, parts of their steps, fitted models.
#include "results/schema/scaling.hpp"

namespace shardstone::results {

namespace {

constexpr const char* curve_meaning =
    "The trained system, and 'weak scaling' (the work of a rank stays) or 'strong scaling' (the "
    "global batch stays).";

}  // namespace

const TableSchema<ScalingRow> ScalingRow::schema{
    "scaling",
    Role::derived,
    "Trainings of one system on one number of ranks; the curve's base has the fewest.",
    {{"curve", "", curve_meaning, &Row::curve, 3},
     {"ranks", "1", "Number of ranks.", &Row::ranks, 3},
     {"runs", "1", "Runs that count: the undisturbed ones, or all where none is.", &Row::runs, 3},
     {"split_runs", "1", "Runs among them that were split into parts (train --explain).",
      &Row::split_runs, 3},
     {"tokens_per_s", "1/s", "Geometric mean over the runs.", &Row::tokens_per_s, 3},
     {"tokens_per_s_low", "1/s",
      "Lower end of the 95 % interval over runs (Student's t of the logarithms); of a single run, "
      "over its steps.",
      &Row::tokens_per_s_low, 3},
     {"tokens_per_s_high", "1/s", "Upper end of that interval.", &Row::tokens_per_s_high, 3},
     {"speedup", "1", "tokens_per_s over the base's.", &Row::speedup, 3},
     {"efficiency", "1", "Speed-up over the ratio of ranks.", &Row::efficiency, 3},
     {"efficiency_low", "1",
      "Lower end of its 95 % interval (Welch's t of the logarithms); not a number where the point "
      "or the base has a single run.",
      &Row::efficiency_low, 3},
     {"efficiency_high", "1", "Upper end of that interval.", &Row::efficiency_high, 3},
     {"step_s", "s", "Tokens of a step over tokens_per_s.", &Row::step_s, 3},
     {"predicted_s", "s", "The step that the cost model predicts; not a number without --explain.",
      &Row::predicted_s, 3},
     {"split_step_s", "s",
      "Mean of the steps that were split into parts, by the trainings' own clock; not a number "
      "without --explain.",
      &Row::split_step_s, 3},
     {"parts_s", "s", "Sum of the parts of these steps; not a number without --explain.",
      &Row::parts_s, 3},
     {"disturbed", "1", "1 if all runs were disturbed, else 0.", &Row::disturbed, 3}}};

const TableSchema<ScalingGapRow> ScalingGapRow::schema{
    "scaling_gap",
    Role::derived,
    "Where the time of a point's steps went (table gap of its records), mean over the runs that "
    "were split.",
    {{"curve", "", curve_meaning, &Row::curve, 3},
     {"ranks", "1", "Number of ranks.", &Row::ranks, 3},
     {"part", "", "As in table gap.", &Row::part, 3},
     {"time_s", "s", "Of a step.", &Row::time_s, 3},
     {"predicted_s", "s", "Of the predicted step.", &Row::predicted_s, 3},
     {"lost_s", "s",
      "time_s less what the part would take if the base's shrank as the work of a rank does: these "
      "add up to the step less the ideal step.",
      &Row::lost_s, 3},
     {"disturbed", "1", "1 if all runs of the point were disturbed, else 0.", &Row::disturbed, 3}}};

const TableSchema<ScalingChangeRow> ScalingChangeRow::schema{
    "scaling_what_if",
    Role::derived,
    "What a point would be if one thing were different, by replay (table what_if of its records). "
    "Computed, not measured.",
    {{"curve", "", curve_meaning, &Row::curve, 3},
     {"ranks", "1", "Number of ranks.", &Row::ranks, 3},
     {"change", "", "As in table what_if.", &Row::change, 3},
     {"detail", "", "As in table what_if.", &Row::detail, 3},
     {"tokens_per_s", "1/s", "The point's, times ratio.", &Row::tokens_per_s, 3},
     {"ratio", "1",
      "How many times as fast: the sum of the point's parts (parts_s of table scaling) over the "
      "step with the change (step_s of table what_if), both means over the runs that were split.",
      &Row::ratio, 3},
     {"disturbed", "1", "1 if all runs of the point were disturbed, else 0.", &Row::disturbed, 3}}};

const TableSchema<ScalingFitRow> ScalingFitRow::schema{
    "scaling_fits",
    Role::derived,
    "A model of scaling, fitted to all points but the largest and judged on that.",
    {{"curve", "", curve_meaning, &Row::curve, 3},
     {"model", "",
      "'Amdahl's law', 'the universal scalability law', 'the cost model', or that 'scaled'.",
      &Row::model, 3},
     {"parameters", "",
      "In words. Serial share, contention: the share of all work that further ranks do not divide "
      "among them; coherency: that which each ordered pair of ranks adds (of sets of ranks where "
      "the base has several).",
      &Row::parameters, 3},
     {"ranks", "1", "Of the largest point.", &Row::ranks, 3},
     {"tokens_per_s", "1/s", "What the model predicts there.", &Row::tokens_per_s, 3},
     {"tokens_per_s_low", "1/s",
      "Lower end of the 95 % prediction interval: the wider of that by how runs differ and that by "
      "how the points seen miss the model.",
      &Row::tokens_per_s_low, 3},
     {"tokens_per_s_high", "1/s", "Upper end of that interval.", &Row::tokens_per_s_high, 3},
     {"measured_tokens_per_s", "1/s", "What was measured there.", &Row::measured_tokens_per_s, 3},
     {"holds", "1",
      "1 if that lies in the interval, else 0, whether or not it may be judged: see verdict; not a "
      "number without an interval: of single runs that no other points tell one of.",
      &Row::holds, 3},
     {"verdict", "",
      "'held' or 'missed'; or 'cannot be judged: ' and why: 'disturbed' where a point of the curve "
      "is, 'too wide' where the rate lies in an interval of more than a factor of 2, 'no "
      "interval'.",
      &Row::verdict, 3}}};

const TableSchema<ScalingCurveRow> ScalingCurveRow::schema{
    "scaling_curves",
    Role::derived,
    "Whose runs a curve is of.",
    {{"curve", "", curve_meaning, &Row::curve, 3},
     {"machine", "",
      "Machine of the runs, which need not be that of this record: host, or partition of a Slurm "
      "cluster, with processor and cores.",
      &Row::machine, 3},
     {"device", "", "'cpu', or the device whose time computations took.", &Row::device, 3},
     {"paced", "1", "1 if computations only took such time, else 0.", &Row::paced, 3}}};

const TableSchema<ScalingFindingRow> ScalingFindingRow::schema{
    "scaling_findings",
    Role::derived,
    "What is to be said of a curve, in sentences that stand by themselves.",
    {{"curve", "", curve_meaning, &Row::curve, 3},
     {"finding", "",
      "Efficiency, losses, replays, predictions and models, with what may not be judged and why.",
      &Row::finding, 3}}};

}  // namespace shardstone::results
