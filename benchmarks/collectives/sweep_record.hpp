// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "benchmarks/collectives/sweep.hpp"
#include "results/format/record.hpp"

namespace shardstone::benchmarks {

/// The record of a sweep that is about to start. Local.
results::Record begin_record(const SweepOptions& options,
                             const collectives::Communicator& communicator,
                             const std::vector<std::string>& command_line);

/// Puts the finished sweep into the record, on rank 0. Local.
///
/// Samples: table "samples" (algorithm, size_bytes, iteration, time_s). Derived: table "all_reduce"
/// (algorithm, ranks, size_bytes, time_s, time_low_s, time_high_s, algbw_gb_s, busbw_gb_s,
/// predicted_s, bytes_sent_per_rank, checked: 1 passed, 0 not), table "cost_parameters" (name,
/// value). What is not known is not a number. One check per point.
void complete_record(const Sweep& sweep, const SweepOptions& options, results::Record& record);

}  // namespace shardstone::benchmarks
