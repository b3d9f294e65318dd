// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/schema/schema.hpp"

namespace shardstone::results {

// Tables of the record that `shardstone compare` writes: records B next to records A.

/// Table "comparison": one row of a table that both have.
struct ComparisonRow {
    using Row = ComparisonRow;
    std::string benchmark;
    std::string table;
    std::string row;
    std::string label;
    std::string quantity;
    std::string unit;
    std::string better_if;
    double a = not_measured;
    double b = not_measured;
    double ratio = not_measured;
    double ratio_low = not_measured;
    double ratio_high = not_measured;
    double noise_floor = not_measured;
    double worse_by = not_measured;
    double runs_a = not_measured;
    double runs_b = not_measured;
    double deviation = not_measured;
    double assumed = not_measured;
    double p_value = not_measured;
    double left_out = not_measured;
    double disturbed = not_measured;
    std::string paced;
    std::string emulated;
    std::string verdict;
    std::string reason;

    static const TableSchema<ComparisonRow> schema;
};

/// Table "comparison_differences": one property in which the records differ.
struct ComparisonDifferenceRow {
    using Row = ComparisonDifferenceRow;
    std::string group;
    std::string benchmark;
    std::string name;
    std::string a;
    std::string b;
    double rows = not_measured;

    static const TableSchema<ComparisonDifferenceRow> schema;
};

/// Table "comparison_missing": one row that only one side has.
struct ComparisonMissingRow {
    using Row = ComparisonMissingRow;
    std::string benchmark;
    std::string table;
    std::string row;
    std::string label;
    std::string only_in;

    static const TableSchema<ComparisonMissingRow> schema;
};

/// Table "comparison_records": one of the files given.
struct ComparisonRecordRow {
    using Row = ComparisonRecordRow;
    std::string side;
    std::string file;
    std::string benchmark;
    std::string start_time;
    std::string hash;
    std::string left_out;

    static const TableSchema<ComparisonRecordRow> schema;
};

}  // namespace shardstone::results
