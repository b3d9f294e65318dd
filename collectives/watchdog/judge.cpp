// SPDX-License-Identifier: BSD-3-Clause
// When a rank is said not to go on.
#include "collectives/watchdog/judge.hpp"

#include <algorithm>

namespace shardstone::collectives {

namespace {

// More than a thread that only waits uses, between two looks; less than the share of one that works
// where hundreds take turns on a core.
constexpr std::int64_t works_ns = 100'000;
constexpr double most_of_a_look_s = 0.5;
constexpr double suspect_after_s = 1.0;

bool is_ended(const Sight& sight) {
    return sight.process_state == 'Z' || sight.process_state == 'X';
}

bool is_stopped(const Sight& sight) {
    return sight.process_state == 'T';
}

bool is_held(const Sight& sight) {
    return sight.process_state == 't';
}

}  // namespace

Judge::Judge(int ranks, StallLimits limits)
    : limits_(limits), seen_(static_cast<std::size_t>(ranks)) {}

void Judge::look(double since_last_s, std::span<const Sight> sights) {
    awake_s_ += std::min(since_last_s, most_of_a_look_s);
    double pause_s = standing_s();
    bool goes_on = false;
    for (std::size_t r = 0; r < seen_.size(); ++r) {
        Seen& seen = seen_[r];
        const Sight& now = sights[r];
        if (now.heartbeat != seen.last.heartbeat) seen.alive_s = awake_s_;
        const bool works = !now.waits && now.cpu_ns - seen.last.cpu_ns > works_ns;
        if (now.moves != seen.last.moves || works) {
            seen.active_s = awake_s_;
            goes_on = true;
        }
        seen.last = now;
    }
    if (goes_on && pause_s < std::numeric_limits<double>::infinity()) {
        longest_pause_s_ = std::max(longest_pause_s_, pause_s);
    }
}

double Judge::lifeless_s(int rank) const {
    return awake_s_ - seen_[static_cast<std::size_t>(rank)].alive_s;
}

double Judge::idle_s(int rank) const {
    return awake_s_ - seen_[static_cast<std::size_t>(rank)].active_s;
}

bool Judge::is_suspect(int rank) const {
    const Seen& seen = seen_[static_cast<std::size_t>(rank)];
    return !seen.last.left && (messages_fail_ || lifeless_s(rank) >= suspect_after_s ||
                               idle_s(rank) >= suspect_after_s);
}

bool Judge::held_by_debugger() const {
    return std::ranges::any_of(seen_, [](const Seen& seen) { return is_held(seen.last); });
}

double Judge::standing_s() const {
    if (held_by_debugger()) return 0.0;
    double least_s = std::numeric_limits<double>::infinity();
    for (const Seen& seen : seen_) {
        if (!seen.last.left) least_s = std::min(least_s, awake_s_ - seen.active_s);
    }
    return least_s;
}

double Judge::may_stand_s() const {
    constexpr double times_the_longest = 10.0;
    return limits_.follows_pace ? std::max(limits_.standing_s, times_the_longest * longest_pause_s_)
                                : limits_.standing_s;
}

std::optional<double> Judge::overdue_s(double others_s) const {
    const double all_s = std::min(standing_s(), others_s);
    const bool all_left = all_s == std::numeric_limits<double>::infinity();
    return all_left || all_s < may_stand_s() ? std::nullopt : std::optional(all_s);
}

std::optional<Stall> Judge::lifeless() const {
    Stall ended{Stall::Kind::ended, {}, 0.0};
    Stall stopped{Stall::Kind::stopped, {}, 0.0};
    Stall frozen{Stall::Kind::frozen, {}, 0.0};
    for (int rank = 0; rank < std::ssize(seen_); ++rank) {
        const Sight& last = seen_[static_cast<std::size_t>(rank)].last;
        if (last.left || is_held(last)) continue;
        const double for_s = lifeless_s(rank);
        Stall& stall = is_ended(last) ? ended : is_stopped(last) ? stopped : frozen;
        const bool is_the_reason = messages_fail_ && &stall == &ended;
        // Once one is overdue, all that have ended or are stopped by then are named.
        const double after_s = &stall == &frozen ? limits_.frozen_s : suspect_after_s;
        if (!is_the_reason && for_s < after_s) continue;
        stall.ranks.push_back(rank);
        stall.for_s = std::max(stall.for_s, for_s);
    }
    const double ended_after_s = messages_fail_ ? 0.0 : limits_.ended_s;
    if (!ended.ranks.empty() && ended.for_s >= ended_after_s) return ended;
    if (!stopped.ranks.empty() && stopped.for_s >= limits_.stopped_s) return stopped;
    if (!frozen.ranks.empty()) return frozen;
    return std::nullopt;
}

std::vector<int> Judge::not_waiting() const {
    std::vector<int> ranks;
    for (int rank = 0; rank < std::ssize(seen_); ++rank) {
        const Sight& last = seen_[static_cast<std::size_t>(rank)].last;
        if (!last.left && !last.waits) ranks.push_back(rank);
    }
    return ranks;
}

}  // namespace shardstone::collectives
