// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reference/model/gpt_config.hpp"
#include "reference/model/partition.hpp"
#include "reference/model/unit_phases.hpp"
#include "reference/precision/precision.hpp"
#include "reference/step/batch.hpp"
#include "reference/step/parallel_plan.hpp"

namespace shardstone::reference {

/// Passage of micro-batches through the stages.
struct PipelineOptions {
    std::string schedule = "1f1b";  ///< a name of pipeline_schedules() (schedules/schedule.hpp)
    int chunks = 1;                 ///< parts of the model per stage; more for "interleaved" only
    /// Layers of each of the chunks * pp parts in model order; empty: as even as whole layers
    /// allow, with the remainder in the first parts.
    std::vector<std::int64_t> layers;
    /// Each tensor rank sends its share of the rows to the next stage, which gathers them
    /// (strategies/scatter_gather.cpp).
    bool scatter_gather = false;
};

struct CommunicationOptions {
    std::string all_reduce = "ring";
    /// Most FP32 bytes of gradients or weights in one transfer; default_bucket_bytes() fits a
    /// model.
    std::int64_t bucket_bytes = 4 << 20;
    bool overlap = true;  ///< reduce and gather during computation rather than between passes
    /// Type in which gradients are sent and added between replicas; `full` is Real.
    Storage gradient_wire = Storage::full;
};

/// All inputs that determine the step programs of a plan.
struct StepSpec {
    GptConfig model;
    ParallelPlan plan;
    BatchShape batch;
    PipelineOptions pipeline;
    CommunicationOptions communication;
    Recompute recompute = Recompute::none;
    Precision precision;
    bool reproducible = false;  ///< sums are sent as pairs of FP64 (kernels/base/exact_sum.hpp)
    bool tensor_norms = false;  ///< the optimizer scales each tensor's update by norms of all of it
    /// Settings of strategies (strategy_choice.hpp) by name; missing ones have their defaults.
    std::map<std::string, std::string> choices;

    /// Micro-batches that each replica runs per step.
    std::int64_t micro_batches() const;
};

/// The part of the model that `rank` holds. The spec is valid.
ModelPart part_of(const StepSpec& spec, int rank);

/// Positions of a micro-batch on the rank with the fewest, which is the last.
std::int64_t least_positions(const StepSpec& spec);

/// Inputs that determine the phases of its units.
PhaseShape phase_shape(const StepSpec& spec, const ModelPart& part);

/// communication.gradient_wire if there are replicas, else full.
Storage wire_of_gradients(const StepSpec& spec);

/// Throws Error in one line, with the nearest valid sizes, for an invalid plan: ranks, batch,
/// layers, heads, vocabulary, schedule, ZeRO stage.
void validate(const StepSpec& spec);

}  // namespace shardstone::reference
