// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/optimizer/learning_rate.hpp"
#include "kernels/optimizer/optimizer.hpp"
#include "reference/data/dataset.hpp"
#include "reference/model/gpt_config.hpp"
#include "reference/step/memory_model.hpp"
#include "reference/step/step_spec.hpp"

namespace shardstone::reference {

using shardstone::OptimizerKind;
class ParameterLayout;
struct ParameterInfo;

/// The rates are for the base batch, if there is one (learning_rate_of()).
struct OptimizerOptions : OptimizerSettings {
    double learning_rate = 1e-3;  ///< at the end of the warm-up
    double least_rate = 1e-4;     ///< at the end of the cosine
    std::int64_t warmup_steps = 10;
    LearningRate::Shape rate_shape = LearningRate::Shape::cosine;
    RateScaling rate_scaling = RateScaling::none;
    std::int64_t base_batch = 0;  ///< sequences; 0 without scaling
    double weight_decay = 0.1;    ///< matrices only
    double clip = 1.0;            ///< limit of the global gradient norm; 0: none
};

/// What ranks compute on: cores, or a GPU each.
enum class DeviceKind : std::uint8_t { cpu, cuda };

std::string to_string(DeviceKind kind);
/// "cpu" or "cuda"; throws Error naming anything else.
DeviceKind parse_device(const std::string& name);

/// The device that a paced training pretends to compute on.
struct Pace {
    double flop_per_s = 0.0;          ///< in passes, counted as PassWork does
    double memory_bytes_per_s = 0.0;  ///< in work without multiplications
    double input_s = 0.0;             ///< of loading a micro-batch, before its computations
    /// A fault: computations of this rank take that many times as long.
    int slow_rank = 0;
    double slow_factor = 1.0;

    /// "500 GFLOP/s and 6.4 GB/s of memory on each rank, computations take only time". A slow rank
    /// is named as well.
    std::string words() const;
};

/// All parameters that determine a training run, besides the data. The optimizer is chosen by
/// choose_optimizer().
struct TrainOptions : StepSpec {
    OptimizerOptions optimizer;
    std::int64_t steps = 100;
    std::uint64_t seed = 1;
    std::int64_t eval_every = 0;       ///< steps; 0: only at the end
    std::int64_t eval_sequences = 64;  ///< held-out sequences per evaluation, at most
    /// A fault to inject: an infinite gradient in this step on this rank; step 0: none.
    struct Overflow {
        std::int64_t step = 0;
        int rank = 0;
    } overflow;
    /// Tensors whose names begin with one of these keep their values: they are excluded from the
    /// norm and from the update. Memory is allocated for them as for the others.
    std::vector<std::string> frozen;
    /// Computations take the time of this device, and give no numbers: only for Trainers in the
    /// space Paced.
    std::optional<Pace> pace;
    DeviceKind device = DeviceKind::cpu;  ///< cuda: for Trainers in the space Cuda
    /// The GPU is given each step but the first ones as one CUDA graph (QueueGraph).
    bool graphs = false;
    /// Products of FP32 factors round them to TF32, for Trainers in the space Cuda whose process
    /// allows it (set_tf32()).
    bool tf32 = false;
};

/// Inputs of the memory model for a training run with elements of `element_bytes`.
MemoryOptions memory_options(const OptimizerOptions& optimizer, std::int64_t element_bytes);
/// The same with the elements of its precision.
MemoryOptions memory_options(const TrainOptions& options);

/// Whether a step can be one graph: the host of a model with experts has to read in the middle of a
/// step how many rows each gets.
bool may_use_graphs(const TrainOptions& options);

bool is_frozen(const TrainOptions& options, const ParameterInfo& tensor);

/// Positions of the injected infinite gradients on the rank of options.overflow, whose layout is
/// given: in each group, the first gradient, if any, that is not frozen and is held by this tensor
/// rank alone (a gradient that all tensor ranks compute identically cannot overflow on one of
/// them). Indices into the flat buffer.
std::vector<std::int64_t> places_to_overflow(const TrainOptions& options,
                                             const ParameterLayout& layout);

/// Sets the kind of optimizer, and what it requires of step programs.
void choose_optimizer(TrainOptions& options, OptimizerKind kind);

/// The learning-rate schedule of the options, scaled to the global batch; the warm-up is at most as
/// long as the training.
LearningRate learning_rate_of(const TrainOptions& options);

/// Maximum number of terms, over all ranks, of one sum: on each of the ranks that share its
/// sequences a micro-batch adds one loss, and two gradients of the tied token embedding.
std::int64_t terms_of(const TrainOptions& options);

/// Throws Error in one line for an unknown all-reduce and for sizes and rates that are inconsistent
/// with each other, the `ranks` or the data. Local.
void validate(const TrainOptions& options, int ranks, const Dataset& dataset);

}  // namespace shardstone::reference
