// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/activations.hpp"

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
    NormActivations<Real> take_norm(std::int64_t rows, std::int64_t channels) {
        return {take(rows, channels), take(rows), take(rows)};
    }
    std::int64_t used() const { return used_; }

  private:
    Real* memory_;
    std::int64_t used_ = 0;
};

template <class Real>
HeadActivations<Real> take_head(Arena<Real>& arena, std::int64_t rows, const GptConfig& config) {
    HeadActivations<Real> head;
    head.norm = arena.take_norm(rows, config.channels);
    head.logits = arena.take(rows, round_up(config.vocabulary));
    head.logits.columns = config.vocabulary;
    head.log_sum_exp = arena.take(rows);
    return head;
}

/// Lays everything out; the same calls count first and hand out afterwards.
template <class Real>
void place(Activations<Real>& all, const GptConfig& config, Arena<Real>& arena) {
    const std::int64_t c = config.channels;
    const std::int64_t rows = all.attention_shape.batch * all.attention_shape.sequence;
    all.embedded = arena.take(rows, c);
    for (auto& block : all.attention) {
        block.norm = arena.take_norm(rows, c);
        block.qkv = arena.take(rows, 3 * c);
        block.heads = arena.take(rows, c);
        block.log_sum_exp = arena.take(rows * config.heads);
        block.out = arena.take(rows, c);
    }
    for (auto& block : all.mlp) {
        block.norm = arena.take_norm(rows, c);
        block.expanded = arena.take(rows, 4 * c);
        block.activated = arena.take(rows, 4 * c);
        block.out = arena.take(rows, c);
    }
    all.head = take_head(arena, rows, config);
    all.workspace.d_residual = arena.take(rows, c);
    all.workspace.d_branch = arena.take(rows, c);
    all.workspace.d_wide = arena.take(rows, 4 * c);
    all.workspace.attention = arena.take(all.attention_shape.scratch_elements());
}

}  // namespace

template <class Real>
Activations<Real>::Activations(const GptConfig& config, std::int64_t micro_batch,
                               std::int64_t sequence)
    : attention(static_cast<std::size_t>(config.layers)),
      mlp(static_cast<std::size_t>(config.layers)),
      attention_shape{micro_batch, sequence, config.heads, config.head_size()} {
    Arena<Real> counter(nullptr);
    place(*this, config, counter);
    buffer_ = Buffer<Real>(counter.used());
    Arena<Real> arena(buffer_.data());
    place(*this, config, arena);
}

template class Activations<float>;
template class Activations<double>;

}  // namespace shardstone::reference
