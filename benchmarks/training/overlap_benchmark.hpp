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

/// One training executed twice concurrently in the same processes: with transfers overlapped with
/// computation, and with all of them separate. Steps alternate, so that drift of the machine
/// affects both equally.
struct OverlapSetup {
    reference::TrainOptions options;  ///< `steps` and `communication.overlap` are ignored
    std::int64_t rounds = 20;  ///< measured steps of each, at least 1, after the warm-up, which
                               ///< lasts until both have warmed_up(), ...
    std::int64_t most_warmup_rounds = 30;  ///< ... but at most this many

    /// The options of each training.
    reference::TrainOptions training(bool overlap) const;
};

/// One rank's part in one round.
struct RankTimes {
    double step_s = 0.0;
    double exposed_s = 0.0;
    double compute_s = 0.0;
    double preempted_s = 0.0;
};

/// Times of each round in seconds; maximum over ranks.
struct StepTimes {
    std::vector<double> step_s;
    std::vector<double> exposed_s;    ///< StepPart::communication: not hidden by computation
    std::vector<double> compute_s;    ///< StepPart::compute
    std::vector<double> preempted_s;  ///< StepPart::preempted: not waiting, but without a core
    std::vector<RankTimes> by_rank;   ///< round by round, within a round rank by rank
};

/// A figure per round and its statistics over all rounds.
struct RoundFigure {
    std::vector<double> rounds;
    double median = 0.0;
    std::optional<Interval> interval;  ///< 95 %, for the median

    explicit RoundFigure(std::vector<double> values);
    /// Upper end of the interval, or the median if there is none.
    double upper() const { return interval ? interval->high : median; }
};

/// Begin and end of the rounds on this rank's clock, and the total time of the two steps of each,
/// maximum over ranks.
struct RoundTimes {
    std::vector<double> together_s, begin_s, end_s;
};

struct OverlapTiming {
    StepTimes overlapped, apart;
    bool complete = true;  ///< all rounds that were asked for; a signal leaves fewer, or none
    RoundTimes rounds;
    std::int64_t warmup_rounds = 0;
    /// Whether both came to the same; nothing if the trainings are paced, and came to nothing.
    struct Sameness {
        bool losses = true;   ///< and gradient norms: bitwise, in all steps and on all ranks
        bool weights = true;  ///< bitwise at the end, on all ranks
    };
    std::optional<Sameness> same = Sameness{};
    std::int64_t sent_bytes = 0;       ///< by this rank in all steps of the overlapped one, ...
    std::int64_t scheduled_bytes = 0;  ///< ... and by its step program
    double bytes_per_step = 0.0;       ///< sent by rank 0
    Watched watched;                   ///< all rounds together
    std::vector<Surroundings> surroundings;  ///< of every try
    std::vector<Stall> stalls;               ///< in all of them; iterations are rounds
    double work_s = 0.0;               ///< median of this rank's work in a round, without waits
    std::vector<RankPace> rank_times;  ///< of that

    /// Exposed communication of the overlapped steps over that of the others.
    RoundFigure exposed_ratio() const;
    /// Fraction of the hideable communication that overlap hides: communication is the exposed time
    /// of the steps without overlap, of which a step can hide at most the time of its computation.
    /// 1 is ideal.
    RoundFigure hidden_share() const;
};

/// Who is told how it goes, on every rank.
struct OverlapListener {
    /// After every round, in words.
    std::function<void(const std::string&)> progress = [](const std::string&) {};
    /// The times so far of the first try, without those by rank, after each of its measured rounds.
    std::function<void(const StepTimes& overlapped, const StepTimes& apart)> measured =
        [](const StepTimes&, const StepTimes&) {};
};

/// Collective. FP32, on cores or each rank's GPU, or paced. Options valid for the ranks; the
/// dataset is only read. On a busy machine the whole measurement is repeated, at most most_tries
/// times; the least disturbed one counts. After a signal (interrupt.hpp) it ends with the round in
/// progress.
OverlapTiming time_overlap(collectives::Communicator& world, const OverlapSetup& setup,
                           const reference::Dataset& dataset, const OverlapListener& listener = {});

}  // namespace shardstone::benchmarks
