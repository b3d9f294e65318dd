// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "reference/model/gpt_config.hpp"
#include "validation/oracle/experts.hpp"
#include "validation/oracle/layers.hpp"

namespace shardstone::validation::oracle {

/// Tensors by the names that Gpt::parameters() gives them.
using NamedValues = std::map<std::string, Values>;

/// One micro-batch: tokens and targets (B, T); a negative target does not count.
struct MicroBatch {
    Size batch, sequence;
    std::vector<std::uint16_t> tokens;
    std::vector<std::int32_t> targets;
};

/// Sum of the cross-entropies over the positions that count.
double gpt_loss(const reference::GptConfig& config, const NamedValues& weights,
                const MicroBatch& data);

/// What a training minimises, times the targets that count: `gpt_loss()`, and of a mixture of
/// experts the routing figures times their factors.
double gpt_objective(const reference::GptConfig& config, const NamedValues& weights,
                     const MicroBatch& data);

/// d(gpt_objective) / d(weights).
NamedValues gpt_gradient(const reference::GptConfig& config, const NamedValues& weights,
                         const MicroBatch& data, Planted bug = Planted::none);

/// Sums over the blocks of a mixture of experts.
RoutingFigures gpt_routing_figures(const reference::GptConfig& config, const NamedValues& weights,
                                   const MicroBatch& data);

/// The experts that each position chooses in each block, the largest p first, (L, B, T, K): where
/// these change, objective and gradient jump.
std::vector<Size> gpt_choices(const reference::GptConfig& config, const NamedValues& weights,
                              const MicroBatch& data);

}  // namespace shardstone::validation::oracle
