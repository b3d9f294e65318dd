// SPDX-License-Identifier: BSD-3-Clause
// Small mixtures of experts for tests of the model, which start from its own list of tensors.
#pragma once

#include "validation/unit/reference/model/part_model.hpp"

namespace shardstone::validation {

/// The losses of the router have factors with which they count as much as the loss itself.
inline GptConfig mixture(Size experts, Size top_k, double capacity) {
    GptConfig config = small_config;
    config.name = "mixture";
    config.experts = {experts, top_k, capacity, 0.3, 0.2};
    return config;
}

/// Experts without a capacity and with one that drops some, of which each position picks one or
/// several.
inline std::vector<GptConfig> mixtures() {
    std::vector<GptConfig> all;
    for (const double capacity : {0.0, 1.0}) {
        for (const Size top_k : {1, 2}) {
            for (const Size experts : {3, 4}) all.push_back(mixture(experts, top_k, capacity));
        }
    }
    return all;
}

}  // namespace shardstone::validation
