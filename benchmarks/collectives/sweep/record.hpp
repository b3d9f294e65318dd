// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/collectives/sweep/sweep.hpp"
#include "results/record/record.hpp"

namespace shardstone::benchmarks {

/// Field of the configuration with the description used for predictions and choices, as accepted by
/// read_cluster().
inline constexpr const char* cluster_field = "prediction";

/// The record of a sweep that is about to start; `calibration` gives the conditions in which the
/// communicator's cluster() was measured, nothing if it was given. Local.
results::Record begin_record(const SweepOptions& options, const SweepPlan& plan,
                             const collectives::Communicator& communicator,
                             const std::optional<Watched>& calibration,
                             const std::vector<std::string>& command_line);

/// Contribution of one finished point, or one noise floor, to the record: rows, samples and a
/// check.
results::Record part_of(const SweepPoint& point, const SweepOptions& options);
results::Record part_of(const NoiseFloor& floor);

/// Name of the check of a point; its detail begins with the number of wrong elements.
std::string name_of_check(const SweepPoint& point, const SweepOptions& options);

/// "3 of 40 points were measured".
std::string progress_of(std::size_t measured, std::size_t planned);

/// Adds the finished sweep to the record, on rank 0, after the parts of an earlier sweep. Local.
///
/// Every table of points begins with the columns that identify one: operation, algorithm, in_place
/// (1 or 0), size_bytes (of the whole vector). Samples: table "samples" (iteration, time_s,
/// with_skew_s: the longest time since a rank's own start, skew_s), with a noise floor also
/// "noise_floor_rounds" (round, ratio). Derived: table "collectives" (ranks, time_s, time_low_s,
/// time_high_s, p95_s, p99_s, skew_s, algbw_gb_s, busbw_gb_s, predicted_s, measured_before_s,
/// bytes_sent_per_rank, inside_node_bytes, between_nodes_bytes, rotated_buffers, warmup_iterations,
/// checked: 1 passed, 0 not), with a noise floor also "noise_floor" (ratio, ratio_low, ratio_high,
/// iterations_per_round), and tables "cost_parameters" (name, value; of cores), "outliers" and
/// "rank_times" (results/schema/stalls.hpp). Unknown values are NaN. One check per point, and one
/// of outliers if they make the sweep fail.
void complete_record(const Sweep& sweep, const SweepOptions& options, results::Record& record);

}  // namespace shardstone::benchmarks
