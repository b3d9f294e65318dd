// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/model/part_shape.hpp"
#include "reference/step/state_layout.hpp"
#include "reference/step/step_spec.hpp"

namespace shardstone::reference {

/// Parameters as the memory of one rank counts them.
struct ParameterCounts {
    std::int64_t all = 0;      ///< of its part of the model
    std::int64_t owned = 0;    ///< its shares of them under ZeRO
    std::int64_t buffers = 0;  ///< that groups come into and leave again under ZeRO
};

/// A class of memory that grows with the parameters. Where the replicas do not share out what it
/// goes with (`part_of`), a rank holds it for all its parameters; else for those that it owns, and
/// buffer_bytes for each parameter that the group buffers hold. Rajbhandari et al., SC20: 2 bytes
/// of weights, 2 of gradients, 12 of optimizer, no buffers.
struct StateClass {
    std::string name;
    std::int64_t bytes = 0;             ///< per parameter
    bool Sharding::*part_of = nullptr;  ///< nullptr: never shared out
    std::int64_t buffer_bytes = 0;
    bool in_buffers_only = false;  ///< where it is shared out nothing is held for what it owns

    std::int64_t size_bytes(const ParameterCounts& counts, const Sharding& sharding) const;
};

struct MemoryOptions {
    int moments = 2;  ///< numbers that the optimizer keeps per parameter (OptimizerTraits)
    std::int64_t element_bytes = sizeof(float);  ///< what is computed in; or those of double
};

/// What ParameterMemory and Optimizer hold: weights, gradients, optimizer, where the precision asks
/// for them master_weights, gradient_wire where gradients travel in a narrower type, and in
/// reproducible mode exact_sums.
std::vector<StateClass> state_classes(const StepSpec& spec, const MemoryOptions& options);

/// In closed form from the sizes alone: what ParameterLayout lays out, of each bucket the share
/// that StateLayout gives it, two buffers for blocks and one for each other group.
ParameterCounts parameter_counts(const StepSpec& spec, int rank);

/// What the step program of a rank asks of its part of the model: sets of activations as many as
/// the schedule's closed form says (with several chunks, as its stage passes need), two gradients
/// of the stream where stages exchange them.
PartShape shape_of(const StepSpec& spec, int rank);

/// Memory of one class on one rank.
struct PredictedClass {
    std::string name;
    std::int64_t bytes = 0;
};

/// Everything that rank `rank` of a valid spec allocates in amounts that grow with the model or the
/// batch, but for what collectives stage their messages in: the state, and activations
/// (model/memory_formula.hpp). Local; takes no memory and no messages to find out.
std::vector<PredictedClass> predicted_memory(const StepSpec& spec, int rank,
                                             const MemoryOptions& options);
std::int64_t total_bytes(const std::vector<PredictedClass>& classes);

}  // namespace shardstone::reference
