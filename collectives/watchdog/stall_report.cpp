// SPDX-License-Identifier: BSD-3-Clause
// What is said of ranks that do not go on.
#include "collectives/watchdog/stall_report.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "kernels/base/ranges_text.hpp"

namespace shardstone::collectives {

namespace {

/// "in point 12, all_reduce ring, 64 KiB"
std::string in_the_middle_of(const RankView& view) {
    const std::string phase = view.phase.empty() ? "its start" : view.phase;
    return view.action.empty() ? "in " + phase : fmt::format("in {}, {}", phase, view.action);
}

std::string who(const RankView& view) {
    return fmt::format("rank {} on {}", view.rank, view.node);
}

std::vector<RankView> named_by(const Stall& stall, std::span<const RankView> views) {
    std::vector<RankView> named;
    for (const RankView& view : views) {
        if (std::ranges::find(stall.ranks, view.rank) != stall.ranks.end()) named.push_back(view);
    }
    return named;
}

/// "21:40:03 UTC"
std::string time_before(double seconds) {
    using namespace std::chrono;
    const auto then =
        system_clock::now() - duration_cast<system_clock::duration>(duration<double>(seconds));
    return fmt::format("{:%H:%M:%S} UTC", fmt::gmtime(system_clock::to_time_t(then)));
}

/// "for 6.2 s (since 21:40:03 UTC)"
std::string since(double seconds) {
    return fmt::format("for {:.1f} s (since {})", seconds, time_before(seconds));
}

/// "6.2 s ago (at 21:40:03 UTC)"
std::string ago(double seconds) {
    return fmt::format("{:.1f} s ago (at {})", seconds, time_before(seconds));
}

/// "rank 3", "ranks 0 to 2, 5"
std::string ranks_in_words(std::span<const int> ranks) {
    return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", ranges_text(ranks));
}

std::vector<int> others_than(std::span<const int> here, int ranks) {
    std::vector<int> others;
    for (int rank = 0; rank < ranks; ++rank) {
        if (std::ranges::find(here, rank) == here.end()) others.push_back(rank);
    }
    return others;
}

const char* state_in_words(char state) {
    switch (state) {
        case 'T':
            return ", stopped";
        case 't':
            return ", held by a debugger";
        case 'D':
            return ", waits for a disk or the kernel";
        case 'Z':
        case 'X':
            return ", ended";
        default:
            return "";
    }
}

std::string line_of(const RankView& view) {
    const std::string doing = view.waits ? "waits" : "does not wait, last moved";
    std::string line = fmt::format("  {}, process {}{}: {} {:.1f} s{} {}", who(view), view.process,
                                   state_in_words(view.process_state), doing, view.idle_s,
                                   view.waits ? "" : " ago", in_the_middle_of(view));
    if (view.waits) {
        line += view.waits_for.empty() ? ", inside the MPI library" : ", for " + view.waits_for;
    }
    return line + "\n";
}

}  // namespace

std::string stall_headline(const Stall& stall, std::span<const RankView> views) {
    const auto named = named_by(stall, views);
    switch (stall.kind) {
        case Stall::Kind::ended:
            return fmt::format(
                "lost: {} ended{} {}, by a signal or a fault: where memory ran out, the kernel's "
                "log (dmesg) says so",
                what_ranks_do(named), named.size() > 1 ? ", the first of them" : "",
                ago(stall.for_s));
        case Stall::Kind::stopped: {
            return fmt::format("stalled: {} stopped{} {} by a signal (SIGSTOP)",
                               what_ranks_do(named), named.size() > 1 ? ", the first of them" : "",
                               since(stall.for_s));
        }
        case Stall::Kind::frozen:
            return fmt::format(
                "stalled: {} without any sign of life {}: frozen, swapped out, or its machine "
                "hangs",
                what_ranks_do(named), since(stall.for_s));
        case Stall::Kind::silent: {
            std::string ranks;
            for (const RankView& view : named) {
                ranks += fmt::format("{}{}", ranks.empty() ? "" : ", ", view.rank);
            }
            return fmt::format(
                "stalled: nothing is heard from node {} (rank{} {}) {}: it is down, cut off from "
                "the network, or its processes are stopped or have ended",
                named.empty() ? "?" : named.front().node, named.size() == 1 ? "" : "s", ranks,
                since(stall.for_s));
        }
        case Stall::Kind::standing:
            return fmt::format("stalled: no rank has moved {}; {}", since(stall.for_s),
                               named.empty() ? "all of them wait for others"
                                             : "not waiting for others: " + what_ranks_do(named));
    }
    return "stalled";
}

std::string stall_hint(const Stall& stall, std::span<const RankView> views) {
    if (stall.kind != Stall::Kind::stopped) return "";
    std::string processes;
    for (const RankView& view : named_by(stall, views)) {
        processes += fmt::format(" {}", view.process);
    }
    return fmt::format(
        "; the job is ended (with --stall-after SECONDS it waits longer, and kill -CONT{} lets it "
        "go "
        "on)",
        processes);
}

std::string ended_headline(int ended, const std::string& node, std::span<const int> here,
                           int ranks) {
    const auto others = others_than(here, ranks);
    const bool are_known = std::ssize(others) == ended;
    const std::string who = are_known
                                ? fmt::format("{} on {}", ranks_in_words(others), node)
                                : fmt::format("{} of the {} ranks on {} (beside {})", ended,
                                              std::ssize(here) + ended, node, ranks_in_words(here));
    return fmt::format(
        "lost: {} ended before MPI came up, by a signal or a fault: where memory ran out, the "
        "kernel's log (dmesg) says so",
        who);
}

std::string start_headline(double for_s, const std::string& node, std::span<const int> here,
                           int ranks) {
    const auto others = others_than(here, ranks);
    const std::string beginning = fmt::format("stalled: MPI has not come up {}: {} on {}",
                                              since(for_s), ranks_in_words(here), node);
    if (others.empty()) {
        return beginning + ", which is all of them: one of them has not called MPI, or waits in it";
    }
    return fmt::format(
        "{} for {}, of which nothing is known here: their nodes are down or cut off, or the "
        "launcher has not started them",
        beginning + (here.size() == 1 ? " waits" : " wait"), ranks_in_words(others));
}

std::string what_ranks_do(std::span<const RankView> views) {
    constexpr std::size_t most = 16;
    std::string list;
    for (const RankView& view : views.first(std::min(most, views.size()))) {
        list +=
            fmt::format("{}{} ({})", list.empty() ? "" : "; ", who(view), in_the_middle_of(view));
    }
    return list;
}

std::string stall_lines(std::span<const RankView> views) {
    constexpr std::size_t most = 64;
    std::string lines;
    for (const RankView& view : views.first(std::min(most, views.size()))) lines += line_of(view);
    if (views.size() > most) lines += fmt::format("  and {} more\n", views.size() - most);
    return lines;
}

}  // namespace shardstone::collectives
