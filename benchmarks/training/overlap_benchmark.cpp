// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/training/overlap_benchmark.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "benchmarks/harness/rank_team.hpp"
#include "reference/trainer/trainer.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::Communicator;
using reference::Phase;
using reference::StepReport;
using reference::Trainer;

bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

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
    Trainer<float>& trainer() { return trainer_; }

  private:
    reference::TrainOptions options_;
    Trainer<float> trainer_;
};

void add(StepTimes& times, RankTeam& team, const StepReport& report) {
    const auto phase = [&](Phase which) { return report.phases[static_cast<std::size_t>(which)]; };
    const std::array mine{report.time_s, phase(Phase::communication), phase(Phase::compute)};
    const auto slowest = team.maxima(mine);
    times.step_s.push_back(slowest[0]);
    times.exposed_s.push_back(slowest[1]);
    times.compute_s.push_back(slowest[2]);
}

bool same_weights(Trainer<float>& a, Trainer<float>& b) {
    return std::ranges::all_of(a.memory().held_weights(), [&](const reference::Range& held) {
        return std::ranges::equal(a.memory().weights(held), b.memory().weights(held),
                                  [](float x, float y) { return same_bits(x, y); });
    });
}

std::int64_t total(const reference::SentBytes& bytes) {
    std::int64_t sum = 0;
    for (const std::int64_t of_group : bytes) sum += of_group;
    return sum;
}

void count_bytes(const Communicator& world, Trainer<float>& trainer, OverlapTiming& timing) {
    for (std::size_t kind = 0; kind < reference::group_kinds; ++kind) {
        timing.sent_bytes += trainer.exchange().bytes_sent(static_cast<reference::GroupKind>(kind));
    }
    timing.scheduled_bytes = total(trainer.scheduled_bytes());
    const double of_root = world.is_root() ? static_cast<double>(timing.sent_bytes) : 0.0;
    timing.bytes_per_step = world.max(of_root) / static_cast<double>(trainer.steps_done());
}

OverlapTiming time_once(Communicator& world, const OverlapSetup& setup,
                        const reference::Dataset& dataset) {
    RankTeam team(world);
    OverlapContender overlapped(world, setup, true, dataset);
    OverlapContender apart(world, setup, false, dataset);
    OverlapTiming timing;
    for (std::int64_t round = 0; round < setup.warmup_rounds + setup.rounds; ++round) {
        // Who went second goes first in the next round.
        StepReport with, without;
        if (round % 2 == 1) without = apart.step(team);
        with = overlapped.step(team);
        if (round % 2 == 0) without = apart.step(team);
        timing.same_losses &= same_bits(with.loss, without.loss) &&
                              same_bits(with.gradient_norm, without.gradient_norm);
        if (round < setup.warmup_rounds) continue;
        add(timing.overlapped, team, with);
        add(timing.apart, team, without);
    }
    timing.same_losses = world.min(timing.same_losses ? 1.0 : 0.0) > 0.0;
    const bool same = same_weights(overlapped.trainer(), apart.trainer());
    timing.same_weights = world.min(same ? 1.0 : 0.0) > 0.0;
    count_bytes(world, overlapped.trainer(), timing);
    return timing;
}

}  // namespace

reference::TrainOptions OverlapSetup::training(bool overlap) const {
    reference::TrainOptions result = options;
    result.steps = rounds + warmup_rounds;
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
                           const reference::Dataset& dataset) {
    Watch watch(world);
    OverlapTiming best, tried;
    const Watched watched = watch.until_quiet([&] { tried = time_once(world, setup, dataset); },
                                              [&] { best = std::move(tried); });
    best.watched = watched;
    best.surroundings = watch.log();
    return best;
}

}  // namespace shardstone::benchmarks
