// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reference/step/memory_model.hpp"
#include "reference/step/pricing/machine.hpp"
#include "reference/step/pricing/time_split.hpp"
#include "reference/step/volume.hpp"

namespace shardstone::reference {

/// Prediction of a step, from its programs in virtual time.
struct StepPrediction {
    double step_s = 0.0;
    double utilisation = 0.0;  ///< Timeline::utilisation
    std::vector<double>
        bubble;          ///< per stage: share of time outside passes, up to the end of the last
    TimeSplit split;     ///< mean over ranks
    SentTraffic sent{};  ///< of all ranks together
    std::vector<std::int64_t> peak_live;  ///< per stage: most micro-batches times chunks kept
};

/// Most (micro-batch, chunk) pairs in flight: between the start of their forward pass and the end
/// of their backward pass, or of its weight half.
std::int64_t peak_live(const StepProgram& program);

/// Evaluates a timeline made from `costs` and `programs`, of ranks on the nodes of `machine`.
StepPrediction prediction_of(const StepSpec& spec, std::span<const StepProgram> programs,
                             const Timeline& timeline, const StepCosts& costs,
                             const WireFormat& format, const Machine& machine);

/// A step of all ranks, with its prediction.
struct PricedStep {
    std::vector<StepProgram> programs;
    Timeline timeline;
    StepPrediction prediction;
};

/// Prices a valid spec on a machine. Local; allocates no model and sends no messages. Throws Error
/// if the machine has too few ranks for the plan.
PricedStep price_step(const StepSpec& spec, const Machine& machine, const MemoryOptions& options);

/// "step 12.3 ms: passes 80.1 %, optimizer 2.0 %, exposed data 5.0 % pipeline 1.0 %, idle 11.9 %;
/// utilisation 84.0 %, bubble by stage 12.0 13.0 %; sent 1 MiB inside nodes, 2 MiB between; live
/// by stage 2 1"
std::string to_line(const StepPrediction& prediction);

}  // namespace shardstone::reference
