// SPDX-License-Identifier: BSD-3-Clause
// Sentences and tiles on a sweep: how `auto` stands against the library's own, with uncertainty.
#include "results/report/sweep_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/record/rival.hpp"
#include "results/report/rows_table.hpp"
#include "results/report/system.hpp"
#include "results/report/words.hpp"

namespace shardstone::results {

namespace {

bool are_apart(const CollectiveRow& a, const CollectiveRow& b) {
    return has_interval(a) && has_interval(b) &&
           (a.time_high_s < b.time_low_s || b.time_high_s < a.time_low_s);
}

bool is_busy_pair(const CollectiveRow& a, const CollectiveRow& b) {
    return is_disturbed(a) || is_disturbed(b);
}

std::string time_of(const CollectiveRow& point) {
    return time_with_interval(point.time_s, point.time_low_s, point.time_high_s) +
           disturbance_note(is_disturbed(point));
}

/// What a sweep is spoken for by: `auto`, or the only one of ours that it measured; between GPUs,
/// where nothing is chosen, the library's own; nothing where the best of several would have to be
/// found afterwards.
std::string leader_of(const ReportedSweep& sweep) {
    std::vector<std::string> ours, rivals;
    for (const std::string& name : sweep.algorithms()) {
        if (name == "auto") return name;
        (is_rival(name) ? rivals : ours).push_back(name);
    }
    if (ours.size() == 1) return ours.front();
    return is_on_gpus(*sweep.source) && rivals.size() == 1 ? rivals.front() : "";
}

void add_size_finding(const std::vector<ReportedSweep>& sweeps, const ReportedSweep& sweep,
                      const std::string& leader, double size, Section& section) {
    const CollectiveRow* ours = sweep.find(leader, size);
    if (ours == nullptr) return;
    std::string text = fmt::format("{}, {}: `{}` takes {}", sweep.title(), size_text(size), leader,
                                   time_of(*ours));
    if (ours->busbw_gb_s > 0.0) {  // one rank has none
        text += fmt::format(", a bus bandwidth of {}", rate_text(ours->busbw_gb_s));
    }
    std::vector<const Source*> from{sweep.source};
    const Rival rival = is_rival(leader) ? Rival{} : best_rival(sweeps, sweep, size);
    if (rival.point != nullptr) {
        text += fmt::format("; {} takes {}: {}{}", rival.name(), time_of(*rival.point),
                            is_busy_pair(*ours, *rival.point) ? "" : "`" + leader + "` is ",
                            advantage_over(sweep, *ours, rival));
        from.push_back(rival.source);
    }
    section.findings.push_back({text + crowding_note(*sweep.source, sweep.ranks) + ".", from});
}

/// None of a disturbed point: a number at the head of the page has no room for the reservation.
void add_tiles(const ReportedSweep& sweep, const std::string& leader, double least, double greatest,
               Section& section) {
    const std::string crowding = crowding_note(*sweep.source, sweep.ranks);
    const CollectiveRow* ours = sweep.find(leader, least);
    if (ours != nullptr && !is_disturbed(*ours)) {
        section.tiles.push_back(
            {time_text(ours->time_s),
             fmt::format("{}, {}, by {}{}", sweep.title(), size_text(least), leader, crowding),
             sweep.source});
    }
    ours = sweep.find(leader, greatest);
    if (ours != nullptr && !is_disturbed(*ours) && ours->busbw_gb_s > 0.0) {
        section.tiles.push_back({rate_text(ours->busbw_gb_s),
                                 fmt::format("bus bandwidth, {}, {}, by {}{}", sweep.title(),
                                             size_text(greatest), leader, crowding),
                                 sweep.source});
    }
}

/// How the leader stands over all sizes.
struct Balance {
    int quicker = 0, slower = 0, alike = 0, busy = 0;
    double worst = INFINITY, worst_size = 0.0;  ///< of the sizes that were not disturbed
    std::vector<const Source*> from;            ///< records of both sides

    int quiet() const { return quicker + slower + alike; }
};

Balance balance_of(const std::vector<ReportedSweep>& sweeps, const ReportedSweep& sweep,
                   const std::string& leader) {
    Balance balance;
    balance.from = {sweep.source};
    for (const double size : sweep.sizes()) {
        const CollectiveRow* ours = sweep.find(leader, size);
        const Rival rival = best_rival(sweeps, sweep, size);
        if (ours == nullptr || rival.point == nullptr) continue;
        balance.from.push_back(rival.source);
        if (is_busy_pair(*ours, *rival.point)) {
            ++balance.busy;
            continue;
        }
        const double ratio = rival.point->time_s / ours->time_s;
        if (ratio < balance.worst) {
            balance.worst = ratio;
            balance.worst_size = size;
        }
        ++(!are_apart(*ours, *rival.point) ? balance.alike
           : ratio > 1.0                   ? balance.quicker
                                           : balance.slower);
    }
    return balance;
}

void add_balance(const std::vector<ReportedSweep>& sweeps, const ReportedSweep& sweep,
                 const std::string& leader, Section& section) {
    if (is_rival(leader)) return;
    const Balance balance = balance_of(sweeps, sweep, leader);
    const int all = balance.quiet() + balance.busy;
    if (all < 2) return;
    const std::string crowding = crowding_note(*sweep.source, sweep.ranks);
    if (balance.quiet() == 0) {
        section.findings.push_back(
            {fmt::format("{}: at all {}, `{}` or the library's own is {}{}.", sweep.title(),
                         plural(all, "size"), leader, undecided, crowding),
             balance.from});
        return;
    }
    const std::string busy =
        balance.busy == 0 ? "" : fmt::format("; at {} {}", balance.busy, undecided);
    section.findings.push_back(
        {fmt::format(
             "{}: of {}, `{}` is faster than the library's own at {}, slower at {}, and "
             "indistinguishable at {}{}; at its worst, {}, it takes {} times the library's time{}.",
             sweep.title(), plural(all, "size"), leader, balance.quicker, balance.slower,
             balance.alike, busy, size_text(balance.worst_size),
             digits_text(1.0 / balance.worst, 3), crowding),
         balance.from});
}

}  // namespace

std::string advantage(const CollectiveRow& ours, const CollectiveRow& rival) {
    if (is_busy_pair(ours, rival)) return undecided;
    const double ratio = rival.time_s / ours.time_s;
    const std::string factor = fmt::format("{} times {}", digits_text(factor_apart(ratio), 3),
                                           ratio >= 1.0 ? "faster" : "slower");
    return are_apart(ours, rival) ? factor : factor + ", within the uncertainty";
}

std::string advantage_over(const ReportedSweep& sweep, const CollectiveRow& ours,
                           const Rival& rival) {
    const std::string text = advantage(ours, *rival.point);
    if (rival.source == sweep.source) return text;
    return fmt::format("{} (measured by {}{}{})", text, rival.source->file(),
                       sweep.machine_change.empty() ? "" : "; ", sweep.machine_change);
}

void add_sweep_findings(const std::vector<ReportedSweep>& sweeps, const ReportedSweep& sweep,
                        Section& section) {
    const std::string leader = leader_of(sweep);
    const auto points = sweep.of(leader);
    if (points.empty()) {
        section.findings.push_back(
            {fmt::format("{}: the record '{}' has several algorithms and no `auto`, so there is "
                         "none to compare; the times of all are in the tables.",
                         sweep.title(), sweep.source->file()),
             {sweep.source}});
    } else {
        const double least = points.front().size_bytes;
        const double greatest = points.back().size_bytes;
        add_size_finding(sweeps, sweep, leader, least, section);
        if (greatest > least) add_size_finding(sweeps, sweep, leader, greatest, section);
        add_balance(sweeps, sweep, leader, section);
        add_tiles(sweep, leader, least, greatest, section);
    }
}

}  // namespace shardstone::results
