// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/model/unit_phases.hpp"

namespace shardstone::reference {

/// One pass of one micro-batch through one chunk of a stage.
struct StagePass {
    /// Never recompute, which does not concern schedules. The preceding stage waits for the
    /// gradient of the input; those of the weights may be computed any time later.
    Pass pass = Pass::forward;
    std::int64_t micro_batch = 0;
    int chunk = 0;

    bool operator==(const StagePass&) const = default;
};

/// The pipeline of a schedule. Chunk c of stage s is part c * stages + s of the model.
struct PipelineShape {
    int stages = 1;
    int chunks = 1;
    std::int64_t micro_batches = 1;
};

/// An order of stage passes for every stage. Each is a file under schedules/ that registers itself.
struct PipelineSchedule {
    std::string name;
    std::string summary;  ///< one line for --help and the docs
    bool takes_chunks = false;
    bool splits_backward = false;
    /// Every micro-batch forward once and backward once (or both halves once) on every chunk; on
    /// each chunk every kind of pass in the order of the micro-batches, so that gradients are added
    /// in the same order as in a single process.
    std::vector<StagePass> (*stage_passes)(const PipelineShape& shape, int stage) = nullptr;
    /// The idle share of a step, from the first pass on any stage to the last on any, in closed
    /// form: with F, B and W the times of a forward pass and of the two halves of a backward pass
    /// of one chunk, equal on all parts of the model, and with free transfers. Exact for all F, B,
    /// W > 0.
    double (*bubble)(const PipelineShape& shape, double f, double b, double w) = nullptr;
    /// Most sets of activations that stage `stage` keeps at a time, from the start of a forward
    /// pass to the end of the backward pass or its weight half: each of one micro-batch in one
    /// chunk, over all chunks of the stage.
    std::int64_t (*live)(const PipelineShape& shape, int stage) = nullptr;
    /// Requirements of the schedule beyond the checks of require_shape(), which calls it.
    void (*require)(const PipelineShape& shape) = [](const PipelineShape&) {};
};

/// Throws Error for a shape that the schedule does not support, naming the nearest supported one.
void require_shape(const PipelineSchedule& schedule, const PipelineShape& shape);

/// All, by name.
const std::vector<PipelineSchedule>& pipeline_schedules();

/// Throws Error naming an unknown one and the choices.
const PipelineSchedule& find_pipeline_schedule(std::string_view name);

/// At namespace scope in a schedule's file.
struct PipelineScheduleRegistration {
    explicit PipelineScheduleRegistration(PipelineSchedule schedule);
};

}  // namespace shardstone::reference
