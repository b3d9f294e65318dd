// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "results/schema/comparison.hpp"

namespace shardstone::results {

// A comparison (`shardstone compare`) in words, for the terminal and the report.

/// "A: 5 runs from 2026-11-25T13:01:02Z to 2026-11-25T13:05:09Z: a/1.h5, a/2.h5, ...".
std::string side_text(const std::vector<ComparisonRecordRow>& records, const std::string& side);

/// A figure of a row with its unit: "12.3 us", "1234 tokens/s".
std::string value_text(const ComparisonRow& row, double value);

/// "0.973 to 1.012"; "-" if there is no ratio.
std::string ratio_interval_text(const ComparisonRow& row);

/// "3.2 %", "> 1000 %"; "-" if there is no ratio.
std::string floor_text(const ComparisonRow& row);

/// "worse", "undecided (the machine was busy)".
std::string verdict_text(const ComparisonRow& row);

/// " ! ~": marks that stand behind the verdict, explained by reading_of().
std::string marks_of(const ComparisonRow& row);

/// Two values that differ, each short enough for a line: of long ones what they have in common at
/// both ends is left out ("...").
std::pair<std::string, std::string> shortened(const std::string& a, const std::string& b);

/// "12 rows: 0 better, 1 worse, 9 same, 2 undecided."
std::string counts_text(const std::vector<ComparisonRow>& rows);

/// How to read verdicts and noise floor; several sentences, one a line.
struct ComparisonRules {
    double margin = 0.0;
    double run_deviation = 0.0;
    bool deviation_is_stated = false;
    double false_alarm_rate = 0.0;
};
std::vector<std::string> reading_of(const std::vector<ComparisonRow>& rows,
                                    const ComparisonRules& rules);

}  // namespace shardstone::results
