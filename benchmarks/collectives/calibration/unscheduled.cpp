// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/collectives/calibration/unscheduled.hpp"

#include <algorithm>
#include <map>

#include "benchmarks/collectives/sweep/sweep.hpp"
#include "collectives/executors/reduction.hpp"
#include "collectives/operation/choice.hpp"
#include "kernels/base/statistics.hpp"

namespace shardstone::benchmarks {

namespace {

/// Where the pages of a vector lie makes a difference, so every size gets so many places.
constexpr int unscheduled_rounds = 3;

SweepOptions brief_sweep(const std::string& operation, const CalibrationOptions& options) {
    SweepOptions sweep;
    sweep.operations = {operation};
    sweep.algorithms.clear();
    sweep.type = to_string(options.type);
    if (collectives::find_operation(operation).reduces) {
        sweep.reduction = to_string(options.reduction);
    }
    sweep.smallest = std::to_string(8);
    sweep.largest = std::to_string(std::max<std::int64_t>(options.largest_bytes, 8));
    sweep.factor = 2;
    sweep.checks = 1;  // so that the vectors are written anew before each run, as they are in use
    sweep.seconds_per_point = options.seconds_per_size / unscheduled_rounds;
    return sweep;
}

}  // namespace

std::vector<collectives::MeasuredCollective> measure_unscheduled(
    collectives::Communicator& communicator, const std::string& operation,
    const CalibrationOptions& options,
    const std::function<void(std::size_t, std::size_t)>& progress) {
    SweepOptions wanted = brief_sweep(operation, options);
    for (const std::string& name : collectives::algorithms_for(operation)) {
        const auto algorithm = collectives::find_algorithm(operation, name);
        const bool ordinary = !algorithm.has_schedule() && !algorithm.allocate;
        const bool here = communicator.topology().nodes() == 1 || !algorithm.one_node_only;
        if (ordinary && here && name != collectives::automatic) wanted.algorithms.push_back(name);
    }
    if (wanted.algorithms.empty()) return {};
    SweepPlan plan = plan_sweep(wanted);
    fit_plan(wanted, communicator.topology(), plan);
    std::map<std::string, std::map<std::int64_t, std::vector<double>>> times;
    std::size_t done = 0;
    SweepObserver observer;
    observer.measured = [&, of = unscheduled_rounds * points_of(plan, communicator.size())](
                            const auto&) { progress(++done, of); };
    for (int round = 0; round < unscheduled_rounds; ++round) {
        for (const SweepPoint& point : run_sweep(communicator, wanted, plan, observer).points) {
            times[point.algorithm][point.size_bytes].push_back(point.measurement.median_s);
        }
    }
    std::vector<collectives::MeasuredCollective> measured;
    for (const auto& [name, by_size] : times) {
        std::vector<collectives::SizeTime> curve;
        for (const auto& [size_bytes, of_rounds] : by_size) {
            curve.push_back({size_bytes, median(of_rounds)});
        }
        measured.push_back(
            {operation, name, communicator.size(), collectives::SizeCurve(std::move(curve))});
    }
    return measured;
}

}  // namespace shardstone::benchmarks
