// SPDX-License-Identifier: BSD-3-Clause
// Every planned point is timed, checked and set beside its prediction, until done or interrupted.
#include "benchmarks/collectives/sweep/sweep.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "benchmarks/collectives/sweep/contender.hpp"
#include "benchmarks/collectives/sweep/noise_floor.hpp"
#include "benchmarks/harness/tries.hpp"
#include "collectives/operation/algorithm.hpp"
#include "collectives/pricing/choice.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/interrupt.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::Algorithm;
using collectives::CollectiveSpec;
using collectives::Communicator;

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

MeasurePolicy policy_of(const SweepOptions& options) {
    MeasurePolicy policy;
    policy.fixed_iterations = options.iterations;
    policy.fixed_warmup = options.warmup;
    policy.time_limit_s = options.seconds_per_point;
    policy.relative_precision = options.relative_precision;
    policy.from = TimeFrom::last_start;
    return policy;
}

/// What looks at the machine, and at the ranks on it.
struct Watchers {
    Watch machine;
    StallWatch pulses;
};

void time_and_check(Communicator& communicator, const SweepOptions& options, Contender& contender,
                    Watchers& watchers, SweepPoint& point) {
    const Work work = contender.work();
    Measurement tried;
    Tries tries = until_undisturbed(
        watchers.machine, watchers.pulses,
        [&] { tried = measure(communicator, policy_of(options), work.run, work.prepare); },
        [&] { point.measurement = tried; },
        [&] {
            return Series{tried.samples_s, tried.laps.own_begin_s, tried.laps.own_end_s};
        });
    point.watched = tries.watched;
    point.stalls = std::move(tries.stalls);
    for (std::int64_t run = 0; run < options.checks; ++run) {
        if (run > 0) contender.run_again();
        point.wrong_elements += contender.wrong_elements();
        ++point.checked_runs;
    }
    point.rotated_buffers = contender.rotated();
    for (Stall& stall : watchers.pulses.look({}, {}, {}, point.watched.surroundings)) {
        stall.attempt = tries.kept;
        point.stalls.push_back(std::move(stall));
    }
    point.rank_times = watchers.pulses.rank_times(point.measurement.laps);
}

/// What the schedule says, and what was counted while it ran.
void account(Communicator& communicator, const Algorithm& algorithm, const CollectiveSpec& spec,
             const Contender& contender, SweepPoint& point) {
    point.predicted_s = point.measured_before_s = point.bytes_sent_per_rank = not_known;
    point.most_sent = {not_known, not_known};
    if (!algorithm.has_schedule()) return;
    point.bytes_sent_per_rank = contender.bytes_sent_per_run();
    const auto& topology = communicator.topology();
    const auto mine = scheduled_traffic(algorithm, topology, communicator.rank(), spec);
    point.most_sent = {communicator.max(mine.inside_node_bytes),
                       communicator.max(mine.between_nodes_bytes)};
    if (!communicator.is_root()) return;
    if (const auto expected = predict(algorithm, topology, spec, communicator.cluster())) {
        point.predicted_s = expected->time_s;
    }
}

/// What "auto" went by: what the model says, or what its choice took before.
void account_for_choice(const Communicator& communicator, const Algorithm& algorithm,
                        const CollectiveSpec& spec, SweepPoint& point) {
    if (algorithm.name != collectives::automatic || !communicator.is_root()) return;
    const auto ranked =
        predictions(*algorithm.operation, communicator.topology(), spec, communicator.cluster());
    const collectives::Prediction& choice = ranked.front();
    const bool by_model = choice.basis == collectives::Basis::schedule;
    (by_model ? point.predicted_s : point.measured_before_s) = choice.time_s;
    point.reason = explain(ranked, communicator.cluster());
}

/// One combination of what a sweep varies.
struct Choice {
    const OperationPlan& planned;
    std::int64_t count;
    bool in_place;
};

class Runner {
  public:
    Runner(Communicator& communicator, const SweepOptions& options, const SweepPlan& plan,
           const SweepObserver& observer, std::unique_ptr<const MachineReader> reader)
        : communicator_(communicator),
          options_(options),
          plan_(plan),
          observer_(observer),
          watchers_{Watch(communicator, std::move(reader)), StallWatch(communicator)} {}

    Sweep run() {
        sweep_.planned_points = points_of(plan_, communicator_.size());
        sweep_.finished_before = plan_.finished.size();
        for (const OperationPlan& planned : plan_.operations) {
            if (sweep_.interrupted) break;
            if (observer_.began) observer_.began(planned);
            for (const std::int64_t count : counts_of(plan_, planned, communicator_.size())) {
                for (const bool in_place : planned.in_place) compare({planned, count, in_place});
            }
        }
        sweep_.surroundings = watchers_.machine.log();
        return std::move(sweep_);
    }

  private:
    /// All algorithms, and then the best of them with itself.
    void compare(const Choice& choice) {
        const std::size_t first = sweep_.points.size();
        for (const Algorithm& algorithm : choice.planned.algorithms) {
            const PointName point = name_of(choice, algorithm.name);
            if (plan_.finished.contains(point)) {
                if (observer_.left_out) observer_.left_out(point);
                continue;
            }
            if (must_end()) return;
            sweep_.points.push_back(measure_named_point(choice, algorithm));
            if (observer_.measured) observer_.measured(sweep_.points.back());
        }
        if (!options_.noise_floor) return;
        const Best best = best_of(sweep_.points, first);
        sweep_.floors.push_back(measure_noise_floor(
            communicator_, options_, plan_, best.ours != nullptr ? *best.ours : *best.library,
            watchers_.machine));
        if (observer_.compared) observer_.compared(sweep_.floors.back());
    }

    /// The same on all ranks, whichever of them a signal reached.
    bool must_end() {
        if (!sweep_.interrupted) sweep_.interrupted = communicator_.max(interrupted() ? 1 : 0) > 0;
        return sweep_.interrupted;
    }

    PointName name_of(const Choice& choice, const std::string& algorithm) const {
        const collectives::Operation& operation = *choice.planned.operation;
        const auto spec = spec_of(plan_, operation, choice.count, communicator_.size());
        return {operation.name, algorithm, choice.in_place, spec.vector.size_bytes()};
    }

    /// On a GPU what fails is a call of a library, which does not say for what.
    SweepPoint measure_named_point(const Choice& choice, const Algorithm& algorithm) {
        if (!options_.on_gpus()) return measure_point(choice, algorithm);
        try {
            return measure_point(choice, algorithm);
        } catch (const AgreedError&) {
            throw;
        } catch (const Error& error) {
            const PointName point = name_of(choice, algorithm.name);
            fail(fmt::format("{} {} of {}: {}", point.operation, point.algorithm,
                             format_size(point.size_bytes), error.what()),
                 error.code());
        }
    }

    SweepPoint measure_point(const Choice& choice, const Algorithm& algorithm) {
        const auto spec = spec_of(plan_, *algorithm.operation, choice.count, communicator_.size());
        Contender contender(communicator_, algorithm, spec,
                            {choice.in_place, options_.checks > 0, plan_.rotation});
        SweepPoint point;
        point.operation = algorithm.operation->name;
        point.algorithm = algorithm.name;
        point.in_place = choice.in_place;
        point.ranks = communicator_.size();
        point.size_bytes = spec.vector.size_bytes();
        point.count = choice.count;
        time_and_check(communicator_, options_, contender, watchers_, point);
        account(communicator_, algorithm, spec, contender, point);
        account_for_choice(communicator_, algorithm, spec, point);
        return point;
    }

    Communicator& communicator_;
    const SweepOptions& options_;
    const SweepPlan& plan_;
    const SweepObserver& observer_;
    Watchers watchers_;
    Sweep sweep_;
};

}  // namespace

Sweep run_sweep(Communicator& communicator, const SweepOptions& options, const SweepPlan& plan,
                const SweepObserver& observer, std::unique_ptr<const MachineReader> reader) {
    return Runner(communicator, options, plan, observer, std::move(reader)).run();
}

}  // namespace shardstone::benchmarks
