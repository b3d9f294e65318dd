// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/optimizer/learning_rate.hpp"
#include "reference/data/dataset.hpp"
#include "reference/model/gpt_config.hpp"
#include "reference/step/step_spec.hpp"

namespace shardstone::reference {

enum class OptimizerKind : std::uint8_t { adamw, sgd };

/// "adamw" or "sgd"; throws Error naming anything else.
OptimizerKind parse_optimizer(const std::string& name);
std::string to_string(OptimizerKind kind);

struct OptimizerOptions {
    OptimizerKind kind = OptimizerKind::adamw;
    double learning_rate = 1e-3;  ///< at the end of the warm-up
    double least_rate = 1e-4;     ///< at the end of the cosine
    std::int64_t warmup_steps = 10;
    double weight_decay = 0.1;  ///< matrices only
    double beta1 = 0.9;
    double beta2 = 0.95;
    double clip = 1.0;  ///< limit of the global gradient norm; 0: none
};

/// Everything that a training run is a function of, besides the data.
struct TrainOptions : StepSpec {
    OptimizerOptions optimizer;
    std::int64_t steps = 100;
    std::uint64_t seed = 1;
    std::int64_t eval_every = 0;       ///< steps; 0: at the end only
    std::int64_t eval_sequences = 64;  ///< held-out sequences per evaluation, at most
    /// Tensors whose names begin with one of these keep their values: they are left out of the norm
    /// and of the update. Memory is held for them as for the others.
    std::vector<std::string> frozen;
};

/// The schedule that the options ask for; a warm-up is no longer than the training.
LearningRate learning_rate_of(const TrainOptions& options);

/// Most terms, over all ranks, of one sum: a micro-batch adds one loss, and two gradients of the
/// tied token embedding.
std::int64_t terms_of(const TrainOptions& options);

/// Throws Error in one line for an unknown all-reduce and for sizes and rates that do not fit each
/// other, the `ranks` or the data. Local.
void validate(const TrainOptions& options, int ranks, const Dataset& dataset);

}  // namespace shardstone::reference
