// SPDX-License-Identifier: BSD-3-Clause
// Samples and findings of a validation of the interconnect as tables of its record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "benchmarks/interconnect/clock_readings.hpp"
#include "benchmarks/interconnect/congestion.hpp"
#include "benchmarks/interconnect/link_pass.hpp"
#include "benchmarks/interconnect/rank_tests.hpp"
#include "results/record/record.hpp"
#include "validation/interconnect/findings.hpp"

namespace shardstone::validation {

/// A pass as rows of its tables. `pass` counts all passes of the run, with pairs at once and alone.
std::vector<results::PairSampleRow> rows_of_pass(const benchmarks::LinkPass& pass, int number,
                                                 bool alone);
std::vector<results::WrongDataRow> wrong_rows_of(std::span<const benchmarks::WrongLinkData> wrong,
                                                 const benchmarks::LinkPasses& clock);
std::vector<results::CongestionSampleRow> rows_of_loads(
    std::span<const benchmarks::CongestionSample> samples);
/// `round`: 0 before the other tests, 1 after them.
std::vector<results::ClockSampleRow> rows_of_clocks(
    std::span<const benchmarks::ClockReading> readings, int round);
std::vector<results::RankSampleRow> rows_of_turns(
    const std::vector<benchmarks::RankSample>& samples);

/// The samples of a record of kind "interconnect"; the limits are those of configuration "accept",
/// the text of an acceptance file, if there is one. Throws Error where it cannot be read.
InterconnectSamples interconnect_samples_in(const results::Record& record);

/// Tables of samples and of findings, without those that have no rows.
std::vector<results::Table> sample_tables_of(const InterconnectSamples& samples);
std::vector<results::Table> finding_tables_of(const InterconnectFindings& findings);
/// The same of findings with those that have no rows: of these a record holds none.
std::vector<results::Table> all_finding_tables_of(const InterconnectFindings& findings);

/// Of the messages that left the samples of pairs, loads and a soak: of a pair's sample all that
/// were sent in a row, of which it is the shortest.
std::int64_t timed_bytes(const InterconnectSamples& samples);

/// What must hold of any run, whatever it found: there are all samples that were to be taken, and
/// as many bytes as were timed were compared with what was sent. Faults of the cluster are
/// findings, not failed checks: a report has to show them.
std::vector<results::Check> interconnect_checks(const InterconnectSamples& samples,
                                                std::size_t expected_samples,
                                                std::int64_t compared_bytes);

}  // namespace shardstone::validation
