// SPDX-License-Identifier: BSD-3-Clause
// Loss, objective and gradient of a whole GPT in FP64, composed of the oracle's layers.
#include "validation/oracle/gpt.hpp"

#include <utility>

#include "validation/oracle/gpt_forward.hpp"

namespace shardstone::validation::oracle {

namespace gpt {

namespace {

/// Nothing where the model has no experts.
RoutingFigures sum_of_figures(const Model& model, const Trace& trace) {
    RoutingFigures all;
    for (const BlockTrace& t : trace.blocks) {
        if (!model.config.experts.any()) break;
        const RoutingFigures figures = figures_of(model.router_sizes(), t.routing);
        all.balance += figures.balance;
        all.z += figures.z;
        all.dropped += figures.dropped;
    }
    return all;
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

Values backward_mlp(const Model& model, const std::string& name, const Values& x, const MlpTrace& t,
                    const Values& d_out, NamedValues& gradient) {
    Values d = linear_backward(model, name + "projection", t.activated, d_out, gradient);
    d = gelu_gradient(t.expanded, d, model.bug);
    return linear_backward(model, name + "expansion", x, d, gradient);
}

/// The gradient of what the experts and the router see.
Values backward_experts(const Model& model, Size layer, const BlockTrace& t, const Values& d_out,
                        NamedValues& gradient) {
    const Size experts = model.config.experts.count, channels = model.config.channels;
    Values d_x(d_out.size(), 0.0), d_gates(model.rows() * experts, 0.0);
    for (Size e = 0; e < experts; ++e) {
        Values d_expert(d_out.size());
        for (Size i = 0; i < std::ssize(d_out); ++i) {
            const Size gate = i / channels * experts + e;
            d_gates[gate] += d_out[i] * t.mlps[e].out[i];
            d_expert[i] = d_out[i] * t.routing.gates[gate];
        }
        d_x = sum(d_x, backward_mlp(model, Model::expert(layer, e), t.normed2, t.mlps[e], d_expert,
                                    gradient));
    }
    const std::string router = Model::block(layer) + "router";
    const Values d_logits = router_gradient(model.router_sizes(), t.routing, d_gates, model.bug);
    LinearGradient g =
        linear_gradient(t.normed2, model.weight(router), d_logits, model.rows(), experts);
    gradient[router + ".weight"] = std::move(g.weight);
    return sum(d_x, g.x);
}

Values backward_block(const Model& model, Size layer, const BlockTrace& t, const Values& d_out,
                      NamedValues& gradient) {
    const std::string block = Model::block(layer);
    Values d = model.config.experts.any() ? backward_experts(model, layer, t, d_out, gradient)
                                          : backward_mlp(model, block + "mlp.", t.normed2,
                                                         t.mlps.front(), d_out, gradient);
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

}  // namespace gpt

double gpt_loss(const reference::GptConfig& config, const NamedValues& weights,
                const MicroBatch& data) {
    return cross_entropy(gpt::forward({config, weights, data, Planted::none}).logits, data.targets);
}

RoutingFigures gpt_routing_figures(const reference::GptConfig& config, const NamedValues& weights,
                                   const MicroBatch& data) {
    const gpt::Model model{config, weights, data, Planted::none};
    return gpt::sum_of_figures(model, gpt::forward(model));
}

double gpt_objective(const reference::GptConfig& config, const NamedValues& weights,
                     const MicroBatch& data) {
    const gpt::Model model{config, weights, data, Planted::none};
    const gpt::Trace trace = gpt::forward(model);
    const RoutingFigures figures = gpt::sum_of_figures(model, trace);
    return cross_entropy(trace.logits, data.targets) + config.experts.balance * figures.balance +
           config.experts.z * figures.z;
}

std::vector<Size> gpt_choices(const reference::GptConfig& config, const NamedValues& weights,
                              const MicroBatch& data) {
    std::vector<Size> choices;
    for (const gpt::BlockTrace& t : gpt::forward({config, weights, data, Planted::none}).blocks) {
        choices.insert(choices.end(), t.routing.chosen.begin(), t.routing.chosen.end());
    }
    return choices;
}

NamedValues gpt_gradient(const reference::GptConfig& config, const NamedValues& weights,
                         const MicroBatch& data, Planted bug) {
    const gpt::Model model{config, weights, data, bug};
    const gpt::Trace trace = gpt::forward(model);
    NamedValues gradient;
    const Values d_logits = cross_entropy_gradient(trace.logits, data.targets, 1.0);
    LinearGradient head = linear_gradient(trace.normed, model.weight("token_embedding"), d_logits,
                                          model.rows(), config.vocabulary);
    if (bug == Planted::no_tied_head) head.weight.assign(head.weight.size(), 0.0);
    gradient["token_embedding.weight"] = std::move(head.weight);
    const Values& last = trace.blocks.back().out;
    Values d = gpt::norm_backward(model, "final_norm", last, head.x, gradient);
    for (Size layer = config.layers - 1; layer >= 0; --layer) {
        d = gpt::backward_block(model, layer, trace.blocks[layer], d, gradient);
    }
    gpt::backward_embedding(model, d, gradient);
    return gradient;
}

}  // namespace shardstone::validation::oracle
