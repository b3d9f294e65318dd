// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/collectives/sweep.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "benchmarks/collectives/calibration.hpp"
#include "benchmarks/collectives/exact_inputs.hpp"
#include "collectives/executors/collective.hpp"
#include "collectives/operation/algorithm.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::AllReduce;
using collectives::Communicator;

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

MeasurePolicy policy_of(const SweepOptions& options) {
    MeasurePolicy policy;
    policy.fixed_iterations = options.iterations;
    policy.fixed_warmup = options.warmup;
    policy.time_limit_s = options.seconds_per_point;
    return policy;
}

/// The vector and the prepared all-reduce of one point: timed first, then checked.
class Contender {
  public:
    Contender(Communicator& communicator, const SweepPlan& plan, const std::string& algorithm,
              std::int64_t size_bytes)
        : communicator_(communicator),
          count_(size_bytes / static_cast<std::int64_t>(element_size(plan.type))),
          inputs_(plan.type, plan.reduction, communicator.size()),
          all_reduce_(communicator, algorithm, count_, plan.type, plan.reduction),
          buffer_(collectives::make_buffer(communicator, "all_reduce", algorithm, size_bytes)) {
        inputs_.fill(buffer_.get(), count_, communicator.rank());
    }

    std::int64_t count() const { return count_; }

    Measurement time(const MeasurePolicy& policy) {
        return measure(communicator_, policy, [&] { all_reduce_.run(buffer_.get()); });
    }

    /// Wrong elements over all ranks in `runs` runs on fresh inputs.
    std::int64_t check(std::int64_t runs) {
        std::int64_t wrong = 0;
        for (std::int64_t run = 0; run < runs; ++run) {
            inputs_.fill(buffer_.get(), count_, communicator_.rank());
            all_reduce_.run(buffer_.get());
            wrong += inputs_.wrong_elements(buffer_.get(), count_);
        }
        return static_cast<std::int64_t>(communicator_.sum(static_cast<double>(wrong)));
    }

    /// The most any rank has sent in one of so many runs.
    double bytes_sent_per_run(std::int64_t runs) const {
        return communicator_.max(static_cast<double>(all_reduce_.bytes_sent())) /
               static_cast<double>(runs);
    }

  private:
    Communicator& communicator_;
    std::int64_t count_;
    ExactInputs inputs_;
    AllReduce all_reduce_;
    std::shared_ptr<std::byte> buffer_;
};

double predicted_s(const collectives::Algorithm& algorithm, const SweepPlan& plan,
                   const Communicator& communicator, const SweepPoint& point,
                   const collectives::CostParameters& costs) {
    if (!algorithm.has_schedule() || !communicator.is_root()) return not_known;
    const auto schedule = collectives::make_schedule(
        algorithm, communicator.topology(), collectives::segments_for(algorithm, point.size_bytes));
    return collectives::predict_time_s(schedule, {{point.count, plan.type, plan.reduction}, 0, {}},
                                       costs);
}

SweepPoint measure_point(Communicator& communicator, const SweepOptions& options,
                         const SweepPlan& plan, const std::string& name, std::int64_t size_bytes,
                         const collectives::CostParameters& costs) {
    const auto algorithm = collectives::find_algorithm("all_reduce", name);
    Contender contender(communicator, plan, name, size_bytes);
    SweepPoint point;
    point.algorithm = name;
    point.ranks = communicator.size();
    point.size_bytes = size_bytes;
    point.count = contender.count();
    point.measurement = contender.time(policy_of(options));
    point.wrong_elements = contender.check(options.checks);
    point.checked_runs = options.checks;
    const std::int64_t runs = point.measurement.warmup_iterations +
                              std::ssize(point.measurement.samples_s) + options.checks;
    point.bytes_sent_per_rank =
        algorithm.has_schedule() ? contender.bytes_sent_per_run(runs) : not_known;
    point.predicted_s = predicted_s(algorithm, plan, communicator, point, costs);
    return point;
}

}  // namespace

double SweepPoint::algbw_gb_s() const {
    return static_cast<double>(size_bytes) / measurement.median_s * 1e-9;
}

double SweepPoint::busbw_gb_s() const {
    return algbw_gb_s() * 2.0 * (ranks - 1) / ranks;
}

bool Sweep::passed() const {
    return std::ranges::all_of(
        points, [](const SweepPoint& point) { return point.checked_runs == 0 || point.passed(); });
}

Sweep run_sweep(Communicator& communicator, const SweepOptions& options, const SweepPlan& plan,
                const SweepObserver& observer) {
    Sweep sweep;
    sweep.costs = calibrate(communicator, plan.type, plan.reduction);
    observer.calibrated(sweep.costs);
    for (const std::int64_t size_bytes : plan.sizes_bytes) {
        for (const std::string& name : plan.algorithms) {
            sweep.points.push_back(
                measure_point(communicator, options, plan, name, size_bytes, sweep.costs));
            observer.measured(sweep.points.back());
        }
    }
    return sweep;
}

}  // namespace shardstone::benchmarks
