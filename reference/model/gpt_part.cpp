// SPDX-License-Identifier: BSD-3-Clause
// A rank's part of the model: computes phases of its units in the storage types of the precision.
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

constexpr bool needs_nobody(const std::vector<UnitPhase>& phases) {
    return std::ranges::none_of(phases,
                                [](const UnitPhase& one) { return one.transfer.has_value(); });
}

}  // namespace

/// What does not depend on the storage type is the base; every computation is one virtual call.
template <class Real>
class GptPart<Real>::Implementation {
  public:
    Implementation(const GptConfig& sizes, const ModelPart& held, const PartShape& shape)
        : config(checked(sizes, shape)),
          part(held),
          layout(config, part),
          phases(phase_shape(config, part, shape.micro_batch, shape.sequence, shape.recompute)) {
        SHARDSTONE_EXPECTS(!shape.fp8_products || shape.storage == Storage::bf16);
        if (shape.fp8_products) fp8.emplace(config.layers);
    }
    virtual ~Implementation() = default;

    virtual void load(int chunk, int slot, std::span<const Token> tokens,
                      std::span<const Target> targets) = 0;
    virtual Computed compute(const PassAt& at, const UnitPhase& phase) = 0;
    virtual Rows input(int chunk, int slot) = 0;
    virtual Rows output(int chunk, int slot) = 0;
    virtual Rows gradient(int gradient_slot) = 0;
    virtual std::vector<Real> logits(int slot) const = 0;
    virtual std::int64_t activations_bytes() const = 0;

    Unit::Kind kind_of(int chunk, int unit) const {
        const ModelChunk& held = part.chunks[static_cast<std::size_t>(chunk)];
        return held.units()[static_cast<std::size_t>(unit)].kind;
    }

    GptConfig config;
    ModelPart part;
    ParameterLayout layout;
    UnitPhases phases;
    std::optional<Fp8Scales> fp8;
};

template <class Real>
template <class S, class R>
class GptPart<Real>::Stored : public Implementation {
  public:
    Stored(const GptConfig& sizes, const ModelPart& held, const PartShape& shape,
           const std::vector<GroupMemory<Real>>& memory, std::function<void()> meanwhile)
        : Implementation(sizes, held, shape),
          attention_(this->part.attention->template make<S>(
              attention_part(this->config, this->part, shape.micro_batch, shape.sequence))),
          activations_(this->config, this->part, shape, attention_->scratch_elements()),
          stream_(this->part, this->part.positions(shape.micro_batch, shape.sequence),
                  std::move(meanwhile)) {
        SHARDSTONE_EXPECTS(shape.slots.size() == this->part.chunks.size());
        SHARDSTONE_EXPECTS(memory.size() == this->layout.groups().size());
        const PassWorkspace<S, R>& workspace = activations_.workspace;
        const LayerSource<S> source{this->config,
                                    this->part,
                                    this->layout,
                                    memory,
                                    *attention_,
                                    shape.micro_batch,
                                    shape.sequence,
                                    stream_,
                                    this->fp8 ? &*this->fp8 : nullptr,
                                    {workspace.fp8_left, workspace.fp8_right}};
        for (const ModelChunk& chunk : this->part.chunks) layers_.emplace_back(chunk, source);
    }

    void load(int chunk, int slot, std::span<const Token> tokens,
              std::span<const Target> targets) override {
        const ModelChunk& held = this->part.chunks[static_cast<std::size_t>(chunk)];
        ChunkActivations<S, R>& to = slot_at(chunk, slot);
        if (held.embedding) keep(this->config, tokens, to.tokens, "tokens");
        if (held.head) keep(this->config, targets, to.targets, "targets");
    }
    Computed compute(const PassAt& at, const UnitPhase& phase) override {
        const Matrix<R> d_stream =
            makes_input_gradient(at.pass) ? gradient_at(at.gradient_slot) : Matrix<R>{};
        return layers_[static_cast<std::size_t>(at.chunk)].compute(
            at.unit, phase,
            {at.pass, slot_at(at.chunk, at.slot), d_stream, static_cast<Real>(at.gradient_scale),
             activations_.workspace});
    }
    Rows input(int chunk, int slot) override { return Rows(slot_at(chunk, slot).stream.front()); }
    Rows output(int chunk, int slot) override { return Rows(slot_at(chunk, slot).stream.back()); }
    Rows gradient(int gradient_slot) override { return Rows(gradient_at(gradient_slot)); }
    std::vector<Real> logits(int slot) const override {
        const auto& last = activations_.chunks.back();
        const Matrix<S> kept = last[static_cast<std::size_t>(slot)].head.logits;
        std::vector<Real> result(static_cast<std::size_t>(kept.rows * kept.columns));
        widen_rows<S>(kept, matrix(result.data(), kept.rows, kept.columns));
        return result;
    }
    std::int64_t activations_bytes() const override { return activations_.size_bytes(); }

  private:
    ChunkActivations<S, R>& slot_at(int chunk, int slot) {
        return activations_.chunks[static_cast<std::size_t>(chunk)][static_cast<std::size_t>(slot)];
    }
    Matrix<R> gradient_at(int gradient_slot) {
        return activations_.gradients[static_cast<std::size_t>(gradient_slot)];
    }

    std::unique_ptr<Attention<S>> attention_;
    Activations<S, R> activations_;
    SplitStream stream_;
    std::vector<ChunkLayers<S, R>> layers_;
};

template <class Real>
GptPart<Real>::GptPart(const GptConfig& config, const ModelPart& part, const PartShape& shape,
                       const std::vector<GroupMemory<Real>>& memory,
                       std::function<void()> meanwhile)
    : implementation_(with_storages<Real>(
          shape.storage, shape.stream, [&](auto s, auto r) -> std::unique_ptr<Implementation> {
              return std::make_unique<Stored<decltype(s), decltype(r)>>(config, part, shape, memory,
                                                                        std::move(meanwhile));
          })) {}
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
    implementation_->load(chunk, slot, tokens, targets);
}

template <class Real>
const std::vector<UnitPhase>& GptPart<Real>::phases(int chunk, int unit, Pass pass) const {
    return implementation_->phases.of(implementation_->kind_of(chunk, unit), pass);
}

template <class Real>
Computed GptPart<Real>::compute(const PassAt& at, const PhaseRange& range) {
    const std::vector<UnitPhase>& all = phases(at.chunk, at.unit, at.pass);
    Computed result;
    for (int i = range.first; i < range.end(); ++i) {
        Computed one = implementation_->compute(at, all[static_cast<std::size_t>(i)]);
        one.sums += result.sums;
        result = std::move(one);
    }
    return result;
}

template <class Real>
double GptPart<Real>::run(const PassAt& at) {
    SHARDSTONE_EXPECTS(needs_nobody(phases(at.chunk, at.unit, at.pass)));
    const auto count = static_cast<int>(phases(at.chunk, at.unit, at.pass).size());
    return compute(at, {0, count}).sums.loss;
}

template <class Real>
Rows GptPart<Real>::input(int chunk, int slot) {
    return implementation_->input(chunk, slot);
}

template <class Real>
Rows GptPart<Real>::output(int chunk, int slot) {
    return implementation_->output(chunk, slot);
}

template <class Real>
Rows GptPart<Real>::gradient(int gradient_slot) {
    return implementation_->gradient(gradient_slot);
}

template <class Real>
std::vector<Real> GptPart<Real>::logits(int slot) const {
    return implementation_->logits(slot);
}

template <class Real>
Fp8Scales* GptPart<Real>::fp8() noexcept {
    return implementation_->fp8 ? &*implementation_->fp8 : nullptr;
}

template <class Real>
std::int64_t GptPart<Real>::activations_bytes() const noexcept {
    return implementation_->activations_bytes();
}

template class GptPart<float>;
template class GptPart<double>;

}  // namespace shardstone::reference
