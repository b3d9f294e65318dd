// SPDX-License-Identifier: BSD-3-Clause
// Ratio, interval, noise floor and verdict of every row, with few false alarms over all of them.
#include "results/compare/judge.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/base/two_samples.hpp"

namespace shardstone::results {

namespace {

constexpr double shown_confidence = 0.95;

/// Undisturbed runs, or all if there are no others.
std::vector<Repetition> that_count(const std::vector<Repetition>& runs) {
    std::vector<Repetition> quiet = runs;
    std::erase_if(quiet, &Repetition::disturbed);
    return quiet.empty() ? runs : quiet;
}

bool all_disturbed(const std::vector<Repetition>& runs) {
    return std::ranges::all_of(runs, &Repetition::disturbed);
}

bool is_positive(const std::vector<Repetition>& runs) {
    return std::ranges::all_of(
        runs, [](const Repetition& run) { return run.value > 0.0 && std::isfinite(run.value); });
}

std::vector<double> logarithms(const std::vector<Repetition>& runs) {
    std::vector<double> found;
    for (const Repetition& run : runs) found.push_back(std::log(run.value));
    return found;
}

/// Variance of a run's logarithm by its own 95 % interval, as if that were a normal one; 0 if the
/// run has none.
double variance_within(const Repetition& run) {
    constexpr double half_width_in_deviations = 1.959963984540054;
    if (!(run.low > 0.0) || !(run.high >= run.low) || !std::isfinite(run.high)) return 0.0;
    const double deviation = std::log(run.high / run.low) / (2.0 * half_width_in_deviations);
    return deviation * deviation;
}

double mean_variance_within(const std::vector<Repetition>& a, const std::vector<Repetition>& b) {
    double sum = 0.0;
    for (const auto* side : {&a, &b}) {
        for (const Repetition& run : *side) sum += variance_within(run);
    }
    return sum / static_cast<double>(a.size() + b.size());
}

MeanDifference difference_of(const std::vector<Repetition>& a, const std::vector<Repetition>& b,
                             const JudgeOptions& options) {
    const double within = mean_variance_within(a, b);
    const auto first = logarithms(a), second = logarithms(b);
    if (a.size() + b.size() >= 3) return mean_difference(first, second, std::sqrt(within));
    const double assumed = options.run_deviation;
    return mean_difference_assuming(first, second, std::sqrt(assumed * assumed + within));
}

/// A row and its difference, which is meaningless if the row is undecided from the beginning.
struct Measured {
    JudgedRow judged;
    MeanDifference difference;
    bool is_open = true;
};

Measured measure(const MatchedRow& row, const JudgeOptions& options) {
    Measured measured;
    measured.judged.row = row;
    JudgedRow& judged = measured.judged;
    const auto a = that_count(row.a), b = that_count(row.b);
    judged.runs_a = a.size();
    judged.runs_b = b.size();
    judged.left_out = row.a.size() - a.size() + row.b.size() - b.size();
    judged.disturbed = all_disturbed(a) || all_disturbed(b);
    if (!is_positive(a) || !is_positive(b)) {
        judged.ratio = judged.a = judged.b = std::nan("");
        judged.interval = {std::nan(""), std::nan("")};
        judged.noise_floor = judged.deviation = judged.p_value = std::nan("");
        judged.reason = "a figure is 0 or less";
        measured.is_open = false;
        return measured;
    }
    const auto difference = difference_of(a, b, options);
    judged.assumed = std::isinf(difference.degrees);
    judged.a = std::exp(mean(logarithms(a)));
    judged.b = std::exp(mean(logarithms(b)));
    judged.ratio = std::exp(difference.difference);
    const double half = options.same_runs ? 0.0 : half_width(difference, shown_confidence);
    judged.interval = {std::exp(difference.difference - half),
                       std::exp(difference.difference + half)};
    judged.deviation = difference.deviation;
    judged.p_value = p_value(difference);
    const bool is_guessed = judged.assumed && !options.deviation_is_stated && !options.same_runs;
    if (is_guessed) judged.reason = "one run on each side";
    const bool is_doubtful = judged.disturbed && !options.same_runs;
    if (is_doubtful) judged.reason = "the machine was busy";
    const bool is_one_paced = any_paced(row.a) != any_paced(row.b);
    const bool is_one_emulated = any_emulated(row.a) != any_emulated(row.b);
    if (is_one_paced) judged.reason = "only one side was paced";
    if (is_one_emulated) judged.reason = "only one side was on emulated GPUs";
    const bool is_of_two_kinds = is_one_paced || is_one_emulated;
    measured.is_open = !is_doubtful && !is_guessed && !is_of_two_kinds;
    measured.difference = difference;
    return measured;
}

bool lies_within(const Interval& interval, double margin) {
    return interval.low >= 1.0 / (1.0 + margin) && interval.high <= 1.0 + margin;
}

void decide(Measured& measured, double level, double margin) {
    JudgedRow& judged = measured.judged;
    const double floor = half_width(measured.difference, 1.0 - level);
    judged.noise_floor = std::expm1(floor);
    if (!measured.is_open) return;
    const double change = std::abs(measured.difference.difference);
    const bool is_beyond_floor = change > 0.0 && judged.p_value <= level;
    if (lies_within(judged.interval, margin)) {
        judged.verdict = Verdict::same;
        if (is_beyond_floor) judged.reason = "a change beyond the floor, but within the margin";
    } else if (is_beyond_floor) {
        judged.verdict = judged.worse_by() > 0.0 ? Verdict::worse : Verdict::better;
    } else {
        judged.reason = "within the noise";
    }
}

Verdict opposite(Verdict verdict) {
    if (verdict == Verdict::better) return Verdict::worse;
    return verdict == Verdict::worse ? Verdict::better : verdict;
}

}  // namespace

const char* to_string(Verdict verdict) {
    switch (verdict) {
        case Verdict::better:
            return "better";
        case Verdict::worse:
            return "worse";
        case Verdict::same:
            return "same";
        case Verdict::undecided:
            return "undecided";
    }
    fail("unknown verdict");
}

double JudgedRow::worse_by() const {
    return (row.table->better == Better::lower ? ratio : 1.0 / ratio) - 1.0;
}

std::vector<JudgedRow> judge(const std::vector<MatchedRow>& rows, const JudgeOptions& options) {
    std::vector<Measured> measured;
    std::vector<double> p_values;
    for (const MatchedRow& row : rows) {
        if (!row.is_complete()) continue;
        measured.push_back(measure(row, options));
        if (measured.back().is_open) p_values.push_back(measured.back().judged.p_value);
    }
    const double level =
        p_values.empty() ? false_alarm_rate : discovery_level(p_values, false_alarm_rate);
    std::vector<JudgedRow> judged;
    for (Measured& one : measured) {
        if (!std::isnan(one.judged.ratio)) decide(one, level, options.margin);
        judged.push_back(std::move(one.judged));
    }
    return judged;
}

bool are_inverse(const std::vector<JudgedRow>& judged, const std::vector<JudgedRow>& exchanged) {
    return std::ranges::equal(judged, exchanged, [](const JudgedRow& one, const JudgedRow& other) {
        constexpr double rounding = 1e-9;
        const bool inverts = std::abs(one.ratio * other.ratio - 1.0) < rounding;
        return one.verdict == opposite(other.verdict) && (inverts || std::isnan(one.ratio));
    });
}

std::size_t runs_needed(const JudgedRow& row, double margin, std::size_t judged_rows) {
    const double level =
        false_alarm_rate / static_cast<double>(std::max<std::size_t>(1, judged_rows));
    return samples_each(row.deviation, std::log1p(margin), 1.0 - level);
}

}  // namespace shardstone::results
