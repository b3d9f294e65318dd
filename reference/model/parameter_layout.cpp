// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/parameter_layout.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace shardstone::reference {

namespace {

// GPT-2 (Radford et al. 2019, section 2.3; values as in its published code).
constexpr float initial_deviation = 0.02F;

}  // namespace

ParameterLayout::ParameterLayout(const GptConfig& config) {
    config.validate();
    const std::int64_t c = config.channels;
    final_norm_ = add_norm("final_norm", c);
    blocks_.resize(static_cast<std::size_t>(config.layers));
    for (std::int64_t layer = config.layers - 1; layer >= 0; --layer) {
        blocks_[static_cast<std::size_t>(layer)] = add_block(config, layer);
    }
    position_embedding_ =
        add("position_embedding.weight", {config.context, c}, {0.0F, initial_deviation});
    token_embedding_ =
        add("token_embedding.weight", {config.vocabulary, c}, {0.0F, initial_deviation});
}

std::int64_t ParameterLayout::add(std::string name, std::vector<std::int64_t> shape,
                                  InitialValue initial) {
    ParameterInfo info;
    info.name = std::move(name);
    info.count = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>{});
    info.decay = shape.size() > 1;
    info.shape = std::move(shape);
    info.offset = std::exchange(count_, count_ + info.count);
    parameters_.push_back(std::move(info));
    initial_values_.push_back(initial);
    return parameters_.back().offset;
}

AffineSlot ParameterLayout::add_norm(const std::string& name, std::int64_t channels) {
    AffineSlot slot{.outputs = channels};
    slot.weight = add(name + ".weight", {channels}, {1.0F, 0.0F});
    slot.bias = add(name + ".bias", {channels}, {});
    slot.end = count_;
    return slot;
}

AffineSlot ParameterLayout::add_linear(const std::string& name, std::int64_t outputs,
                                       std::int64_t inputs, float standard_deviation) {
    AffineSlot slot{.outputs = outputs, .inputs = inputs};
    slot.weight = add(name + ".weight", {outputs, inputs}, {0.0F, standard_deviation});
    slot.bias = add(name + ".bias", {outputs}, {});
    slot.end = count_;
    return slot;
}

BlockSlots ParameterLayout::add_block(const GptConfig& config, std::int64_t layer) {
    const std::int64_t c = config.channels;
    // Each block adds two branches to the residual stream: keep its variance near one.
    const float residual_deviation =
        initial_deviation / std::sqrt(2.0F * static_cast<float>(config.layers));
    const auto name = [layer](const char* part) {
        return fmt::format("blocks.{}.{}", layer, part);
    };
    BlockSlots slots;
    slots.mlp_projection = add_linear(name("mlp.projection"), c, 4 * c, residual_deviation);
    slots.mlp_expansion = add_linear(name("mlp.expansion"), 4 * c, c, initial_deviation);
    slots.norm2 = add_norm(name("norm2"), c);
    slots.attention_projection = add_linear(name("attention.projection"), c, c, residual_deviation);
    slots.qkv = add_linear(name("attention.qkv"), 3 * c, c, initial_deviation);
    slots.norm1 = add_norm(name("norm1"), c);
    return slots;
}

}  // namespace shardstone::reference
