// SPDX-License-Identifier: BSD-3-Clause
// Lays out all activations and the workspace of a rank's part in one allocation, slot by slot.
#include "reference/model/activations.hpp"

#include <algorithm>

#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "reference/model/activation_arena.hpp"
#include "reference/model/experts/expert_part.hpp"

namespace shardstone::reference {

namespace {

/// Lays everything out; the same calls count first and hand out afterwards.
template <class S, class R, class Space>
class Placement {
    using Real = compute_t<S>;

  public:
    Placement(const GptConfig& config, const ModelPart& part, const PartShape& shape,
              ActivationArena<Real, Space>& arena)
        : part_(part),
          shape_(shape),
          arena_(arena),
          n_(part.positions(shape.micro_batch, shape.sequence)),
          own_n_(part.stream_rows(n_).count),
          c_(config.channels),
          heads_(part.heads(config).count),
          attention_(heads_ * config.head_size()),
          hidden_(part.hidden(config).count),
          vocabulary_(part.vocabulary(config).count),
          experts_(expert_part(config, part, shape.micro_batch, shape.sequence)),
          mlp_n_(experts_.any() ? experts_.received_rows() : n_) {}

    /// `attention`: its scratch_elements().
    void place(Activations<S, R, Space>& all, std::int64_t attention);

  private:
    template <class T = R>
    Matrix<T, Space> take_stream() {
        return arena_.template take<T>(own_n_, c_);
    }
    template <class T = S>
    T* take(std::int64_t elements) {
        return arena_.template take<T>(elements);
    }
    Matrix<S, Space> take(std::int64_t rows, std::int64_t columns) {
        return arena_.template take<S>(rows, columns);
    }
    NormActivations<S, Space> take_norm() {
        return {take_stream<S>(), take<Real>(own_n_), take<Real>(own_n_)};
    }
    BranchActivations<S, Space> take_attention() {
        return {take_norm(),
                take(n_, 3 * attention_),
                take(n_, attention_),
                take<Real>(n_ * heads_),
                {}};
    }
    BranchActivations<S, Space> take_mlp() {
        BranchActivations<S, Space> mlp{
            take_norm(), take(mlp_n_, hidden_), take(mlp_n_, hidden_), nullptr, {}};
        if (experts_.any()) mlp.experts = take_experts();
        return mlp;
    }
    ExpertActivations<S, Space> take_experts();
    BranchGradients<S, R, Space> take_gradients(std::int64_t rows, std::int64_t wide) {
        return {take(rows, c_), take(rows, wide), take_stream()};
    }
    static RowBuffer<S, R, Space> row_buffer(Matrix<R, Space> m) {
        return {m, matrix<Space>(reinterpret_cast<S*>(m.data), m.rows, m.columns)};
    }
    void take_recomputed();
    BlockActivations<S, R, Space> take_block();
    HeadActivations<S, R, Space> take_head();
    void take_workspace(PassWorkspace<S, R, Space>& to, std::int64_t attention);
    void take_slot(const ModelChunk& chunk, ChunkActivations<S, R, Space>& to);

    const ModelPart& part_;
    const PartShape& shape_;
    ActivationArena<Real, Space>& arena_;
    std::int64_t n_, own_n_, c_, heads_, attention_, hidden_, vocabulary_;
    ExpertPart experts_;
    std::int64_t mlp_n_;  ///< rows between the two products of an MLP or of experts
    BlockActivations<S, R, Space> recomputed_;
};

template <class S, class R, class Space>
ExpertActivations<S, Space> Placement<S, R, Space>::take_experts() {
    const std::int64_t e = experts_.experts, k = experts_.top_k;
    ExpertActivations<S, Space> to;
    to.probabilities = arena_.template take<Real>(n_, e);
    to.log_sum_exp = take<Real>(n_);
    to.picks = arena_.template take<Real>(experts_.sequences, e);
    to.choices = arena_.template take<std::int32_t>(n_, k);
    to.rows = arena_.template take<std::int32_t>(n_, k);
    if (!experts_.has_capacity()) to.row_counts = arena_.template take<Real>(experts_.ranks, e);
    to.received = take(experts_.received_rows(), c_);
    to.returned = take(experts_.sent_rows(), c_);
    return to;
}

template <class S, class R, class Space>
void Placement<S, R, Space>::take_recomputed() {
    if (part_.layers() == 0) return;
    if (shape_.recompute != Recompute::none) recomputed_.attention = take_attention();
    if (shape_.recompute == Recompute::full) {
        recomputed_.mlp = take_mlp();
        recomputed_.middle = take_stream();
    }
}

template <class S, class R, class Space>
BlockActivations<S, R, Space> Placement<S, R, Space>::take_block() {
    BlockActivations<S, R, Space> block = recomputed_;
    if (shape_.recompute == Recompute::none) block.attention = take_attention();
    if (shape_.recompute != Recompute::full) {
        block.mlp = take_mlp();
        block.middle = take_stream();
    }
    return block;
}

template <class S, class R, class Space>
HeadActivations<S, R, Space> Placement<S, R, Space>::take_head() {
    HeadActivations<S, R, Space> head;
    head.norm = take_norm();
    head.logits = take(n_, ActivationArena<Real, Space>::template round_up<S>(vocabulary_));
    head.logits.columns = vocabulary_;
    head.log_sum_exp = take<Real>(n_);
    if (shape_.splits_backward) head.d_normed = take_stream();
    return head;
}

template <class S, class R, class Space>
void Placement<S, R, Space>::take_slot(const ModelChunk& chunk, ChunkActivations<S, R, Space>& to) {
    to.stream.assign(1, take_stream());
    to.blocks.clear();
    to.gradients.clear();
    for (std::int64_t i = 0; i < chunk.layers; ++i) {
        to.blocks.push_back(take_block());
        to.stream.push_back(take_stream());
        if (!shape_.splits_backward) continue;
        const BranchGradients<S, R, Space> attention = take_gradients(n_, 3 * attention_);
        BranchGradients<S, R, Space> mlp = take_gradients(mlp_n_, hidden_);
        if (experts_.any()) mlp.d_logits = arena_.template take<Real>(n_, experts_.experts);
        to.gradients.push_back({attention, mlp});
    }
    if (chunk.head) to.head = take_head();
    if (chunk.embedding && shape_.splits_backward) {
        to.d_embedded = arena_.template take<R>(n_, c_);
    }
}

template <class S, class R, class Space>
void Placement<S, R, Space>::take_workspace(PassWorkspace<S, R, Space>& to,
                                            std::int64_t attention) {
    to.d_branch = row_buffer(arena_.template take<R>(n_, c_));
    if (part_.splits_rows()) {
        to.buffer = row_buffer(arena_.template take<R>(n_, c_));
    } else if (!std::is_same_v<S, R> && part_.layers() > 0) {
        to.buffer.stored = take(n_, c_);
    }
    if (part_.layers() > 0) {
        to.d_wide = take(std::max(n_ * 3 * attention_, mlp_n_ * hidden_));
        to.attention = take<Real>(attention);
    }
    if (part_.layers() > 0 && experts_.any()) {
        to.expert_rows = take(mlp_n_, c_);
        to.expert_gradients = take(mlp_n_, c_);
        to.expert_bias = take(c_);
        to.d_gates = arena_.template take<Real>(n_, experts_.top_k);
        to.d_logits = arena_.template take<Real>(n_, experts_.experts);
    }
    if (part_.layers() > 0 && shape_.fp8_products) {
        const std::int64_t widest = std::max({c_, 3 * attention_, hidden_});
        to.fp8_left = take(n_ * widest);
        to.fp8_right = take(std::max(n_, c_) * widest);
    }
    if (part_.has_head() && part_.tensor_ranks > 1) {
        to.logits_maximum = take<Real>(n_);
        to.logits_sums = take<Real>(2 * n_);
    }
}

template <class S, class R, class Space>
void Placement<S, R, Space>::place(Activations<S, R, Space>& all, std::int64_t attention) {
    take_recomputed();
    for (std::size_t chunk = 0; chunk < all.chunks.size(); ++chunk) {
        for (auto& slot : all.chunks[chunk]) take_slot(part_.chunks[chunk], slot);
    }
    for (auto& gradient : all.gradients) gradient = take_stream();
    take_workspace(all.workspace, attention);
}

}  // namespace

template <class S, class R, class Space>
Activations<S, R, Space>::Activations(const GptConfig& config, const ModelPart& part,
                                      const PartShape& shape, std::int64_t attention)
    : gradients(static_cast<std::size_t>(shape.gradient_slots)) {
    for (const int slots : shape.slots) chunks.emplace_back(static_cast<std::size_t>(slots));
    using Real = compute_t<S>;
    ActivationArena<Real, Space> counter(nullptr);
    Placement<S, R, Space>(config, part, shape, counter).place(*this, attention);
    buffer_ = Buffer<Real, Space>(counter.used());
    ActivationArena<Real, Space> arena(buffer_.data());
    Placement<S, R, Space>(config, part, shape, arena).place(*this, attention);
    const std::int64_t positions = part.positions(shape.micro_batch, shape.sequence);
    for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) {
        for (auto& slot : chunks[chunk]) {
            if (part.chunks[chunk].embedding) slot.tokens = Buffer<Token, Space>(positions);
            if (part.chunks[chunk].head) slot.targets = Buffer<Target, Space>(positions);
        }
    }
}

template <class S, class R, class Space>
std::int64_t Activations<S, R, Space>::size_bytes() const noexcept {
    std::int64_t bytes = buffer_.size_bytes();
    for (const auto& chunk : chunks) {
        for (const auto& slot : chunk)
            bytes += slot.tokens.size_bytes() + slot.targets.size_bytes();
    }
    return bytes;
}

template class Activations<float>;
template class Activations<double>;
template class Activations<bf16>;
template class Activations<fp16>;
template class Activations<bf16, bf16>;
template class Activations<float, float, Paced>;
template class Activations<bf16, float, Paced>;
template class Activations<fp16, float, Paced>;
template class Activations<bf16, bf16, Paced>;
#ifdef SHARDSTONE_HAS_CUDA
template class Activations<float, float, Cuda>;
template class Activations<bf16, float, Cuda>;
template class Activations<fp16, float, Cuda>;
template class Activations<bf16, bf16, Cuda>;
#endif

}  // namespace shardstone::reference
