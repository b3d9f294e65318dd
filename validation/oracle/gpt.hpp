// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

#include "reference/model/gpt_config.hpp"
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

/// d(sum of the cross-entropies) / d(weights).
NamedValues gpt_gradient(const reference::GptConfig& config, const NamedValues& weights,
                         const MicroBatch& data, Planted bug = Planted::none);

}  // namespace shardstone::validation::oracle
