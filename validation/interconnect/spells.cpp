// SPDX-License-Identifier: BSD-3-Clause
// Maximal segments of slow passes, and the odds that they are not chance.
#include "validation/interconnect/spells.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "kernels/base/error.hpp"

namespace shardstone::validation {

namespace {

double log_binomial(double n, double k) {
    return std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0);
}

/// A segment with the sums of the scores before it and up to its end, as the algorithm of Ruzzo and
/// Tompa keeps it.
struct Segment {
    std::int64_t first = 0, last = 0;
    std::int64_t slow = 0;
    std::int64_t before = 0, up_to = 0;
};

/// Joins the last segment with earlier ones while that makes a better one.
void join_last(std::vector<Segment>& segments) {
    for (;;) {
        const Segment last = segments.back();
        const auto end = segments.rend();
        const auto better = std::find_if(segments.rbegin() + 1, end, [&](const Segment& one) {
            return one.before < last.before;
        });
        if (better == end || better->up_to >= last.up_to) return;
        Segment joined = *better;
        joined.last = last.last;
        joined.up_to = last.up_to;
        for (auto one = segments.rbegin(); one != better; ++one) joined.slow += one->slow;
        segments.resize(static_cast<std::size_t>(std::distance(better, end)) - 1);
        segments.push_back(joined);
    }
}

std::vector<Segment> maximal_segments(const SlowPasses& slow) {
    std::vector<Segment> segments;
    std::int64_t sum = 0, next = 0;
    for (const std::int64_t pass : slow) {
        sum -= pass - next;  // of the passes in between
        next = pass + 1;
        segments.push_back({pass, pass, 1, sum, sum + 1});
        ++sum;
        join_last(segments);
    }
    return segments;
}

std::int64_t count_within(const SlowPasses& slow, std::int64_t first, std::int64_t last) {
    return std::ranges::upper_bound(slow, last) - std::ranges::lower_bound(slow, first);
}

/// log10 of the chance of a spell, given when its subject was slow and when all of them were.
double chance_of(const Spell& spell, std::span<const SlowPasses> subjects, std::int64_t passes) {
    const std::int64_t length = spell.passes();
    const auto slow_ever = static_cast<std::int64_t>(subjects[spell.subject].size());
    const double in_time = log10_chance(passes, slow_ever, length, spell.slow);
    if (subjects.size() == 1 || in_time > std::log10(false_spells)) return in_time;
    std::int64_t of_all = 0;
    for (const SlowPasses& one : subjects) of_all += count_within(one, spell.first, spell.last);
    const std::int64_t chances = length * static_cast<std::int64_t>(subjects.size());
    return std::max(in_time, log10_chance(chances, of_all, length, spell.slow));
}

}  // namespace

double log10_chance(std::int64_t items, std::int64_t marked, std::int64_t drawn,
                    std::int64_t seen) {
    SHARDSTONE_EXPECTS(0 <= seen && seen <= drawn && seen <= marked && drawn <= items &&
                       marked <= items);
    if (seen <= std::max<std::int64_t>(0, drawn + marked - items)) return 0.0;
    const auto [n, m, d] = std::tuple(static_cast<double>(items), static_cast<double>(marked),
                                      static_cast<double>(drawn));
    const auto k = static_cast<double>(seen);
    const double first = log_binomial(m, k) + log_binomial(n - m, d - k) - log_binomial(n, d);
    // Each further term is the one before times this ratio.
    double term = 1.0, sum = 1.0;
    for (double more = k; more < std::min(d, m) && term > 1e-17 * sum; more += 1.0) {
        term *= (m - more) * (d - more) / ((more + 1.0) * (n - m - d + more + 1.0));
        sum += term;
    }
    return std::min(0.0, (first + std::log(sum)) / std::log(10.0));
}

std::vector<Spell> find_spells(std::span<const SlowPasses> subjects, std::int64_t passes,
                               std::size_t all_subjects) {
    std::vector<Spell> spells;
    for (std::size_t subject = 0; subject < subjects.size(); ++subject) {
        for (const Segment& segment : maximal_segments(subjects[subject])) {
            Spell spell{subject, segment.first, segment.last, segment.slow, 0.0};
            const auto length = static_cast<double>(spell.passes());
            const double tries = static_cast<double>(all_subjects) * static_cast<double>(passes) *
                                 length * (length + 1.0);
            spell.log10_odds = -chance_of(spell, subjects, passes) - std::log10(tries);
            if (spell.log10_odds >= -std::log10(false_spells)) spells.push_back(spell);
        }
    }
    return spells;
}

}  // namespace shardstone::validation
