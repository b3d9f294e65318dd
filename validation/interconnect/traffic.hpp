// SPDX-License-Identifier: BSD-3-Clause
// Collectives and the messages of training steps, held against the prediction of their times.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "collectives/cluster/description.hpp"
#include "results/schema/traffic.hpp"

namespace shardstone::validation {

/// A network whose pairs are as fast as was calibrated and whose traffic takes this much longer
/// than predicted is not healthy. The cost model is within 0.1 of what the virtual cluster measures
/// (validation/cluster/paced_scaling_test.py).
inline constexpr double most_over_prediction = 1.25;

struct TrafficSetup {
    std::int64_t largest_bytes = 4 << 20;  ///< of the vectors of collectives
    double budget_s = 10.0;                ///< for all of it; 7 samples are taken of each at least
};

/// Whether the description says what these ranks should measure: it was measured, by ranks that had
/// cores of their own, or shared them, as these do. Local.
bool is_judged_by(const collectives::ClusterDescription& cluster);

/// Runs on all ranks, on rank 0 complete, elsewhere empty: ring and hierarchical all-reduce,
/// all-gather and reduce-scatter by rings, all-to-all by pairs; then steps of the plans of
/// plans_of_traffic(). Predictions are by the description of the communicator. `began` is told
/// what begins, `stops` asked in between. Collective. Throws Error equally on all ranks if the
/// description has fewer ranks than there are.
std::vector<results::TrafficSampleRow> measure_traffic(
    collectives::Communicator& world, const TrafficSetup& setup,
    const std::function<void(const std::string&)>& began, const std::function<bool()>& stops);

/// One row for each traffic and size, in their order. Pure.
std::vector<results::TrafficRow> traffic_rows(std::span<const results::TrafficSampleRow> samples);

/// The most samples of a traffic ("step dp=4", "all_reduce ring") that a run takes.
std::int64_t most_samples_of_traffic(const std::string& traffic);

/// Whether its interval goes beyond most_over_prediction, or there is none of so few samples.
bool may_be_slow(const results::TrafficRow& row);

/// "all_reduce ring of 4 MiB takes 1.52 times as long as predicted (1.48 to 1.60): 12.3 ms instead
/// of 8.1 ms", with what is still needed if that is undecided.
std::string in_words(const results::TrafficRow& row);

}  // namespace shardstone::validation
