// SPDX-License-Identifier: BSD-3-Clause
// A small GPT with lively weights, in any type and in the oracle, and the bound within which their
// gradients must agree.
#pragma once

#include <span>

#include "reference/model/gpt.hpp"
#include "validation/oracle/gpt.hpp"
#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {

using oracle::MicroBatch;
using oracle::NamedValues;
using reference::Gpt;
using reference::GptConfig;

inline const GptConfig small_config{"small", 31, 12, 2, 2, 16};

/// A micro-batch of `batch` sequences; the same `first` gives the same sequences.
inline MicroBatch random_batch(Size batch, Size sequence, Size first = 0,
                               const GptConfig& config = small_config) {
    const RandomStream stream(11, "tokens");
    MicroBatch data{batch, sequence, {}, {}};
    for (Size i = first * sequence; i < (first + batch) * sequence; ++i) {
        const auto index = static_cast<std::uint64_t>(2 * i);
        const auto bound = static_cast<std::uint64_t>(config.vocabulary);
        data.tokens.push_back(static_cast<std::uint16_t>(stream.below(bound, index)));
        data.targets.push_back(static_cast<std::int32_t>(stream.below(bound, index + 1)));
    }
    return data;
}

/// Weights far from their initial values, so that every term of every derivative counts: matrices
/// of deviation 0.3, norms around one, biases not zero. Exact in FP32.
inline NamedValues lively_weights(const GptConfig& config) {
    NamedValues weights;
    const Gpt<float> model(config, 1, 1);
    for (const auto& info : model.parameters()) {
        Values values = random_values(info.count, info.name, 0.3);
        if (info.name.find("norm") != std::string::npos && info.name.ends_with("weight")) {
            for (double& v : values) v = static_cast<float>(v + 1.0);
        }
        weights[info.name] = std::move(values);
    }
    return weights;
}

template <class Real>
void load(Gpt<Real>& model, const NamedValues& weights) {
    for (const auto& info : model.parameters()) {
        std::ranges::copy(weights.at(info.name), model.weights().begin() + info.offset);
    }
}

template <class Real>
NamedValues named_gradients(Gpt<Real>& model) {
    NamedValues named;
    for (const auto& info : model.parameters()) {
        const auto part = model.gradients().subspan(static_cast<std::size_t>(info.offset),
                                                    static_cast<std::size_t>(info.count));
        named[info.name] = Values(part.begin(), part.end());
    }
    return named;
}

/// The model's gradient of the sum of losses over `data`.
template <class Real>
NamedValues gradient_of(const NamedValues& weights, const MicroBatch& data,
                        const GptConfig& config = small_config) {
    Gpt<Real> model(config, data.batch, data.sequence);
    load(model, weights);
    model.forward(data.tokens, data.targets);
    model.backward(1.0);
    return named_gradients(model);
}

/// Weights that are moved relatively by delta, up or down at random.
inline NamedValues moved_by(NamedValues weights, double delta) {
    for (auto& [name, values] : weights) {
        const RandomStream signs(5, name);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] *= 1.0 + (signs.bits(i) % 2 == 0 ? delta : -delta);
        }
    }
    return weights;
}

/// k of gradient_bounds().
inline double chain_length(const GptConfig& c, const MicroBatch& data) {
    const Size of_experts = c.experts.any() ? 2 * c.channels + 4 * c.experts.count : 0;
    return static_cast<double>(
        c.layers * (20 * c.channels + 4 * data.sequence + 2 * c.head_size() + of_experts) +
        c.channels + 2 * c.vocabulary + data.batch * data.sequence);
}

/// gradient_bounds() for a product k u that is known otherwise.
inline std::map<std::string, double> bounds_of_chain(const NamedValues& weights,
                                                     const MicroBatch& data, double ku,
                                                     const GptConfig& config) {
    constexpr double delta = 0x1p-20;
    const NamedValues exact = oracle::gpt_gradient(config, weights, data);
    const NamedValues changed = oracle::gpt_gradient(config, moved_by(weights, delta), data);
    std::map<std::string, double> bounds;
    for (const auto& [name, values] : exact) {
        double change = 0.0, size = 0.0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            change = std::max(change, std::abs(changed.at(name)[i] - values[i]));
            size = std::max(size, std::abs(values[i]));
        }
        bounds[name] = higher_orders * ku * (change / delta + size);
    }
    return bounds;
}

/// How far each tensor's gradient may be from the exact one, when computed with unit roundoff u.
///
/// The pass is a chain of sums and products, each exact for operands moved relatively by no more
/// than u times its length; so the result is that of a model whose weights and activations are
/// moved by k u in all, k the lengths along the longest path: forward, per layer, two norms, four
/// products (C, C, C, 4C) and attention (D, T and the softmax' T); backward the same with the
/// outputs' lengths (C, 4C, C, 3C); head C forward, V backward and in the softmax; and the sum over
/// N positions; with experts, forward and backward, the router's product (C), its softmax (E) and
/// the sum over those chosen (at most E). What moving everything by a relative delta does is
/// measured on the oracle itself, with random signs: largest change / delta, per tensor. The last
/// rounding adds k u |gradient|.
inline std::map<std::string, double> gradient_bounds(const NamedValues& weights,
                                                     const MicroBatch& data, double u,
                                                     const GptConfig& config = small_config) {
    return bounds_of_chain(weights, data, u * chain_length(config, data), config);
}

/// Largest disagreement over all tensors, in units of its bound.
inline double worst_ratio(const NamedValues& actual, const NamedValues& expected,
                          const std::map<std::string, double>& bounds) {
    double worst = 0.0;
    for (const auto& [name, values] : expected) {
        const Values bound(values.size(), bounds.at(name));
        worst = std::max(worst, worst_ratio(actual.at(name), values, bound));
    }
    return worst;
}

}  // namespace shardstone::validation
