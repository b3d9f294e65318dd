// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/base/statistics.hpp"
#include "results/compare/match.hpp"

namespace shardstone::results {

/// Of B, next to A.
enum class Verdict : std::uint8_t { better, worse, same, undecided };
const char* to_string(Verdict verdict);

/// Probability with which a comparison of equal systems calls any of its rows better or worse: of
/// 100 such comparisons one, and more than 5 in one case of 2000 (binomial).
inline constexpr double false_alarm_rate = 0.01;

struct JudgeOptions {
    /// Up to which change two figures are the same: 0.03 for ratios from 1 / 1.03 to 1.03.
    double margin = 0.03;
    /// Standard deviation between runs, relative, assumed for rows with a single run on each side.
    double run_deviation = 0.05;
    /// Whether the user stated it. Otherwise such rows are undecided: how much runs differ cannot
    /// be guessed. (On a virtual machine, an all-reduce of 1 KiB took 1.2 us in half of the runs
    /// and 59 us in the others, each time with a narrow interval.)
    bool deviation_is_stated = false;
    /// Both sides are the very same runs: every ratio is 1.
    bool same_runs = false;
};

/// A row's ratio, its uncertainty and the verdict. Everything is computed on logarithms, so that
/// exchanging A and B inverts the ratio and nothing else.
struct JudgedRow {
    MatchedRow row;
    double a = 0.0, b = 0.0;  ///< geometric means over the runs that count
    std::size_t runs_a = 0, runs_b = 0;
    std::size_t left_out = 0;  ///< disturbed runs, which do not count
    double ratio = 0.0;        ///< b / a
    Interval interval;         ///< 95 %, for the ratio
    double noise_floor = 0.0;  ///< smallest change that could have been called: 0.04 for 1.04
    double deviation = 0.0;    ///< between runs, of the logarithm
    bool assumed = false;      ///< that deviation is the assumed one
    double p_value = 1.0;
    bool disturbed = false;  ///< a side has disturbed runs only
    Verdict verdict = Verdict::undecided;
    std::string reason;  ///< why it is undecided, or the same though beyond the noise floor

    /// By how much B is worse: 0.05 for 1.05 times the time, or 1 / 1.05 of the rate; negative if
    /// it is better.
    double worse_by() const;
};

/// All complete rows. The runs' medians are repetitions (Student's t on their logarithms, with the
/// pooled deviation between runs, at least what the runs' own intervals say). The verdict is
///
/// - undecided, if a side was measured only while the machine was busy (and is not the other side
///   itself), a figure is no positive number, or only one side was paced: its ranks computed
///   nothing, and no ratio of the two says anything of a machine;
/// - same, if the whole 95 % interval lies within the margin, even if the ratio is beyond the noise
///   floor: many runs show changes that are too small to matter;
/// - better or worse, if the ratio is beyond the noise floor: half the t interval at the level at
///   which the false alarms among all rows are controlled (two_samples.hpp: discovery_level());
/// - otherwise undecided.
///
/// With one run on each side the deviation between runs is unknown. The assumed one is combined
/// with the runs' own intervals; there is a verdict only if the user stated it.
std::vector<JudgedRow> judge(const std::vector<MatchedRow>& rows, const JudgeOptions& options);

/// Whether the second are the first with A and B exchanged: inverse ratios, and the same rows
/// called in the other direction.
bool are_inverse(const std::vector<JudgedRow>& judged, const std::vector<JudgedRow>& exchanged);

/// Runs that each side needs for a change of `margin` to be beyond the noise floor at this row's
/// deviation, among so many rows that are judged; at most most_samples_each (two_samples.hpp).
std::size_t runs_needed(const JudgedRow& row, double margin, std::size_t judged_rows);

}  // namespace shardstone::results
