// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/compare/comparable.hpp"
#include "results/compare/differences.hpp"
#include "results/report/source.hpp"

namespace shardstone::results {

/// The figure of a row in one run.
struct Repetition {
    const Source* source = nullptr;  ///< of the run; never none
    double value = 0.0;
    double low = 0.0, high = 0.0;  ///< the run's own 95 % interval; not numbers if it has none
    bool disturbed = false;
};

/// A row over all runs of both sides.
struct MatchedRow {
    const ComparableTable* table = nullptr;
    std::string kind;          ///< of the records
    std::vector<RowKey> keys;  ///< of the table, then settings that tell rows of a side apart
    std::string unit;
    std::vector<Repetition> a, b;           ///< one is empty if only the other side has the row
    std::vector<std::string> told_by = {};  ///< those settings

    bool is_complete() const { return !a.empty() && !b.empty(); }
    std::string name() const;  ///< "operation=all_reduce algorithm=ring ... type=fp32"
};

/// Whether one of these runs was paced: its computations took the time of a device.
bool any_paced(const std::vector<Repetition>& runs);
/// Whether one was on emulated GPUs.
bool any_emulated(const std::vector<Repetition>& runs);

/// All rows of all comparable tables, in order of appearance, first those of A. Runs of one side
/// that are equal in all settings are repetitions of each other. If runs of a side that have the
/// same row differ in a setting, it becomes part of the names of that row; no more settings than
/// needed, first those that the table prefers. Hence a run with another setting is never averaged
/// with the rest. Throws Error naming a record with two rows of one name.
std::vector<MatchedRow> match(const std::vector<Source>& a, const std::vector<Source>& b);

}  // namespace shardstone::results
