// SPDX-License-Identifier: BSD-3-Clause
// For how long messages lay there because the ranks that were to take them had no core.
#include "reference/step/pricing/rank_waits.hpp"

#include <algorithm>

namespace shardstone::reference {

double late_between(std::span<const RankWaits* const> ranks, const ActionSpan& between) {
    std::vector<ActionSpan> late;
    for (const RankWaits* rank : ranks) {
        const auto& looks = rank->late_looks;
        auto one = std::ranges::upper_bound(looks, between.begin_s, {}, &ActionSpan::end_s);
        for (; one != looks.end() && one->begin_s < between.end_s; ++one) late.push_back(*one);
    }
    std::ranges::sort(late, {}, &ActionSpan::begin_s);
    double sum_s = 0.0, counted_s = between.begin_s;
    for (const ActionSpan& one : late) {
        const double end_s = std::min(one.end_s, between.end_s);
        sum_s += std::max(0.0, end_s - std::max(one.begin_s, counted_s));
        counted_s = std::max(counted_s, end_s);
    }
    return sum_s;
}

}  // namespace shardstone::reference
