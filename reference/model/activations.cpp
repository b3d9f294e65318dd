// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/activations.hpp"

#include <algorithm>

namespace shardstone::reference {

namespace {

std::int64_t round_up(std::int64_t elements) {
    return (elements + activation_alignment - 1) / activation_alignment * activation_alignment;
}

/// Hands out consecutive pieces of an allocation; without one it only counts.
template <class Real>
class Arena {
  public:
    explicit Arena(Real* memory) : memory_(memory) {}

    Real* take(std::int64_t elements) {
        Real* piece = memory_ == nullptr ? nullptr : memory_ + used_;
        used_ += round_up(elements);
        return piece;
    }
    Matrix<Real> take(std::int64_t rows, std::int64_t columns) {
        return matrix(take(rows * columns), rows, columns);
    }
    std::int64_t used() const { return used_; }

  private:
    Real* memory_;
    std::int64_t used_ = 0;
};

/// Lays everything out; the same calls count first and hand out afterwards.
template <class Real>
class Placement {
  public:
    Placement(const GptConfig& config, const ModelPart& part, const PartShape& shape,
              Arena<Real>& arena)
        : part_(part),
          shape_(shape),
          arena_(arena),
          n_(shape.positions()),
          own_n_(part.stream_rows(n_).count),
          c_(config.channels),
          heads_(part.heads(config).count),
          attention_(heads_ * config.head_size()),
          hidden_(part.hidden(config).count),
          vocabulary_(part.vocabulary(config).count) {}

    void place(Activations<Real>& all);

  private:
    Matrix<Real> take_stream() { return arena_.take(own_n_, c_); }
    NormActivations<Real> take_norm() {
        return {take_stream(), arena_.take(own_n_), arena_.take(own_n_)};
    }
    BranchActivations<Real> take_attention() {
        return {take_norm(), arena_.take(n_, 3 * attention_), arena_.take(n_, attention_),
                arena_.take(n_ * heads_)};
    }
    BranchActivations<Real> take_mlp() {
        return {take_norm(), arena_.take(n_, hidden_), arena_.take(n_, hidden_), nullptr};
    }
    BranchGradients<Real> take_gradients(std::int64_t wide) {
        return {arena_.take(n_, c_), arena_.take(n_, wide), take_stream()};
    }
    void take_recomputed();
    BlockActivations<Real> take_block();
    HeadActivations<Real> take_head();
    void take_workspace(Workspace<Real>& to, const AttentionShape& shape);
    void take_slot(const ModelChunk& chunk, ChunkActivations<Real>& to);

    const ModelPart& part_;
    const PartShape& shape_;
    Arena<Real>& arena_;
    std::int64_t n_, own_n_, c_, heads_, attention_, hidden_, vocabulary_;
    BlockActivations<Real> recomputed_;
};

template <class Real>
void Placement<Real>::take_recomputed() {
    if (part_.layers() == 0) return;
    if (shape_.recompute != Recompute::none) recomputed_.attention = take_attention();
    if (shape_.recompute == Recompute::full) {
        recomputed_.mlp = take_mlp();
        recomputed_.middle = take_stream();
    }
}

template <class Real>
BlockActivations<Real> Placement<Real>::take_block() {
    BlockActivations<Real> block = recomputed_;
    if (shape_.recompute == Recompute::none) block.attention = take_attention();
    if (shape_.recompute != Recompute::full) {
        block.mlp = take_mlp();
        block.middle = take_stream();
    }
    return block;
}

template <class Real>
HeadActivations<Real> Placement<Real>::take_head() {
    HeadActivations<Real> head;
    head.norm = take_norm();
    head.logits = arena_.take(n_, round_up(vocabulary_));
    head.logits.columns = vocabulary_;
    head.log_sum_exp = arena_.take(n_);
    if (shape_.splits_backward) head.d_normed = take_stream();
    return head;
}

template <class Real>
void Placement<Real>::take_slot(const ModelChunk& chunk, ChunkActivations<Real>& to) {
    to.stream.assign(1, take_stream());
    to.blocks.clear();
    to.gradients.clear();
    for (std::int64_t i = 0; i < chunk.layers; ++i) {
        to.blocks.push_back(take_block());
        to.stream.push_back(take_stream());
        if (!shape_.splits_backward) continue;
        const BranchGradients<Real> attention = take_gradients(3 * attention_);
        to.gradients.push_back({attention, take_gradients(hidden_)});
    }
    if (chunk.head) {
        to.head = take_head();
        to.targets.resize(static_cast<std::size_t>(n_));
    }
    if (chunk.embedding) {
        if (shape_.splits_backward) to.d_embedded = arena_.take(n_, c_);
        to.tokens.resize(static_cast<std::size_t>(n_));
    }
}

template <class Real>
void Placement<Real>::take_workspace(Workspace<Real>& to, const AttentionShape& shape) {
    to.d_branch = arena_.take(n_, c_);
    if (part_.splits_rows()) to.room = arena_.take(n_, c_);
    if (part_.layers() > 0) {
        to.d_wide = arena_.take(n_ * std::max(3 * attention_, hidden_));
        to.attention = arena_.take(shape.scratch_elements());
    }
    if (part_.has_head() && part_.tensor_ranks > 1) {
        to.logits_maximum = arena_.take(n_);
        to.logits_sums = arena_.take(2 * n_);
    }
}

template <class Real>
void Placement<Real>::place(Activations<Real>& all) {
    take_recomputed();
    for (std::size_t chunk = 0; chunk < all.chunks.size(); ++chunk) {
        for (auto& slot : all.chunks[chunk]) take_slot(part_.chunks[chunk], slot);
    }
    for (auto& gradient : all.gradients) gradient = take_stream();
    take_workspace(all.workspace, all.attention_shape);
}

}  // namespace

template <class Real>
Activations<Real>::Activations(const GptConfig& config, const ModelPart& part,
                               const PartShape& shape)
    : gradients(static_cast<std::size_t>(shape.gradient_slots)),
      attention_shape{shape.micro_batch, shape.sequence, part.heads(config).count,
                      config.head_size()} {
    for (const int slots : shape.slots) chunks.emplace_back(static_cast<std::size_t>(slots));
    Arena<Real> counter(nullptr);
    Placement<Real>(config, part, shape, counter).place(*this);
    buffer_ = Buffer<Real>(counter.used());
    Arena<Real> arena(buffer_.data());
    Placement<Real>(config, part, shape, arena).place(*this);
}

template <class Real>
std::int64_t Activations<Real>::size_bytes() const noexcept {
    std::size_t data_bytes = 0;
    for (const auto& chunk : chunks) {
        for (const auto& slot : chunk) {
            data_bytes += slot.tokens.size() * sizeof(Token) + slot.targets.size() * sizeof(Target);
        }
    }
    return buffer_.size_bytes() + static_cast<std::int64_t>(data_bytes);
}

template class Activations<float>;
template class Activations<double>;

}  // namespace shardstone::reference
