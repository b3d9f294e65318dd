// SPDX-License-Identifier: BSD-3-Clause
// A whole GPT in FP64, forward and backward, composed of the oracle's layers.
#include "validation/oracle/gpt.hpp"

#include <utility>

namespace shardstone::validation::oracle {

namespace {

/// What the forward pass of one block goes through, in order.
struct BlockTrace {
    Values in, normed1, qkv, heads, middle, normed2, expanded, activated, out;
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
    static std::string block(Size layer) { return "blocks." + std::to_string(layer) + "."; }
};

Values sum(const Values& a, const Values& b) {
    Values out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] + b[i];
    return out;
}

Values linear_forward(const Model& model, const std::string& name, const Values& x) {
    const auto outputs = static_cast<Size>(model.bias(name).size());
    return linear(x, model.weight(name), model.bias(name), model.rows(), outputs);
}

Values norm_forward(const Model& model, const std::string& name, const Values& x) {
    return layernorm(x, model.weight(name), model.bias(name), model.rows());
}

Values embed(const Model& model) {
    const Size channels = model.config.channels;
    Values out(model.rows() * channels);
    for (Size r = 0; r < model.rows(); ++r) {
        for (Size c = 0; c < channels; ++c) {
            out[r * channels + c] =
                model.weight("token_embedding")[model.data.tokens[r] * channels + c] +
                model.weight("position_embedding")[r % model.data.sequence * channels + c];
        }
    }
    return out;
}

BlockTrace forward_block(const Model& model, Size layer, const Values& in) {
    const std::string block = Model::block(layer);
    BlockTrace t;
    t.in = in;
    t.normed1 = norm_forward(model, block + "norm1", in);
    t.qkv = linear_forward(model, block + "attention.qkv", t.normed1);
    t.heads = attention(model.attention_sizes(), t.qkv, model.bug);
    t.middle = sum(in, linear_forward(model, block + "attention.projection", t.heads));
    t.normed2 = norm_forward(model, block + "norm2", t.middle);
    t.expanded = linear_forward(model, block + "mlp.expansion", t.normed2);
    t.activated = gelu(t.expanded);
    t.out = sum(t.middle, linear_forward(model, block + "mlp.projection", t.activated));
    return t;
}

Trace forward(const Model& model) {
    Trace trace;
    trace.embedded = embed(model);
    const Values* x = &trace.embedded;
    trace.blocks.reserve(static_cast<std::size_t>(model.config.layers));
    for (Size layer = 0; layer < model.config.layers; ++layer) {
        trace.blocks.push_back(forward_block(model, layer, *x));
        x = &trace.blocks.back().out;
    }
    trace.normed = norm_forward(model, "final_norm", *x);
    trace.logits = linear(trace.normed, model.weight("token_embedding"), {}, model.rows(),
                          model.config.vocabulary);
    return trace;
}

/// Stores the parameters' gradients and returns that of x.
Values linear_backward(const Model& model, const std::string& name, const Values& x,
                       const Values& d_out, NamedValues& gradient) {
    const auto outputs = static_cast<Size>(model.bias(name).size());
    LinearGradient g =
        linear_gradient(x, model.weight(name), d_out, model.rows(), outputs, model.bug);
    gradient[name + ".weight"] = std::move(g.weight);
    gradient[name + ".bias"] = std::move(g.bias);
    return std::move(g.x);
}

Values norm_backward(const Model& model, const std::string& name, const Values& x,
                     const Values& d_out, NamedValues& gradient) {
    LayernormGradient g = layernorm_gradient(x, model.weight(name), d_out, model.rows(), model.bug);
    gradient[name + ".weight"] = std::move(g.weight);
    gradient[name + ".bias"] = std::move(g.bias);
    return std::move(g.x);
}

Values backward_block(const Model& model, Size layer, const BlockTrace& t, const Values& d_out,
                      NamedValues& gradient) {
    const std::string block = Model::block(layer);
    Values d = linear_backward(model, block + "mlp.projection", t.activated, d_out, gradient);
    d = gelu_gradient(t.expanded, d, model.bug);
    d = linear_backward(model, block + "mlp.expansion", t.normed2, d, gradient);
    d = norm_backward(model, block + "norm2", t.middle, d, gradient);
    const Values d_middle = sum(d_out, d);
    d = linear_backward(model, block + "attention.projection", t.heads, d_middle, gradient);
    d = attention_gradient(model.attention_sizes(), t.qkv, d, model.bug);
    d = linear_backward(model, block + "attention.qkv", t.normed1, d, gradient);
    d = norm_backward(model, block + "norm1", t.in, d, gradient);
    return sum(d_middle, d);
}

void backward_embedding(const Model& model, const Values& d, NamedValues& gradient) {
    const Size channels = model.config.channels;
    Values& d_token = gradient.at("token_embedding.weight");
    Values& d_position = gradient["position_embedding.weight"];
    d_position.assign(model.weight("position_embedding").size(), 0.0);
    for (Size r = 0; r < model.rows(); ++r) {
        for (Size c = 0; c < channels; ++c) {
            d_token[model.data.tokens[r] * channels + c] += d[r * channels + c];
            d_position[r % model.data.sequence * channels + c] += d[r * channels + c];
        }
    }
}

}  // namespace

double gpt_loss(const reference::GptConfig& config, const NamedValues& weights,
                const MicroBatch& data) {
    return cross_entropy(forward({config, weights, data, Planted::none}).logits, data.targets);
}

NamedValues gpt_gradient(const reference::GptConfig& config, const NamedValues& weights,
                         const MicroBatch& data, Planted bug) {
    const Model model{config, weights, data, bug};
    const Trace trace = forward(model);
    NamedValues gradient;
    const Values d_logits = cross_entropy_gradient(trace.logits, data.targets, 1.0);
    LinearGradient head = linear_gradient(trace.normed, model.weight("token_embedding"), d_logits,
                                          model.rows(), config.vocabulary);
    if (bug == Planted::no_tied_head) head.weight.assign(head.weight.size(), 0.0);
    gradient["token_embedding.weight"] = std::move(head.weight);
    const Values& last = trace.blocks.back().out;
    Values d = norm_backward(model, "final_norm", last, head.x, gradient);
    for (Size layer = config.layers - 1; layer >= 0; --layer) {
        d = backward_block(model, layer, trace.blocks[layer], d, gradient);
    }
    backward_embedding(model, d, gradient);
    return gradient;
}

}  // namespace shardstone::validation::oracle
