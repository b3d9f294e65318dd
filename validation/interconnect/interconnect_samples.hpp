// SPDX-License-Identifier: BSD-3-Clause
// What a validation of the interconnect measures.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/schema/congestion.hpp"
#include "results/schema/gpu_use.hpp"
#include "results/schema/interconnect.hpp"
#include "results/schema/node_clocks.hpp"
#include "results/schema/soak.hpp"
#include "results/schema/traffic.hpp"
#include "validation/interconnect/acceptance.hpp"

namespace shardstone::validation {

/// Everything that was measured, as the record has it.
struct InterconnectSamples {
    std::vector<results::RankPlaceRow> places;  ///< of all ranks, in their order
    std::vector<results::PairSampleRow> pairs;
    std::vector<results::RankSampleRow> ranks;
    std::vector<results::WrongDataRow> wrong;
    std::vector<AcceptanceLimit> limits;
    std::vector<results::ConditionsRow> conditions;
    std::vector<results::ClockSampleRow> clocks;
    std::vector<results::CongestionSampleRow> congestion;
    std::vector<results::TrafficSampleRow> traffic;
    // Of a soak, if there was one:
    std::vector<results::SoakWindowRow> windows;
    std::vector<results::SlowMessageRow> slow;
    std::vector<results::StandstillRow> standstills;
    std::vector<results::LongWaitRow> waits;
    /// Error counters of nodes that rose meanwhile, in words (failed_health()): of the record's
    /// environment.
    std::vector<std::string> risen = {};
    std::vector<results::GpuReadingRow> gpu_readings = {};  ///< during products of GPUs

    /// Those of `more` after these; without its limits.
    void add(const InterconnectSamples& more);
    /// Of the places, in their order: RankPlaceRow::gpu_unread. Of none it does nothing.
    void note_unread_gpus(const std::vector<std::string>& why);
    /// Samples of all tests but a soak.
    std::size_t taken() const;
};

}  // namespace shardstone::validation
