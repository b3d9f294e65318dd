// SPDX-License-Identifier: BSD-3-Clause
// Columns of the tables of a comparison of records: ratios, differences, what could not be
// compared.
#include "results/schema/comparison.hpp"

namespace shardstone::results {

namespace {

constexpr const char* benchmark_meaning = "Kind of the compared records.";
constexpr const char* table_meaning = "Table of those records.";
constexpr const char* row_meaning =
    "What names the row in that table, and settings by which one side has several of it.";
constexpr const char* label_meaning = "The part of it in which the rows of the table differ.";

}  // namespace

const TableSchema<ComparisonRow> ComparisonRow::schema{
    "comparison",
    Role::derived,
    "One figure of records B next to that of records A, over the runs of each.",
    {{"benchmark", "", benchmark_meaning, &Row::benchmark, 3},
     {"table", "", table_meaning, &Row::table, 3},
     {"row", "", row_meaning, &Row::row, 3},
     {"label", "", label_meaning, &Row::label, 3},
     {"quantity", "", "Compared column of that table.", &Row::quantity, 3},
     {"unit", "", "Its unit.", &Row::unit, 3},
     {"better_if", "", "'lower' or 'higher'.", &Row::better_if, 3},
     {"a", "", "Geometric mean over the runs of A, in that unit.", &Row::a, 3},
     {"b", "", "Geometric mean over the runs of B.", &Row::b, 3},
     {"ratio", "1", "b over a.", &Row::ratio, 3},
     {"ratio_low", "1", "Lower end of the 95 % interval for it.", &Row::ratio_low, 3},
     {"ratio_high", "1", "Upper end of that interval.", &Row::ratio_high, 3},
     {"noise_floor", "1",
      "Smallest change that these runs could have shown: better or worse needs a ratio of at least "
      "1 + noise_floor, or at most 1 / (1 + noise_floor).",
      &Row::noise_floor, 3},
     {"worse_by", "1",
      "By how much B is worse: the ratio, or its inverse if higher is better, less 1; negative if "
      "B is better.",
      &Row::worse_by, 3},
     {"runs_a", "1", "Runs of A that count.", &Row::runs_a, 3},
     {"runs_b", "1", "Runs of B that count.", &Row::runs_b, 3},
     {"deviation", "1", "Standard deviation between runs of the logarithm of the figure.",
      &Row::deviation, 3},
     {"assumed", "1", "1 if that deviation is assumed, since each side has one run, else 0.",
      &Row::assumed, 3},
     {"p_value", "1", "Probability of such a ratio if A and B were the same.", &Row::p_value, 3},
     {"left_out", "1", "Disturbed measurements that do not count.", &Row::left_out, 3},
     {"disturbed", "1", "1 if a side has disturbed measurements only, else 0.", &Row::disturbed, 3},
     {"paced", "",
      "'paced (A)', 'paced (B)' or 'paced (A and B)': the sides whose ranks computed nothing, but "
      "took the time of a device; else empty.",
      &Row::paced, 3},
     {"emulated", "", "The same of sides whose GPUs were emulated on cores, or empty.",
      &Row::emulated, 3},
     {"verdict", "", "'better', 'worse', 'same' or 'undecided', for B.", &Row::verdict, 3},
     {"reason", "",
      "Why it is undecided, or the same though the ratio is beyond the noise floor; else empty.",
      &Row::reason, 3}}};

const TableSchema<ComparisonDifferenceRow> ComparisonDifferenceRow::schema{
    "comparison_differences",
    Role::derived,
    "One property in which the runs behind compared rows differ.",
    {{"group", "", "'environment', 'settings' or 'program'.", &Row::group, 3},
     {"benchmark", "", "Kinds of the records concerned.", &Row::benchmark, 3},
     {"name", "", "Path of the property in that part of the record.", &Row::name, 3},
     {"a", "", "Its values in A.", &Row::a, 3},
     {"b", "", "Its values in B.", &Row::b, 3},
     {"rows", "1", "Number of compared rows concerned.", &Row::rows, 3}}};

const TableSchema<ComparisonMissingRow> ComparisonMissingRow::schema{
    "comparison_missing",
    Role::derived,
    "One row that only one side has.",
    {{"benchmark", "", benchmark_meaning, &Row::benchmark, 3},
     {"table", "", table_meaning, &Row::table, 3},
     {"row", "", row_meaning, &Row::row, 3},
     {"label", "", label_meaning, &Row::label, 3},
     {"only_in", "", "The side that has it: 'A' or 'B'.", &Row::only_in, 3}}};

const TableSchema<ComparisonRecordRow> ComparisonRecordRow::schema{
    "comparison_records",
    Role::derived,
    "One of the files that were given.",
    {{"side", "", "'A' or 'B'.", &Row::side, 3},
     {"file", "", "Its path as given.", &Row::file, 3},
     {"benchmark", "", "Kind of the record; empty if it could not be read.", &Row::benchmark, 3},
     {"start_time", "", "Start of its run (UTC).", &Row::start_time, 3},
     {"hash", "", "Hash of its contents.", &Row::hash, 3},
     {"left_out", "", "Why it is not compared; empty if it is.", &Row::left_out, 3}}};

}  // namespace shardstone::results
