// SPDX-License-Identifier: BSD-3-Clause
// What the pulses of all ranks say of a series of samples.
#include "benchmarks/harness/stall_watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "benchmarks/harness/standstill_numbers.hpp"
#include "collectives/cluster/process.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/ratios_to_others.hpp"
#include "kernels/base/statistics.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::Communicator;

int online_cores() {
    return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

/// What kept it, in words.
std::string reason_of(const Outlier& outlier) {
    const std::string length = format_time(outlier.standstill.still_s);
    if (!outlier.stood_still()) return "no rank stalled";
    if (outlier.whole_node() && outlier.standstill.held_up_from_below()) {
        return fmt::format("stalled for {}: the hypervisor took {} of its cores", length,
                           format_time(outlier.standstill.stolen_s));
    }
    if (outlier.whole_node()) {
        return "its ranks stalled together for " + length +
               ": the machine was suspended or held up, or all were stopped";
    }
    return "stalled for " + length + ": stopped by a signal, a debugger or its container";
}

std::string times_in_words(double count) {
    return count == 1.0 ? "once" : fmt::format("{:.0f} times", count);
}

std::string words_of(const Outlier& outlier, const Surroundings& seen) {
    const Standstill& still = outlier.standstill;
    std::string text = reason_of(outlier);
    if (outlier.stood_still() && still.waited_s >= 0.01 * still.still_s) {
        text += fmt::format("; then waited {} for a core", format_time(still.waited_s));
    }
    if (still.switches > 0.0) text += "; was preempted " + times_in_words(still.switches);
    if (still.faults > 0.0) {
        text += "; waited for " + counted(static_cast<std::int64_t>(still.faults), "page") +
                " from disk";
    }
    if (!seen.known()) return text + "; the system does not report other activity";
    text += seen.disturbed() ? "; the machine was disturbed: " + seen.words()
                             : fmt::format("; others took {:.0f} % of {} cores",
                                           100.0 * seen.others_share, seen.cores);
    if (std::isfinite(seen.clock_mhz)) text += fmt::format("; clock {:.0f} MHz", seen.clock_mhz);
    return text;
}

}  // namespace

StandstillNumbers numbers_of(const Standstill& seen, const Occasion& at) {
    return {static_cast<double>(at.iteration),
            at.timed ? 1.0 : 0.0,
            seen.begin_s,
            seen.end_s,
            seen.still_s,
            seen.waited_s,
            seen.switches,
            seen.faults,
            seen.stolen_s};
}

RankStandstill standstill_of(std::span<const double, 9> n, int rank, int node) {
    return {rank,
            node,
            {static_cast<std::int64_t>(n[0]), n[1] > 0.0},
            {n[2], n[3], n[4], n[5], n[6], n[7], n[8]}};
}

StallWatch::StallWatch(const Communicator& communicator)
    : communicator_(communicator),
      hosts_(communicator.gather(collectives::node_name())),
      start_s_(communicator.all_gather(std::array{now_s()})),
      pulse_(pulse_period_s(communicator.found_topology().largest_node(), online_cores())) {
    const auto& topology = communicator.found_topology();
    for (int node = 0; node < topology.nodes(); ++node) {
        ranks_of_node_.push_back(static_cast<int>(topology.ranks_on(node).size()));
    }
}

std::vector<RankStandstill> StallWatch::of_all_ranks(std::span<const double> begin_s,
                                                     std::span<const double> end_s) {
    const auto own = pulse_.take();
    const auto most = static_cast<std::size_t>(communicator_.max(static_cast<double>(own.size())));
    if (most == 0) return {};
    constexpr std::size_t told = std::tuple_size_v<StandstillNumbers>;
    std::vector<double> mine(1 + told * most, 0.0);
    mine.front() = static_cast<double>(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
        std::ranges::copy(numbers_of(own[i], occasion_of(own[i], begin_s, end_s)),
                          mine.begin() + static_cast<std::ptrdiff_t>(1 + told * i));
    }
    const auto all = communicator_.all_gather(mine);
    std::vector<RankStandstill> seen;
    for (int rank = 0; rank < communicator_.size(); ++rank) {
        const double* const of_rank = all.data() + static_cast<std::size_t>(rank) * mine.size();
        for (std::size_t i = 0; i < static_cast<std::size_t>(of_rank[0]); ++i) {
            const std::span<const double, told> numbers(of_rank + 1 + told * i, told);
            seen.push_back(
                standstill_of(numbers, rank, communicator_.found_topology().node_of(rank)));
        }
    }
    return seen;
}

std::vector<Stall> StallWatch::look(std::span<const double> samples_s,
                                    std::span<const double> begin_s, std::span<const double> end_s,
                                    const Surroundings& seen) {
    const double ranks = communicator_.found_topology().largest_node();
    const int cores = seen.cores > 0 ? seen.cores : online_cores();
    std::vector<Stall> stalls;
    for (const Outlier& one :
         outliers_of(samples_s, of_all_ranks(begin_s, end_s), ranks_of_node_, ranks / cores)) {
        Stall& stall = stalls.emplace_back();
        stall.outlier = one;
        const bool of_sample = one.occasion.timed;
        stall.excused =
            (one.rank == Outlier::nobody && seen.disturbed()) || (one.whole_node() && !of_sample);
        stall.at_s = at_s(one);
        stall.place = place_of(one);
        stall.machine = words_of(one, seen);
    }
    return stalls;
}

double StallWatch::at_s(const Outlier& outlier) const {
    if (!outlier.stood_still()) return Surroundings::not_told;
    const int rank = outlier.whole_node()
                         ? communicator_.found_topology().ranks_on(outlier.node).front()
                         : outlier.rank;
    return outlier.standstill.begin_s - start_s_[static_cast<std::size_t>(rank)];
}

std::vector<RankPace> StallWatch::rank_times(double own_s, double late_s) const {
    const auto all = communicator_.all_gather(std::array{own_s, late_s});
    std::vector<double> own;
    for (std::size_t i = 0; i < all.size(); i += 2) own.push_back(all[i]);
    const std::vector<double> factors = ratios_to_others(own);
    std::vector<RankPace> times;
    for (int rank = 0; rank < communicator_.size(); ++rank) {
        const double* const of_rank = all.data() + static_cast<std::size_t>(rank) * 2;
        times.push_back({rank, communicator_.found_topology().node_of(rank), of_rank[0],
                         factors[static_cast<std::size_t>(rank)], of_rank[1]});
    }
    return times;
}

std::string StallWatch::place_of(const Outlier& outlier) const {
    if (outlier.node < 0) return "no rank in particular";
    const auto& topology = communicator_.found_topology();
    const int rank = outlier.whole_node() ? topology.ranks_on(outlier.node).front() : outlier.rank;
    std::string node = fmt::format("node {}", outlier.node);
    if (!hosts_.empty()) node += fmt::format(" ({})", hosts_[static_cast<std::size_t>(rank)]);
    return outlier.whole_node() ? node : fmt::format("rank {} on {}", rank, node);
}

std::vector<RankPace> StallWatch::rank_times(const Laps& laps) const {
    std::vector<double> own_s;
    for (std::size_t i = 0; i < laps.own_begin_s.size(); ++i) {
        own_s.push_back(laps.own_end_s[i] - laps.own_begin_s[i]);
    }
    const bool one_clock = !laps.own_late_s.empty();
    return rank_times(median(own_s), one_clock ? median(laps.own_late_s) : Surroundings::not_told);
}

}  // namespace shardstone::benchmarks
