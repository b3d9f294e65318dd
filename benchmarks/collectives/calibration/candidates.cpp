// SPDX-License-Identifier: BSD-3-Clause
// Algorithms that may be fastest are timed, coarsely and then finely, for `auto` to choose from.
#include "benchmarks/collectives/calibration/candidates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "benchmarks/collectives/sweep/sweep.hpp"
#include "collectives/cluster/waiting.hpp"
#include "collectives/pricing/choice.hpp"
#include "collectives/reduction/reduction.hpp"
#include "kernels/base/statistics.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::Communicator;

/// Where the pages of a vector lie makes a difference, and neighbours disturb: every size gets so
/// many places and times. Where ranks share cores, algorithms lie further apart, and take longer.
std::size_t candidate_rounds() {
    return collectives::Waiter::own_core() ? 5 : 3;
}
/// Sizes of the first look, and of the rounds, are so far apart.
constexpr std::int64_t screening_factor = 8, fine_factor = 2;
/// Of the algorithms with a schedule, so many of the fastest expected at each size.
constexpr std::size_t expected_fastest = 2;
/// Slower than this many times the fastest at every size of the first look: out.
constexpr double near_fastest = 1.5;

/// Times of each algorithm by size, of one or several sweeps.
using Times = std::map<std::string, std::map<std::int64_t, std::vector<double>>>;

class Candidates {
  public:
    Candidates(Communicator& communicator, const std::string& operation,
               const CalibrationOptions& options, const CandidateContext& context)
        : communicator_(communicator),
          operation_(collectives::find_operation(operation)),
          options_(options),
          context_(context) {}

    std::vector<collectives::MeasuredCollective> measure() {
        const std::set<std::string> all = names();
        if (all.empty()) return {};
        Times times;
        const auto points = [&](const std::set<std::string>& names, std::int64_t factor) {
            return points_of(fitted_plan(wanted(names, factor)), communicator_.size());
        };
        most_ = points(all, screening_factor) + candidate_rounds() * points(all, fine_factor);
        sweep(all, screening_factor, times);
        const std::set<std::string> finalists = near_the_fastest(times);
        if (finalists.empty()) return {};  // interrupted
        most_ = done_ + candidate_rounds() * points(finalists, fine_factor);
        for (const std::string& name : finalists) times.erase(name);
        for (std::size_t round = 0; round < candidate_rounds(); ++round)
            sweep(finalists, fine_factor, times);
        return as_measured(times);
    }

  private:
    /// Equal on all ranks.
    std::set<std::string> names() const {
        std::set<std::string> names;
        for (const std::string& name : collectives::algorithms_for(operation_.name)) {
            const auto algorithm = collectives::find_algorithm(operation_, name);
            const bool ordinary = !algorithm.has_schedule() && !algorithm.memory.allocate;
            const bool here = communicator_.topology().nodes() == 1 || !algorithm.one_node_only;
            if (ordinary && here && name != collectives::automatic) names.insert(name);
        }
        std::string expected;
        if (communicator_.is_root()) expected = fmt::format("{}", fmt::join(by_schedule(), " "));
        std::istringstream words(communicator_.broadcast(expected));
        for (std::string name; words >> name;) names.insert(name);
        return names;
    }

    std::set<std::string> by_schedule() const {
        std::set<std::string> fastest;
        const SweepPlan plan = plan_sweep(wanted({"auto"}, fine_factor));
        for (const std::int64_t count :
             counts_of(plan, plan.operations.front(), communicator_.size())) {
            const auto ranked =
                predictions(operation_, communicator_.topology(),
                            spec_of(plan, operation_, count, communicator_.size()), context_.links);
            for (std::size_t i = 0; i < std::min(ranked.size(), expected_fastest); ++i) {
                fastest.insert(ranked[i].algorithm);
            }
        }
        return fastest;
    }

    SweepOptions wanted(const std::set<std::string>& algorithms, std::int64_t factor) const {
        SweepOptions sweep;
        sweep.operations = {operation_.name};
        sweep.algorithms.assign(algorithms.begin(), algorithms.end());
        sweep.type = to_string(options_.type);
        if (operation_.reduces) {
            sweep.reduction = to_string(options_.reduction);
        }
        sweep.smallest = std::to_string(8);
        sweep.largest = std::to_string(std::max<std::int64_t>(options_.largest_bytes, 8));
        sweep.factor = factor;
        sweep.checks =
            1;  // so that the vectors are written anew before each run, as they are in use
        sweep.seconds_per_point =
            options_.seconds_per_size / static_cast<double>(candidate_rounds());
        return sweep;
    }

    SweepPlan fitted_plan(const SweepOptions& options) const {
        SweepPlan plan = plan_sweep(options);
        fit_plan(options, communicator_.topology(), plan);
        return plan;
    }

    void sweep(const std::set<std::string>& algorithms, std::int64_t factor, Times& times) {
        const SweepOptions options = wanted(algorithms, factor);
        SweepObserver observer;
        observer.measured = [&](const auto&) { context_.progress(++done_, most_); };
        const SweepPlan plan = fitted_plan(options);
        const Sweep swept = run_sweep(communicator_, options, plan, observer);
        if (swept.interrupted) context_.progress(done_, most_);  // who caught that ends it there
        for (const SweepPoint& point : swept.points) {
            times[point.algorithm][point.size_bytes].push_back(point.measurement.median_s);
        }
    }

    /// The medians are equal on all ranks, hence the names.
    static std::set<std::string> near_the_fastest(const Times& times) {
        std::map<std::int64_t, double> fastest_s;
        for (const auto& [name, by_size] : times) {
            for (const auto& [size_bytes, of_rounds] : by_size) {
                const auto at = fastest_s.try_emplace(size_bytes, of_rounds.front()).first;
                at->second = std::min(at->second, of_rounds.front());
            }
        }
        std::set<std::string> names;
        for (const auto& [name, by_size] : times) {
            for (const auto& [size_bytes, of_rounds] : by_size) {
                if (of_rounds.front() <= near_fastest * fastest_s[size_bytes]) names.insert(name);
            }
        }
        return names;
    }

    std::vector<collectives::MeasuredCollective> as_measured(const Times& times) const {
        std::map<std::int64_t, std::vector<std::vector<double>>> rounds_at;  // by algorithm
        for (const auto& [name, by_size] : times) {
            for (const auto& [size_bytes, of_rounds] : by_size) {
                rounds_at[size_bytes].push_back(of_rounds);
            }
        }
        std::map<std::string, std::vector<collectives::SizeTime>> curves;
        for (const auto& [size_bytes, of_algorithms] : rounds_at) {
            const std::vector<double> medians_s = paired_medians(of_algorithms);
            auto time_s = medians_s.begin();
            for (const auto& [name, by_size] : times) {
                if (by_size.contains(size_bytes)) curves[name].push_back({size_bytes, *time_s++});
            }
        }
        std::vector<collectives::MeasuredCollective> measured;
        for (auto& [name, curve] : curves) {
            measured.push_back({operation_.name, name, communicator_.size(),
                                collectives::SizeCurve(std::move(curve))});
        }
        return measured;
    }

    Communicator& communicator_;
    const collectives::Operation& operation_;
    const CalibrationOptions& options_;
    const CandidateContext& context_;
    std::size_t done_ = 0, most_ = 0;  ///< measurements
};

}  // namespace

std::vector<collectives::MeasuredCollective> measure_candidates(Communicator& communicator,
                                                                const std::string& operation,
                                                                const CalibrationOptions& options,
                                                                const CandidateContext& context) {
    return Candidates(communicator, operation, options, context).measure();
}

}  // namespace shardstone::benchmarks
