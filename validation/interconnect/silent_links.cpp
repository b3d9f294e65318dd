// SPDX-License-Identifier: BSD-3-Clause
// Pairs of long waits in which either rank had sent what the other one waited for.
#include "validation/interconnect/silent_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "validation/interconnect/usual_times.hpp"

namespace shardstone::validation {

namespace {

using results::EpisodeRow;
using results::LongWaitRow;
using results::StandstillRow;

/// The lower rank first.
using TwoRanks = std::pair<double, double>;

struct Silence {
    TwoRanks pair;
    double round = -1.0, size_bytes = 0.0;  ///< of the wait
    double begin_s = 0.0, end_s = 0.0, no_core_s = 0.0;

    bool overlaps(double begin, double end) const { return begin_s < end && begin < end_s; }
};

double no_core_s(const LongWaitRow& wait) {
    return std::isfinite(wait.no_core_s) ? wait.no_core_s : 0.0;  // the kernel may hide it
}

/// Of a message between them, in the slower direction; 0 where ranks only meet.
double usual_s(const LongWaitRow& wait, const UsualTimes& usual) {
    double longest_s = 0.0;
    const auto [one, other] =
        std::pair(static_cast<int>(wait.rank), static_cast<int>(wait.awaited));
    for (const auto& [from, to] : {std::pair(one, other), std::pair(other, one)}) {
        const double time_s = usual.time_s(from, to, static_cast<std::int64_t>(wait.size_bytes));
        if (std::isfinite(time_s)) longest_s = std::max(longest_s, time_s);
    }
    return longest_s;
}

/// Whether the rank of `other` had sent what `one` waited for.
bool had_sent(const LongWaitRow& other, const LongWaitRow& one) {
    return std::pair(other.stage, other.step) >= std::pair(one.stage, one.step);
}

class SilentLinks {
  public:
    explicit SilentLinks(const InterconnectSamples& samples)
        : samples_(samples), usual_(samples.pairs) {
        for (const LongWaitRow& wait : samples.waits) of_rank_[wait.rank].push_back(&wait);
        for (const LongWaitRow& wait : samples.waits) look_at(wait);
    }

    std::vector<EpisodeRow> rows() const {
        std::vector<EpisodeRow> rows;
        for (const Silence& one : found_) {
            if (!stood_still(one)) rows.push_back(row_of(one));
        }
        return rows;
    }

  private:
    void look_at(const LongWaitRow& wait) {
        const auto others = of_rank_.find(wait.awaited);
        if (others == of_rank_.end()) return;
        const double least_s = silence_s + usual_s(wait, usual_);
        for (const LongWaitRow* other : others->second) {
            const double begin_s = std::max(wait.begin_unix_s, other->begin_unix_s);
            const double end_s = std::min(wait.end_unix_s, other->end_unix_s);
            if (end_s - begin_s <= least_s || !had_sent(*other, wait)) continue;
            add({std::minmax(wait.rank, wait.awaited), wait.round, wait.size_bytes, begin_s, end_s,
                 no_core_s(wait) + no_core_s(*other)});
        }
    }

    /// What both ends of a link saw is one silence.
    void add(const Silence& more) {
        for (Silence& one : found_) {
            if (one.pair != more.pair || !one.overlaps(more.begin_s, more.end_s)) continue;
            one.begin_s = std::min(one.begin_s, more.begin_s);
            one.end_s = std::max(one.end_s, more.end_s);
            one.no_core_s = std::max(one.no_core_s, more.no_core_s);
            return;
        }
        found_.push_back(more);
    }

    /// Then its rank is silent, not the link.
    bool stood_still(const Silence& one) const {
        return std::ranges::any_of(samples_.standstills, [&](const StandstillRow& still) {
            const bool is_its = still.rank == one.pair.first || still.rank == one.pair.second;
            return is_its && one.overlaps(still.begin_unix_s, still.end_unix_s);
        });
    }

    /// Whether each of several pairs that were tested at the same time was silent.
    bool whole_round_is_silent(const Silence& one) const {
        if (one.size_bytes == 0.0) return false;
        std::set<TwoRanks> pairs, silent;
        for (const auto& row : samples_.pairs) {
            if (row.round == one.round && row.alone == samples_.pairs.front().alone) {
                pairs.insert(std::minmax(row.sender, row.receiver));
            }
        }
        for (const Silence& other : found_) {
            const bool at_once = other.round == one.round && other.overlaps(one.begin_s, one.end_s);
            if (at_once) silent.insert(other.pair);
        }
        return pairs.size() > 1 && silent.size() == pairs.size();
    }

    EpisodeRow row_of(const Silence& one) const {
        EpisodeRow row;
        row.fault = "silent";
        row.subject =
            fmt::format("{} and {}, between them", name_of_rank(one.pair.first, samples_.places),
                        name_of_rank(one.pair.second, samples_.places));
        row.begin_unix_s = one.begin_s;
        row.end_unix_s = one.end_s;
        if (one.size_bytes > 0.0) row.size_bytes = one.size_bytes;
        row.passes = 1.0;
        row.no_core_s = one.no_core_s;
        row.suspected = whole_round_is_silent(one) ? 0.0 : 1.0;
        return row;
    }

    const InterconnectSamples& samples_;
    UsualTimes usual_;
    std::map<double, std::vector<const LongWaitRow*>> of_rank_;
    std::vector<Silence> found_;
};

}  // namespace

std::vector<EpisodeRow> silent_links(const InterconnectSamples& samples) {
    return SilentLinks(samples).rows();
}

bool is_want_of_a_core(const EpisodeRow& silent_link) {
    return silent_link.end_unix_s - silent_link.begin_unix_s - silent_link.no_core_s <= silence_s;
}

}  // namespace shardstone::validation
