// SPDX-License-Identifier: BSD-3-Clause
// The forward pass of a whole GPT, with all that its backward pass goes back through.
#pragma once

#include <string>
#include <vector>

#include "validation/oracle/gpt.hpp"

namespace shardstone::validation::oracle::gpt {

/// What a pass goes through, in order.
struct MlpTrace {
    Values expanded, activated, out;
};

struct BlockTrace {
    Values in, normed1, qkv, heads, middle, normed2;
    std::vector<MlpTrace> mlps;  ///< one, or one per expert
    Routing routing;             ///< of experts
    Values out;
};

struct Trace {
    Values embedded;
    std::vector<BlockTrace> blocks;
    Values normed, logits;
};

struct Model {
    const reference::GptConfig& config;
    const NamedValues& weights;
    const MicroBatch& data;
    Planted bug;

    Size rows() const { return data.batch * data.sequence; }
    const Values& weight(const std::string& name) const { return weights.at(name + ".weight"); }
    const Values& bias(const std::string& name) const { return weights.at(name + ".bias"); }
    AttentionSizes attention_sizes() const {
        return {data.batch, data.sequence, config.heads, config.head_size()};
    }
    RouterSizes router_sizes() const { return {data.batch, data.sequence, config.experts}; }
    static std::string block(Size layer) { return "blocks." + std::to_string(layer) + "."; }
    static std::string expert(Size layer, Size e) {
        return block(layer) + "experts." + std::to_string(e) + ".";
    }
};

Values sum(const Values& a, const Values& b);

Trace forward(const Model& model);

}  // namespace shardstone::validation::oracle::gpt
