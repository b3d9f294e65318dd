// SPDX-License-Identifier: BSD-3-Clause
// Small mixtures of experts for tests of the oracle, made without the product's list of tensors.
#pragma once

#include "validation/oracle/gpt.hpp"
#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {

using oracle::MicroBatch;
using oracle::NamedValues;
using reference::GptConfig;

/// The additions have factors with which they count as much as the loss.
inline GptConfig expert_model(Size experts, Size top_k, double capacity) {
    return {"experts", 13, 8, 2, 2, 8, {experts, top_k, capacity, 0.3, 0.2}};
}

/// Matrices of deviation 0.3, norms around one, biases not zero; embeddings so far apart that
/// positions choose differently.
inline void add_lively(NamedValues& weights, const std::string& layer, Size outputs, Size inputs) {
    weights[layer + ".weight"] = random_values(outputs * inputs, layer + ".weight", 0.3);
    weights[layer + ".bias"] = random_values(outputs, layer + ".bias", 0.3);
}
inline void add_lively_norm(NamedValues& weights, const std::string& norm, Size channels) {
    add_lively(weights, norm, channels, 1);
    for (double& weight : weights[norm + ".weight"]) weight += 1.0;
}

inline NamedValues expert_weights(const GptConfig& model) {
    const Size c = model.channels;
    NamedValues weights{
        {"token_embedding.weight", random_values(model.vocabulary * c, "token", 1.0)},
        {"position_embedding.weight", random_values(model.context * c, "position", 1.0)}};
    add_lively_norm(weights, "final_norm", c);
    for (Size layer = 0; layer < model.layers; ++layer) {
        const std::string block = "blocks." + std::to_string(layer) + ".";
        add_lively_norm(weights, block + "norm1", c);
        add_lively_norm(weights, block + "norm2", c);
        add_lively(weights, block + "attention.qkv", 3 * c, c);
        add_lively(weights, block + "attention.projection", c, c);
        if (model.experts.any()) {
            weights[block + "router.weight"] =
                random_values(model.experts.count * c, block + "router", 0.3);
        }
        for (Size e = 0; e < model.experts.count; ++e) {
            const std::string mlp =
                block + (model.experts.any() ? "experts." + std::to_string(e) : "mlp");
            add_lively(weights, mlp + ".expansion", 4 * c, c);
            add_lively(weights, mlp + ".projection", c, 4 * c);
        }
    }
    return weights;
}

/// Three sequences; the last has targets for its first half only.
inline MicroBatch expert_batch(const GptConfig& model) {
    const RandomStream stream(11, "tokens");
    MicroBatch data{3, 8, {}, {}};
    const auto bound = static_cast<std::uint64_t>(model.vocabulary);
    for (std::uint64_t i = 0; i < 24; ++i) {
        data.tokens.push_back(static_cast<std::uint16_t>(stream.below(bound, 2 * i)));
        const auto target = static_cast<std::int32_t>(stream.below(bound, 2 * i + 1));
        data.targets.push_back(i < 20 ? target : -1);
    }
    return data;
}

}  // namespace shardstone::validation
