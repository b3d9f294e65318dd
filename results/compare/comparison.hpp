// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/compare/judge.hpp"
#include "results/compare/labels.hpp"
#include "results/report/source.hpp"
#include "results/schema/comparison.hpp"

namespace shardstone::results {

/// Records of one side, and the files of that side that are left out, each with the reason.
struct ComparedSide {
    Given given;
    std::vector<NotShown> left_out;
};

/// Reads the records below these paths (files, or folders of them). The same run in the other
/// format counts once. A record that is incomplete, failed its verification, or has no table that
/// can be compared is left out by name, and so is a file that is damaged or no record. Throws Error
/// if a path does not exist or nothing is left.
ComparedSide read_side(const std::vector<std::filesystem::path>& paths);

/// A comparison as it is recorded (results/schema/comparison.hpp).
struct Comparison {
    std::vector<ComparisonRow> rows;
    std::vector<ComparisonDifferenceRow> differences;
    std::vector<ComparisonMissingRow> missing;
    std::vector<ComparisonRecordRow> records;
    Labels labels;           ///< of the rows, and what those of a table have in common
    bool same_runs = false;  ///< A and B are the very same runs
    /// Runs that each side needs for a change of the margin to be beyond the noise floor, if some
    /// row was undecided for lack of runs: of the median such row; else 0.
    std::size_t runs_needed = 0;
    bool verified = false;  ///< every compared record passed its own verification
    bool mirrored = false;  ///< comparing A with B gives the inverse, as it must

    /// "5 runs": of side "A" or "B" that are compared.
    std::string records_of(const std::string& side) const;
};

/// Throws Error if no row can be compared, or if a run is on both sides and others are not.
Comparison compare(const ComparedSide& a, const ComparedSide& b, const JudgeOptions& options);

/// Fills the tables, configuration and verification of a new record of kind "compare".
void fill_record(const Comparison& comparison, const JudgeOptions& options, Record& record);

}  // namespace shardstone::results
