// SPDX-License-Identifier: BSD-3-Clause
// A rank's part of the model: computes phases of its units in the storage types of the precision.
#include "reference/model/gpt_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "kernels/transformer/narrow_rows.hpp"
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
template <class T, class Space>
void keep(typename Space::Queue queue, const GptConfig& config, std::span<const T> given,
          Buffer<T, Space>& kept, const char* what) {
    require(std::ssize(given) == kept.size(), [&] {
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
    write_array(queue, given.data(), kept.data(), kept.size());
}

constexpr bool needs_nobody(const std::vector<UnitPhase>& phases) {
    return std::ranges::none_of(phases,
                                [](const UnitPhase& one) { return one.transfer.has_value(); });
}

}  // namespace

/// The base is independent of the storage type; every computation is one virtual call.
template <class Real, class Space>
class GptPart<Real, Space>::Implementation {
  public:
    Implementation(const GptConfig& sizes, const ModelPart& held, const PartShape& shape,
                   Queue kernels)
        : queue(kernels),
          config(checked(sizes, shape)),
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
    virtual Routing<Real, Space> routing(int chunk, int block, int slot) = 0;
    virtual std::int64_t activations_bytes() const = 0;

    /// Losses count in a forward pass; those added by other passes are discarded.
    LossSums* sums_of(Pass pass) { return sums.data() + (pass == Pass::forward ? 0 : 1); }

    Unit::Kind kind_of(int chunk, int unit) const {
        const ModelChunk& held = part.chunks[static_cast<std::size_t>(chunk)];
        return held.units()[static_cast<std::size_t>(unit)].kind;
    }

    Queue queue;
    GptConfig config;
    ModelPart part;
    ParameterLayout layout;
    UnitPhases phases;
    std::optional<Fp8Scales<Space>> fp8;
    Buffer<LossSums, Space> sums = Buffer<LossSums, Space>(2);
};

template <class Real, class Space>
template <class S, class R>
class GptPart<Real, Space>::Stored : public Implementation {
  public:
    Stored(const GptConfig& sizes, const ModelPart& held, const PartShape& shape,
           const std::vector<GroupMemory<Real>>& memory, std::function<void()> meanwhile,
           Queue kernels)
        : Implementation(sizes, held, shape, kernels),
          attention_(this->part.attention->template make<S, Space>(
              kernels,
              attention_part(this->config, this->part, shape.micro_batch, shape.sequence))),
          activations_(this->config, this->part, shape, attention_->scratch_elements()),
          stream_(kernels, this->part, this->part.positions(shape.micro_batch, shape.sequence),
                  std::move(meanwhile)) {
        SHARDSTONE_EXPECTS(shape.slots.size() == this->part.chunks.size());
        SHARDSTONE_EXPECTS(memory.size() == this->layout.groups().size());
        const PassWorkspace<S, R, Space>& workspace = activations_.workspace;
        const LayerSource<S, Space> source{this->config,
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
        ChunkActivations<S, R, Space>& to = slot_at(chunk, slot);
        if (held.embedding) keep<Token>(this->queue, this->config, tokens, to.tokens, "tokens");
        if (held.head) keep<Target>(this->queue, this->config, targets, to.targets, "targets");
    }
    Computed compute(const PassAt& at, const UnitPhase& phase) override {
        const Matrix<R, Space> d_stream =
            makes_input_gradient(at.pass) ? gradient_at(at.gradient_slot) : Matrix<R, Space>{};
        return layers_[static_cast<std::size_t>(at.chunk)].compute(
            at.unit, phase,
            {at.pass, slot_at(at.chunk, at.slot), d_stream, static_cast<Real>(at.gradient_scale),
             activations_.workspace, this->sums_of(at.pass)});
    }
    Rows input(int chunk, int slot) override { return Rows(slot_at(chunk, slot).stream.front()); }
    Rows output(int chunk, int slot) override { return Rows(slot_at(chunk, slot).stream.back()); }
    Rows gradient(int gradient_slot) override { return Rows(gradient_at(gradient_slot)); }
    std::vector<Real> logits(int slot) const override {
        const auto& last = activations_.chunks.back();
        const Matrix<S, Space> kept = last[static_cast<std::size_t>(slot)].head.logits;
        Buffer<Real, Space> widened(kept.rows * kept.columns);
        widen_rows<S>(this->queue, kept, matrix<Space>(widened.data(), kept.rows, kept.columns));
        return read_array<Real>(this->queue, widened.data(), widened.size());
    }
    Routing<Real, Space> routing(int chunk, int block, int slot) override {
        const auto& kept = slot_at(chunk, slot).blocks[static_cast<std::size_t>(block)].mlp.experts;
        return {kept.probabilities, kept.choices, kept.picks};
    }
    std::int64_t activations_bytes() const override { return activations_.size_bytes(); }

  private:
    ChunkActivations<S, R, Space>& slot_at(int chunk, int slot) {
        return activations_.chunks[static_cast<std::size_t>(chunk)][static_cast<std::size_t>(slot)];
    }
    Matrix<R, Space> gradient_at(int gradient_slot) {
        return activations_.gradients[static_cast<std::size_t>(gradient_slot)];
    }

    std::unique_ptr<Attention<S, Space>> attention_;
    Activations<S, R, Space> activations_;
    SplitStream<Space> stream_;
    std::vector<ChunkLayers<S, R, Space>> layers_;
};

template <class Real, class Space>
GptPart<Real, Space>::GptPart(Queue queue, const GptConfig& config, const ModelPart& part,
                              const PartShape& shape, const std::vector<GroupMemory<Real>>& memory,
                              std::function<void()> meanwhile)
    : implementation_(with_storages<Real>(
          shape.storage, shape.stream, [&](auto s, auto r) -> std::unique_ptr<Implementation> {
              return std::make_unique<Stored<decltype(s), decltype(r)>>(
                  config, part, shape, memory, std::move(meanwhile), queue);
          })) {}
template <class Real, class Space>
GptPart<Real, Space>::GptPart(GptPart&&) noexcept = default;
template <class Real, class Space>
GptPart<Real, Space>::~GptPart() = default;

template <class Real, class Space>
const ParameterLayout& GptPart<Real, Space>::layout() const noexcept {
    return implementation_->layout;
}

template <class Real, class Space>
void GptPart<Real, Space>::load(int chunk, int slot, std::span<const Token> tokens,
                                std::span<const Target> targets) {
    implementation_->load(chunk, slot, tokens, targets);
}

template <class Real, class Space>
const std::vector<UnitPhase>& GptPart<Real, Space>::phases(int chunk, int unit, Pass pass) const {
    return implementation_->phases.of(implementation_->kind_of(chunk, unit), pass);
}

template <class Real, class Space>
Computed GptPart<Real, Space>::compute(const PassAt& at, const PhaseRange& range) {
    const std::vector<UnitPhase>& all = phases(at.chunk, at.unit, at.pass);
    Computed result;
    for (int i = range.first; i < range.end(); ++i) {
        result = implementation_->compute(at, all[static_cast<std::size_t>(i)]);
    }
    return result;
}

template <class Real, class Space>
void GptPart<Real, Space>::run(const PassAt& at) {
    SHARDSTONE_EXPECTS(needs_nobody(phases(at.chunk, at.unit, at.pass)));
    const auto count = static_cast<int>(phases(at.chunk, at.unit, at.pass).size());
    compute(at, {0, count});
}

template <class Real, class Space>
LossSums* GptPart<Real, Space>::losses() noexcept {
    return implementation_->sums_of(Pass::forward);
}

template <class Real, class Space>
LossSums GptPart<Real, Space>::take_losses() {
    const LossSums sums = read_array(implementation_->queue, losses(), 1).front();
    clear_array(implementation_->queue, losses(), 1);
    return sums;
}

template <class Real, class Space>
Rows GptPart<Real, Space>::input(int chunk, int slot) {
    return implementation_->input(chunk, slot);
}

template <class Real, class Space>
Rows GptPart<Real, Space>::output(int chunk, int slot) {
    return implementation_->output(chunk, slot);
}

template <class Real, class Space>
Rows GptPart<Real, Space>::gradient(int gradient_slot) {
    return implementation_->gradient(gradient_slot);
}

template <class Real, class Space>
std::vector<Real> GptPart<Real, Space>::logits(int slot) const {
    return implementation_->logits(slot);
}

template <class Real, class Space>
Routing<Real, Space> GptPart<Real, Space>::routing(int chunk, int block, int slot) {
    return implementation_->routing(chunk, block, slot);
}

template <class Real, class Space>
Fp8Scales<Space>* GptPart<Real, Space>::fp8() noexcept {
    return implementation_->fp8 ? &*implementation_->fp8 : nullptr;
}

template <class Real, class Space>
std::int64_t GptPart<Real, Space>::activations_bytes() const noexcept {
    return implementation_->activations_bytes();
}

template class GptPart<float>;
template class GptPart<double>;
template class GptPart<float, Paced>;
#ifdef SHARDSTONE_HAS_CUDA
template class GptPart<float, Cuda>;
#endif

}  // namespace shardstone::reference
