// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/model/part_shape.hpp"
#include "reference/step/state_layout.hpp"
#include "reference/step/step_spec.hpp"

namespace shardstone::reference {

/// Parameter counts for the memory of one rank.
struct ParameterCounts {
    std::int64_t all = 0;      ///< in its part of the model
    std::int64_t owned = 0;    ///< its shares of them under ZeRO
    std::int64_t buffers = 0;  ///< in the buffers into which groups are gathered under ZeRO
};

/// A class of memory proportional to the parameters. If it is not sharded (`part_of`), a rank holds
/// it for all its parameters; otherwise for those that it owns, plus buffer_bytes for each
/// parameter in the group buffers. Rajbhandari et al., SC20: 2 bytes of weights, 2 of gradients, 12
/// of optimizer, no buffers.
struct StateClass {
    std::string name;
    std::int64_t bytes = 0;             ///< per parameter
    bool Sharding::*part_of = nullptr;  ///< nullptr: never sharded
    std::int64_t buffer_bytes = 0;
    bool in_buffers_only = false;  ///< if sharded, nothing is held for owned parameters

    std::int64_t size_bytes(const ParameterCounts& counts, const Sharding& sharding) const;
};

struct MemoryOptions {
    int moments = 2;  ///< numbers that the optimizer keeps per parameter (OptimizerTraits)
    std::int64_t element_bytes = sizeof(float);  ///< of the type of computation; or those of double
    bool on_gpu = false;  ///< whose kernels need other scratch memory than the host's
};

/// The memory of ParameterMemory and Optimizer: weights, gradients, optimizer, master_weights if
/// required by the precision, gradient_wire if gradients are sent in a narrower type, and
/// exact_sums in reproducible mode.
std::vector<StateClass> state_classes(const StepSpec& spec, const MemoryOptions& options);

/// In closed form from the sizes alone: the parameters of ParameterLayout, the share of each bucket
/// by StateLayout, two buffers for blocks and one for each other group.
ParameterCounts parameter_counts(const StepSpec& spec, int rank);

/// Memory that the step program of a rank requires of its part of the model: as many sets of
/// activations as the schedule's closed form gives (with several chunks, as its stage passes need),
/// and two gradients of the stream if stages exchange them.
PartShape shape_of(const StepSpec& spec, int rank);

/// Memory of one class on one rank.
struct PredictedClass {
    std::string name;
    std::int64_t bytes = 0;
};

/// All Buffers of rank `rank` of a valid spec: the state, activations (model/memory_formula.hpp),
/// and bookkeeping: sums and norms of a step, amaxes of FP8, the positions that an embedding looks
/// up, and a block of weights widened for their update. Not among them are the staging memory of
/// collectives and the workspaces of matrix products, which do not grow with the model. Local;
/// needs neither memory nor messages.
std::vector<PredictedClass> predicted_memory(const StepSpec& spec, int rank,
                                             const MemoryOptions& options);
std::int64_t total_bytes(const std::vector<PredictedClass>& classes);

}  // namespace shardstone::reference
