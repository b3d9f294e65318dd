// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/gpt_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/base/error.hpp"
#include "reference/model/chunk_layers.hpp"

namespace shardstone::reference {

namespace {

const GptConfig& checked(const GptConfig& config, const PartShape& shape) {
    config.validate();
    require(shape.micro_batch > 0 && shape.sequence > 0 && shape.sequence <= config.context, [&] {
        return fmt::format(
            "micro-batch {} of sequence length {} for model '{}': give at least one sequence "
            "of 1 to {} tokens",
            shape.micro_batch, shape.sequence, config.name, config.context);
    });
    return config;
}

/// Copies one token or target per position.
template <class T>
void keep(const GptConfig& config, std::span<const T> given, std::vector<T>& kept,
          const char* what) {
    require(given.size() == kept.size(), [&] {
        return fmt::format("{} {} for a micro-batch of {} positions: give one for each",
                           given.size(), what, kept.size());
    });
    const T largest = *std::ranges::max_element(given);
    require(largest < config.vocabulary, [&] {
        return fmt::format(
            "token {} among the {}, but model '{}' has a vocabulary of {}: prepare "
            "the data with the model's tokens",
            largest, what, config.name, config.vocabulary);
    });
    std::ranges::copy(given, kept.begin());
}

}  // namespace

template <class Real>
class GptPart<Real>::Implementation {
  public:
    Implementation(const GptConfig& sizes, const ModelPart& held, const PartShape& shape,
                   const std::vector<GroupMemory<Real>>& memory, TensorGroup<Real>& tensor)
        : config(checked(sizes, shape)),
          part(held),
          recompute(shape.recompute),
          layout(config, part),
          activations(config, part, shape),
          stream(part, shape.positions(), tensor) {
        SHARDSTONE_EXPECTS(shape.slots.size() == part.chunks.size());
        SHARDSTONE_EXPECTS(memory.size() == layout.groups().size());
        const LayerSource<Real> source{config, part, layout, memory, activations.attention_shape,
                                       stream};
        for (const ModelChunk& chunk : part.chunks) layers.emplace_back(chunk, source);
    }

    ChunkActivations<Real>& at(int chunk, int slot) {
        return activations.chunks[static_cast<std::size_t>(chunk)][static_cast<std::size_t>(slot)];
    }
    const ChunkLayers<Real>& layers_of(int chunk) const {
        return layers[static_cast<std::size_t>(chunk)];
    }
    void backward(BackwardHalf half, int chunk, int unit, int slot, Matrix<Real> d_stream,
                  double scale) {
        layers_of(chunk).backward(half, unit, at(chunk, slot), d_stream, static_cast<Real>(scale),
                                  activations.workspace);
    }

    GptConfig config;
    ModelPart part;
    Recompute recompute;
    ParameterLayout layout;
    Activations<Real> activations;
    SplitStream<Real> stream;
    std::vector<ChunkLayers<Real>> layers;
};

template <class Real>
GptPart<Real>::GptPart(const GptConfig& config, const ModelPart& part, const PartShape& shape,
                       const std::vector<GroupMemory<Real>>& memory, TensorGroup<Real>& tensor)
    : implementation_(std::make_unique<Implementation>(config, part, shape, memory, tensor)) {}
template <class Real>
GptPart<Real>::GptPart(GptPart&&) noexcept = default;
template <class Real>
GptPart<Real>::~GptPart() = default;

template <class Real>
const ParameterLayout& GptPart<Real>::layout() const noexcept {
    return implementation_->layout;
}

template <class Real>
void GptPart<Real>::load(int chunk, int slot, std::span<const Token> tokens,
                         std::span<const Target> targets) {
    const ModelChunk& held = implementation_->part.chunks[static_cast<std::size_t>(chunk)];
    ChunkActivations<Real>& to = implementation_->at(chunk, slot);
    if (held.embedding) keep(implementation_->config, tokens, to.tokens, "tokens");
    if (held.head) keep(implementation_->config, targets, to.targets, "targets");
}

template <class Real>
double GptPart<Real>::forward(int chunk, int unit, int slot) {
    return implementation_->layers_of(chunk).forward(unit, implementation_->at(chunk, slot),
                                                     implementation_->activations.workspace);
}

template <class Real>
void GptPart<Real>::recompute(int chunk, int unit, int slot) {
    implementation_->layers_of(chunk).recompute(implementation_->recompute, unit,
                                                implementation_->at(chunk, slot),
                                                implementation_->activations.workspace);
}

template <class Real>
void GptPart<Real>::backward(int chunk, int unit, int slot, int gradient_slot,
                             double gradient_scale) {
    implementation_->backward(BackwardHalf::both, chunk, unit, slot, gradient(gradient_slot),
                              gradient_scale);
}

template <class Real>
void GptPart<Real>::backward_input(int chunk, int unit, int slot, int gradient_slot,
                                   double gradient_scale) {
    implementation_->backward(BackwardHalf::input, chunk, unit, slot, gradient(gradient_slot),
                              gradient_scale);
}

template <class Real>
void GptPart<Real>::backward_weight(int chunk, int unit, int slot) {
    implementation_->backward(BackwardHalf::weights, chunk, unit, slot, {}, 0.0);
}

template <class Real>
Matrix<Real> GptPart<Real>::input(int chunk, int slot) {
    return implementation_->at(chunk, slot).stream.front();
}

template <class Real>
Matrix<Real> GptPart<Real>::output(int chunk, int slot) {
    return implementation_->at(chunk, slot).stream.back();
}

template <class Real>
Matrix<Real> GptPart<Real>::gradient(int gradient_slot) {
    return implementation_->activations.gradients[static_cast<std::size_t>(gradient_slot)];
}

template <class Real>
Matrix<const Real> GptPart<Real>::logits(int slot) const {
    const auto& last = implementation_->activations.chunks.back();
    return last[static_cast<std::size_t>(slot)].head.logits;
}

template <class Real>
std::int64_t GptPart<Real>::activations_bytes() const noexcept {
    return implementation_->activations.size_bytes();
}

template class GptPart<float>;
template class GptPart<double>;

}  // namespace shardstone::reference
