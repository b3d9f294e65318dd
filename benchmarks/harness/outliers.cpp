// SPDX-License-Identifier: BSD-3-Clause
// Slow iterations and standstills are traced to a single rank, a whole node or no known cause.
#include "benchmarks/harness/outliers.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "kernels/base/statistics.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

double overlap_s(const Standstill& seen, double begin_s, double end_s) {
    return std::min(seen.end_s, end_s) - std::max(seen.begin_s, begin_s);
}

bool at_once(const RankStandstill& a, const RankStandstill& b) {
    return a.node == b.node && overlap_s(a.seen, b.seen.begin_s, b.seen.end_s) > 0.0;
}

/// All ranks of its node stood still when this one did, or as many as could run there: those that
/// waited for a core meanwhile have no standstill of their own.
bool of_whole_node(const RankStandstill& one, const std::vector<RankStandstill>& seen, double ranks,
                   double cores) {
    std::set<int> together;
    for (const RankStandstill& other : seen) {
        if (at_once(one, other)) together.insert(other.rank);
    }
    return static_cast<double>(together.size()) >= std::max(2.0, std::min(ranks, cores));
}

Outlier outlier_at(const Occasion& occasion, std::span<const double> samples_s) {
    Outlier one;
    one.occasion = occasion;
    one.time_s = occasion.iteration < 0 ? not_known
                                        : samples_s[static_cast<std::size_t>(occasion.iteration)];
    one.usual_s = samples_s.empty() ? not_known : median(samples_s);
    return one;
}

/// Of the same node at the same time, or at the same occasion, the longest only: the ranks whom one
/// event held up need not have been in the same iteration.
void add_node(std::vector<Outlier>& found, const Outlier& one) {
    const Standstill& seen = one.standstill;
    for (Outlier& known : found) {
        if (!known.whole_node() || known.node != one.node) continue;
        const Standstill& other = known.standstill;
        if (known.occasion != one.occasion && overlap_s(seen, other.begin_s, other.end_s) <= 0.0)
            continue;
        if (seen.still_s > other.still_s) known = one;
        return;
    }
    found.push_back(one);
}

}  // namespace

Occasion occasion_of(const Standstill& seen, std::span<const double> begin_s,
                     std::span<const double> end_s) {
    Occasion longest;
    double most_s = 0.0;
    const auto consider = [&](double from_s, double to_s, Occasion occasion) {
        const double part_s = overlap_s(seen, from_s, to_s);
        if (part_s <= most_s) return;
        most_s = part_s;
        longest = occasion;
    };
    constexpr double ever = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < begin_s.size(); ++i) {
        const auto iteration = static_cast<std::int64_t>(i);
        const Occasion before = i == 0 ? Occasion{} : Occasion{iteration, false};
        consider(i == 0 ? -ever : end_s[i - 1], begin_s[i], before);
        consider(begin_s[i], end_s[i], {iteration, true});
    }
    if (!end_s.empty()) consider(end_s.back(), ever, {});
    return longest;
}

double longest_usual_s(std::span<const double> samples_s, double ranks_per_core) {
    constexpr std::size_t least_samples = 10;
    if (samples_s.size() < least_samples) return std::numeric_limits<double>::infinity();
    constexpr double medians = 3.0, halvings = 40.0, slices_s = 0.04;
    const Quartiles middle = quartiles(samples_s);
    return middle.middle +
           std::max({medians * middle.middle, halvings * (middle.high - middle.middle),
                     slices_s * std::max(1.0, ranks_per_core)});
}

std::vector<Outlier> outliers_of(std::span<const double> samples_s,
                                 const std::vector<RankStandstill>& seen,
                                 std::span<const int> ranks_of_node, double ranks_per_core) {
    const double cores = std::ranges::max(ranks_of_node) / ranks_per_core;
    std::vector<Outlier> found;
    std::set<std::int64_t> explained;
    for (const RankStandstill& one : seen) {
        Outlier outlier = outlier_at(one.occasion, samples_s);
        outlier.node = one.node;
        outlier.standstill = one.seen;
        explained.insert(one.occasion.iteration);
        if (one.seen.held_up_from_below() ||
            of_whole_node(one, seen, ranks_of_node[static_cast<std::size_t>(one.node)], cores)) {
            add_node(found, outlier);
        } else {
            outlier.rank = one.rank;
            found.push_back(outlier);
        }
    }
    const double limit_s = longest_usual_s(samples_s, ranks_per_core);
    for (std::int64_t i = 0; i < std::ssize(samples_s); ++i) {
        const bool beyond = samples_s[static_cast<std::size_t>(i)] > limit_s;
        if (beyond && !explained.contains(i)) found.push_back(outlier_at({i, true}, samples_s));
    }
    std::ranges::stable_sort(found, {}, [](const Outlier& one) {
        return std::tuple(one.occasion.iteration, one.occasion.timed, one.rank);
    });
    return found;
}

}  // namespace shardstone::benchmarks
