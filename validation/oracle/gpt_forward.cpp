// SPDX-License-Identifier: BSD-3-Clause
// The forward pass of a whole GPT in FP64, composed of the oracle's layers.
#include "validation/oracle/gpt_forward.hpp"

namespace shardstone::validation::oracle::gpt {

Values sum(const Values& a, const Values& b) {
    Values out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] + b[i];
    return out;
}

namespace {

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

/// `name` ends with a dot.
MlpTrace forward_mlp(const Model& model, const std::string& name, const Values& x) {
    MlpTrace t;
    t.expanded = linear_forward(model, name + "expansion", x);
    t.activated = gelu(t.expanded);
    t.out = linear_forward(model, name + "projection", t.activated);
    return t;
}

/// Sets what of `t` comes behind its second norm.
void forward_experts(const Model& model, Size layer, BlockTrace& t) {
    const Size experts = model.config.experts.count;
    const Values& router = model.weight(Model::block(layer) + "router");
    const Values logits = linear(t.normed2, router, {}, model.rows(), experts);
    t.routing = route(model.router_sizes(), logits, model.bug);
    std::vector<Values> outputs;
    for (Size e = 0; e < experts; ++e) {
        t.mlps.push_back(forward_mlp(model, Model::expert(layer, e), t.normed2));
        outputs.push_back(t.mlps.back().out);
    }
    t.out = sum(t.middle, combine(model.router_sizes(), t.routing, outputs));
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
    if (model.config.experts.any()) {
        forward_experts(model, layer, t);
    } else {
        t.mlps.push_back(forward_mlp(model, block + "mlp.", t.normed2));
        t.out = sum(t.middle, t.mlps.back().out);
    }
    return t;
}

}  // namespace

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

}  // namespace shardstone::validation::oracle::gpt
