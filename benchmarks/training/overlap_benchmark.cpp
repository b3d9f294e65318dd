// SPDX-License-Identifier: BSD-3-Clause
// A training with and without overlapped communication, step by step in turns, to the same bits.
#include "benchmarks/training/overlap_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

#include "benchmarks/harness/rank_team.hpp"
#include "benchmarks/harness/stopping.hpp"
#include "benchmarks/harness/tries.hpp"
#include "benchmarks/training/run/stop_sign.hpp"
#include "benchmarks/training/step_stalls.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "reference/trainer/trainer.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::Communicator;
using reference::StepPart;
using reference::StepReport;
using reference::Trainer;

bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

template <class Space>
class OverlapContender {
  public:
    OverlapContender(Communicator& world, const OverlapSetup& setup, bool overlap,
                     const reference::Dataset& dataset)
        : options_(setup.training(overlap)),
          trainer_(world, options_, dataset,
                   reference::checked_step_program(options_, world.rank())) {}

    StepReport step(RankTeam& team) {
        team.line_up();
        return trainer_.step();
    }
    Trainer<float, Space>& trainer() { return trainer_; }

  private:
    reference::TrainOptions options_;
    Trainer<float, Space> trainer_;
};

/// What one rank says of one step.
constexpr std::size_t said = 4;

/// The times of one of the two trainings: the slowest rank's at once, everybody's in the end.
class TimesOf {
  public:
    void add(RankTeam& team, const StepReport& report) {
        const auto phase = [&](StepPart which) {
            return report.phases[static_cast<std::size_t>(which)];
        };
        const std::array<double, said> mine{report.time_s, phase(StepPart::communication),
                                            phase(StepPart::compute), phase(StepPart::preempted)};
        const auto slowest = team.maxima(mine);
        times_.step_s.push_back(slowest[0]);
        times_.exposed_s.push_back(slowest[1]);
        times_.compute_s.push_back(slowest[2]);
        times_.preempted_s.push_back(slowest[3]);
        mine_.insert(mine_.end(), mine.begin(), mine.end());
    }
    bool warmed_up() const { return benchmarks::warmed_up(times_.step_s); }
    std::size_t rounds() const { return times_.step_s.size(); }
    const StepTimes& times() const { return times_; }
    /// Collective.
    StepTimes with_all_ranks(const Communicator& world) {
        const auto all = world.all_gather(mine_);
        const auto ranks = static_cast<std::size_t>(world.size());
        for (std::size_t round = 0; round < rounds(); ++round) {
            for (std::size_t rank = 0; rank < ranks; ++rank) {
                const double* one = all.data() + (rank * rounds() + round) * said;
                times_.by_rank.push_back({one[0], one[1], one[2], one[3]});
            }
        }
        return times_;
    }

  private:
    StepTimes times_;
    std::vector<double> mine_;
};

template <class Space>
bool same_weights(Trainer<float, Space>& a, Trainer<float, Space>& b) {
    return std::ranges::all_of(a.memory().held_weights(), [&](const reference::Range& held) {
        return std::ranges::equal(a.memory().copy_of_weights(held),
                                  b.memory().copy_of_weights(held),
                                  [](float x, float y) { return same_bits(x, y); });
    });
}

std::int64_t total(const reference::SentBytes& bytes) {
    std::int64_t sum = 0;
    for (const std::int64_t of_group : bytes) sum += of_group;
    return sum;
}

template <class Space>
void count_bytes(const Communicator& world, Trainer<float, Space>& trainer, OverlapTiming& timing) {
    for (const reference::GroupKind& kind : reference::group_kinds()) {
        timing.sent_bytes += trainer.exchange().bytes_sent(kind);
    }
    timing.scheduled_bytes = total(trainer.scheduled_bytes());
    const double of_root = world.is_root() ? static_cast<double>(timing.sent_bytes) : 0.0;
    timing.bytes_per_step = world.max(of_root) / static_cast<double>(trainer.steps_done());
}

std::vector<double> sums(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> result;
    std::ranges::transform(a, b, std::back_inserter(result), std::plus<>());
    return result;
}

/// Steps of both contenders, a pair at a time.
template <class Space>
class Pairs {
  public:
    Pairs(Communicator& world, const OverlapSetup& setup, const reference::Dataset& dataset)
        : team_(world),
          overlapped_(world, setup, true, dataset),
          apart_(world, setup, false, dataset) {}

    /// False, on all ranks, where a signal has cut one of the steps short, which then do not count.
    bool run(TimesOf& with_times, TimesOf& without_times) {
        // Who went second goes first in the next round.
        const bool apart_first = rounds_ % 2 == 1;
        StepReport with, without;
        const bool are_whole = apart_first ? step(apart_, without) && step(overlapped_, with)
                                           : step(overlapped_, with) && step(apart_, without);
        if (!are_whole) return false;
        ++rounds_;
        same_losses_ &= same_bits(with.loss, without.loss) &&
                        same_bits(with.gradient_norm, without.gradient_norm);
        with_times.add(team_, with);
        without_times.add(team_, without);
        works_s_.push_back(work_of_step_s(with.phases) + work_of_step_s(without.phases));
        begin_s_.push_back(std::min(with.begin_s, without.begin_s));
        end_s_.push_back(std::max(with.begin_s + with.time_s, without.begin_s + without.time_s));
        return true;
    }
    std::int64_t rounds() const { return rounds_; }

    /// Of all but the first `warmup` rounds; what all ranks have in common. Collective.
    void report(Communicator& world, std::int64_t warmup, OverlapTiming& timing) {
        timing.work_s = median(std::span(works_s_).subspan(static_cast<std::size_t>(warmup)));
        timing.rounds = {sums(timing.overlapped.step_s, timing.apart.step_s),
                         {begin_s_.begin() + warmup, begin_s_.end()},
                         {end_s_.begin() + warmup, end_s_.end()}};
        timing.same = sameness(world);
        count_bytes(world, overlapped_.trainer(), timing);
    }

  private:
    bool step(OverlapContender<Space>& contender, StepReport& report) {
        report = contender.step(team_);
        return !contender.trainer().was_cut_short();
    }
    std::optional<OverlapTiming::Sameness> sameness(Communicator& world) {
        if constexpr (!std::is_same_v<Space, Paced>) {
            const bool same = same_weights(overlapped_.trainer(), apart_.trainer());
            return OverlapTiming::Sameness{world.min(same_losses_ ? 1.0 : 0.0) > 0.0,
                                           world.min(same ? 1.0 : 0.0) > 0.0};
        } else {
            return std::nullopt;  // zeros on both sides
        }
    }

    RankTeam team_;
    OverlapContender<Space> overlapped_, apart_;
    std::int64_t rounds_ = 0;
    bool same_losses_ = true;
    std::vector<double> begin_s_, end_s_, works_s_;
};

template <class Space>
OverlapTiming time_once(Communicator& world, const OverlapSetup& setup,
                        const reference::Dataset& dataset, const OverlapListener& listener) {
    Pairs<Space> pairs(world, setup, dataset);
    OverlapTiming timing;
    StopSign sign(world);
    bool stopped = false;
    // The times are equal on all ranks, and so is the end of the warm-up.
    TimesOf cold_with, cold_without, with, without;
    while (!stopped && pairs.rounds() < setup.most_warmup_rounds &&
           !(cold_with.warmed_up() && cold_without.warmed_up())) {
        stopped = !pairs.run(cold_with, cold_without) || sign.raised();
        listener.progress(fmt::format("warming up, {} of {} rounds at most", pairs.rounds(),
                                      setup.most_warmup_rounds));
    }
    timing.warmup_rounds = pairs.rounds();
    while (!stopped && pairs.rounds() < timing.warmup_rounds + setup.rounds) {
        stopped = !pairs.run(with, without);
        if (stopped) break;
        listener.progress(fmt::format("{} of {} rounds measured", with.rounds(), setup.rounds));
        listener.measured(with.times(), without.times());
        stopped = sign.raised();
    }
    timing.complete = static_cast<std::int64_t>(with.rounds()) == setup.rounds;
    if (with.rounds() == 0) return timing;
    timing.overlapped = with.with_all_ranks(world);
    timing.apart = without.with_all_ranks(world);
    pairs.report(world, timing.warmup_rounds, timing);
    return timing;
}

OverlapTiming time_on_device(Communicator& world, const OverlapSetup& setup,
                             const reference::Dataset& dataset, const OverlapListener& listener) {
    if (setup.options.pace) return time_once<Paced>(world, setup, dataset, listener);
#ifdef SHARDSTONE_HAS_CUDA
    if (setup.options.device == reference::DeviceKind::cuda) {
        collectives::choose_gpu_of_rank(world);
        return time_once<Cuda>(world, setup, dataset, listener);
    }
#endif
    return time_once<Host>(world, setup, dataset, listener);
}

}  // namespace

reference::TrainOptions OverlapSetup::training(bool overlap) const {
    reference::TrainOptions result = options;
    result.steps = rounds + most_warmup_rounds;
    result.communication.overlap = overlap;
    return result;
}

RoundFigure::RoundFigure(std::vector<double> values)
    : rounds(std::move(values)),
      median(shardstone::median(rounds)),
      interval(median_interval(rounds)) {}

RoundFigure OverlapTiming::exposed_ratio() const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < apart.exposed_s.size(); ++i) {
        ratios.push_back(overlapped.exposed_s[i] / apart.exposed_s[i]);
    }
    return RoundFigure(std::move(ratios));
}

RoundFigure OverlapTiming::hidden_share() const {
    std::vector<double> shares;
    for (std::size_t i = 0; i < apart.exposed_s.size(); ++i) {
        const double hidden_s = apart.exposed_s[i] - overlapped.exposed_s[i];
        shares.push_back(hidden_s / std::min(apart.exposed_s[i], apart.compute_s[i]));
    }
    return RoundFigure(std::move(shares));
}

OverlapTiming time_overlap(Communicator& world, const OverlapSetup& setup,
                           const reference::Dataset& dataset, const OverlapListener& listener) {
    Watch watch(world);
    OverlapTiming best, tried;
    StallWatch pulses(world);
    int tries_begun = 0, kept = 0;
    const auto measure = [&] {
        OverlapListener of_try;
        if (++tries_begun == 1) of_try.measured = listener.measured;
        of_try.progress = [&](const std::string& what) {
            listener.progress(fmt::format("try {}: {}", tries_begun, what));
        };
        tried = time_on_device(world, setup, dataset, of_try);
    };
    // A try that a signal ended in its warm-up has nothing that could be better.
    const auto better = [&] {
        if (kept > 0 && tried.apart.step_s.empty()) return;
        best = tried;
        kept = tries_begun;
    };
    const auto newest = [&] {
        const RoundTimes& rounds = tried.rounds;
        return Series{rounds.together_s, rounds.begin_s, rounds.end_s};
    };
    Tries tries = until_undisturbed(watch, pulses, measure, better, newest);
    if (best.apart.step_s.empty()) return best;
    best.watched = {watch.log().at(static_cast<std::size_t>(kept) - 1), tries.watched.tries};
    best.stalls = std::move(tries.stalls);
    best.surroundings = watch.log();
    best.rank_times = pulses.rank_times(best.work_s, Surroundings::not_told);
    return best;
}

}  // namespace shardstone::benchmarks
