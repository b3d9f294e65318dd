// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/harness/stall_watch.hpp"
#include "benchmarks/harness/watch.hpp"
#include "collectives/cluster/communicator.hpp"
#include "kernels/base/statistics.hpp"
#include "reference/data/dataset.hpp"
#include "reference/trainer/options.hpp"

namespace shardstone::benchmarks {

/// One training done twice at once in the same processes: with its transfers under the computation
/// and with all of them apart from it. Steps are taken in turns, so that drift of the machine meets
/// both alike.
struct OverlapSetup {
    reference::TrainOptions options;  ///< `steps` and `communication.overlap` are not looked at
    std::int64_t rounds = 20;         ///< steps of each that count, at least 1, after those that do
                                      ///< not: until both have warmed_up(), ...
    std::int64_t most_warmup_rounds = 30;  ///< ... and so many at most

    /// The options of either training.
    reference::TrainOptions training(bool overlap) const;
};

/// One rank's part in one round.
struct RankTimes {
    double step_s = 0.0;
    double exposed_s = 0.0;
    double compute_s = 0.0;
    double preempted_s = 0.0;
};

/// Of each round, in seconds; of ranks that differ, the slowest's.
struct StepTimes {
    std::vector<double> step_s;
    std::vector<double> exposed_s;    ///< StepPart::communication: what computation did not hide
    std::vector<double> compute_s;    ///< StepPart::compute
    std::vector<double> preempted_s;  ///< StepPart::preempted: no waiting, but without a core
    std::vector<RankTimes> by_rank;   ///< round by round, in each rank by rank
};

/// A figure per round and what can be said of all rounds.
struct RoundFigure {
    std::vector<double> rounds;
    double median = 0.0;
    std::optional<Interval> interval;  ///< 95 %, for the median

    explicit RoundFigure(std::vector<double> values);
    /// Upper end of the interval, or the median where there is none.
    double upper() const { return interval ? interval->high : median; }
};

/// When the rounds were, on this rank's clock, and how long the two steps of each took together,
/// the slowest rank's.
struct RoundTimes {
    std::vector<double> together_s, begin_s, end_s;
};

struct OverlapTiming {
    StepTimes overlapped, apart;
    RoundTimes rounds;
    std::int64_t warmup_rounds = 0;
    bool same_losses = true;      ///< and gradient norms: bit by bit, in all steps and on all ranks
    bool same_weights = true;     ///< bit by bit at the end, on all ranks
    std::int64_t sent_bytes = 0;  ///< by this rank in all steps of the overlapped one, ...
    std::int64_t scheduled_bytes = 0;        ///< ... and what its step program says
    double bytes_per_step = 0.0;             ///< sent by rank 0
    Watched watched;                         ///< all rounds together
    std::vector<Surroundings> surroundings;  ///< of every try
    std::vector<Stall> stalls;               ///< in all of them; iterations are rounds
    double work_s = 0.0;                     ///< median of this rank's in a round, without waits
    std::vector<RankPace> rank_times;        ///< of that

    /// Exposed communication of the overlapped steps over that of the others.
    RoundFigure exposed_ratio() const;
    /// What overlap hides of what could be hidden at best: communication is the exposed of the
    /// steps apart, of which a step can hide no more than its computation takes. 1 is ideal.
    RoundFigure hidden_share() const;
};

/// Collective. FP32. Options valid for the ranks; the dataset is only read. On a busy machine all
/// of it is taken again, most_tries times at most; the least disturbed counts. `progress` gets in
/// words, on every rank and after every round, how far it is.
OverlapTiming time_overlap(
    collectives::Communicator& world, const OverlapSetup& setup, const reference::Dataset& dataset,
    const std::function<void(const std::string&)>& progress = [](const std::string&) {});

}  // namespace shardstone::benchmarks
