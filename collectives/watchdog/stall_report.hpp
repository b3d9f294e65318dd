// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "collectives/watchdog/judge.hpp"

namespace shardstone::collectives {

/// Known state of a rank that others may be waiting for.
struct RankView {
    int rank = 0;
    std::string node;
    int process = 0;
    double idle_s = 0.0;  ///< since it last moved or worked
    std::string phase;    ///< "point 12"; empty before the first
    std::string action;   ///< "all_reduce ring, 64 KiB"; empty before the first
    bool waits = false;
    std::string waits_for;  ///< "step 3 of 7: 8 KiB from rank 2"; empty if unknown
    char process_state = ' ';
};

/// One sentence with the stalled ranks, the time and their activity, for records, too. Of the
/// views, those named by the stall are needed, as far as known.
std::string stall_headline(const Stall& stall, std::span<const RankView> views);

/// What follows that sentence on stderr, while the processes are there: what lets the next run go
/// on; "" if nothing does.
std::string stall_hint(const Stall& stall, std::span<const RankView> views);

/// The same of a job whose MPI has not come up after `for_s`, from `node` with its ranks `here`, of
/// `ranks` in all: which of them are not there to be seen.
std::string start_headline(double for_s, const std::string& node, std::span<const int> here,
                           int ranks);

/// The same of a job of which `ended` processes on `node` ended before MPI came up, beside the
/// ranks `here` that remain, of `ranks` in all: named where they are all that is not here.
std::string ended_headline(int ended, const std::string& node, std::span<const int> here,
                           int ranks);

/// "rank 2 on n0 (in point 12, all_reduce ring, 64 KiB); rank 3 on n0 (...)", of the first sixteen.
std::string what_ranks_do(std::span<const RankView> views);

/// A line for each rank, "  rank 2 on n0: waits 6.1 s in all_reduce ring, 64 KiB, for ...\n".
std::string stall_lines(std::span<const RankView> views);

}  // namespace shardstone::collectives
