// SPDX-License-Identifier: BSD-3-Clause
// From the samples of a validation of the interconnect to its verdict.
#pragma once

#include <string>
#include <vector>

#include "results/schema/held_against.hpp"
#include "validation/interconnect/interconnect_samples.hpp"

namespace shardstone::validation {

/// Everything that follows from it.
struct InterconnectFindings {
    std::vector<results::PairRow> pairs;
    std::vector<results::PathRow> paths;
    std::vector<results::SuspectRow> suspects;  ///< of latency and rate, the highest odds first
    std::vector<results::RankTestRow> rank_tests;
    std::vector<results::GpuUseRow> gpus;  ///< during products; none where no GPU told anything
    std::vector<results::ClockRow> clocks;
    std::vector<results::CongestionRow> congestion;
    std::vector<results::BisectionRow> bisection;
    std::vector<results::TrafficRow> traffic;
    std::vector<results::AcceptanceRow> acceptance;
    std::vector<results::EpisodeRow> episodes;  ///< of a soak, in the order of their beginnings
    std::vector<results::HeldAgainstRow> held_against;  ///< what was tested, and by what judged
    std::string not_tested = results::never_tested;     ///< in words: what no verdict vouches for
    Acceptance verdict = Acceptance::pass;
    /// What decided it, a sentence each, the gravest first; what keeps it from being decided if it
    /// is inconclusive; nothing if it is pass.
    std::vector<std::string> reasons;
    /// Messages inside nodes, and short ones, of ranks that share cores were timed and not judged.
    bool unjudged = false;
};

/// Clocks and what loads of the network do are judged by limits only: a clock that is off bends no
/// measurement, and a network with less between its halves than at its ends may have been bought.
///
/// The verdict is fail if data was wrong, if traffic takes far longer than predicted from measured
/// links (traffic.hpp), if odds make a part of the network or a rank suspect, or
/// part of a soak's time in which it was slow or silent, or if a limit is broken; inconclusive if
/// none of that, but a limit, traffic or a part remains undecided, or if what was
/// tested was held against too little (held_against.hpp); otherwise pass. Pure: the same samples
/// give the same findings. Throws Error for samples that no run could have taken (require_valid()).
InterconnectFindings find_in(const InterconnectSamples& samples);

/// "rank 2 on cn02".
std::string name_of_rank(double rank, const std::vector<results::RankPlaceRow>& places);

}  // namespace shardstone::validation
