// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "reference/model/partition.hpp"
#include "reference/precision/storage.hpp"

namespace shardstone::reference {

/// Sizes and types of the memory of a part of a model, besides parameters.
struct PartShape {
    std::int64_t micro_batch = 1;  ///< B
    std::int64_t sequence = 1;     ///< T, of whole sequences
    std::vector<int> slots{1};     ///< per chunk: sets of activations
    int gradient_slots = 1;
    Recompute recompute = Recompute::none;
    bool splits_backward = false;  ///< backward_input and backward_weight are called separately
    Storage storage = Storage::full;
    Storage stream = Storage::full;  ///< of the residual stream and its gradient
    bool fp8_products =
        false;            ///< of the blocks' linear layers (linear_layer.hpp); storage is bf16
    bool on_gpu = false;  ///< for expected_activations_bytes(): the space of a GptPart tells it
};

}  // namespace shardstone::reference
