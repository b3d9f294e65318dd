// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/optimizer/learning_rate.hpp"
#include "kernels/optimizer/optimizer.hpp"
#include "reference/data/dataset.hpp"
#include "reference/model/gpt_config.hpp"
#include "reference/step/step_spec.hpp"

namespace shardstone::reference {

using shardstone::OptimizerKind;
class ParameterLayout;
struct ParameterInfo;

/// The rates are those for the base batch, if there is one (learning_rate_of()).
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

/// Everything that a training run is a function of, besides the data. The optimizer is chosen by
/// choose_optimizer().
struct TrainOptions : StepSpec {
    OptimizerOptions optimizer;
    std::int64_t steps = 100;
    std::uint64_t seed = 1;
    std::int64_t eval_every = 0;       ///< steps; 0: at the end only
    std::int64_t eval_sequences = 64;  ///< held-out sequences per evaluation, at most
    /// A fault to inject: an infinite gradient in this step on this rank; step 0: none.
    struct Overflow {
        std::int64_t step = 0;
        int rank = 0;
    } overflow;
    /// Tensors whose names begin with one of these keep their values: they are left out of the norm
    /// and of the update. Memory is held for them as for the others.
    std::vector<std::string> frozen;
};

bool is_frozen(const TrainOptions& options, const ParameterInfo& tensor);

/// Where the rank of options.overflow, whose layout it is, gets its infinite gradients: in each
/// group that has one, the first gradient that is not frozen and that this of the tensor ranks
/// alone has (of what they all compute alike, one cannot overflow alone). Indices into the flat
/// buffer.
std::vector<std::int64_t> places_to_overflow(const TrainOptions& options,
                                             const ParameterLayout& layout);

/// Sets the kind of optimizer, and what step programs have to do for it.
void choose_optimizer(TrainOptions& options, OptimizerKind kind);

/// The schedule that the options ask for, scaled to the global batch; a warm-up is no longer than
/// the training.
LearningRate learning_rate_of(const TrainOptions& options);

/// Most terms, over all ranks, of one sum: on each of the ranks that share its sequences a
/// micro-batch adds one loss, and two gradients of the tied token embedding.
std::int64_t terms_of(const TrainOptions& options);

/// Throws Error in one line for an unknown all-reduce and for sizes and rates that do not fit each
/// other, the `ranks` or the data. Local.
void validate(const TrainOptions& options, int ranks, const Dataset& dataset);

}  // namespace shardstone::reference
