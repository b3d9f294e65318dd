// SPDX-License-Identifier: BSD-3-Clause
#include "reference/model/memory_formula.hpp"

#include <algorithm>
#include <vector>

#include "reference/model/token.hpp"

namespace shardstone::reference {

namespace {

/// Who keeps a tensor from the forward to the backward pass.
enum class Kept : std::uint8_t {
    always,
    unless_full,      ///< all but recompute=full
    with_none,        ///< only recompute=none
    for_split_halves  ///< only a split backward pass, between its halves
};

/// A tensor of (rows, columns).
struct Tensor {
    std::int64_t rows;
    std::int64_t columns;
    Kept kept = Kept::always;
};

/// Every tensor starts at a whole cache line of 16 floats.
std::int64_t padded(std::int64_t elements) {
    return (elements + 15) / 16 * 16;
}

/// The tables. Of all = B T positions, own = those whose residual stream this rank has: sequence
/// parallelism shares them out; tensor parallelism h (heads), f (hidden columns of the MLP) and v
/// (tokens of the vocabulary). c = channels, d = channels of a head.
struct Tables {
    Tables(const GptConfig& config, const ModelPart& part, const PartShape& shape)
        : all(shape.positions()),
          own(part.stream_rows(all).count),
          c(config.channels),
          d(config.head_size()),
          h(part.heads(config).count),
          f(part.hidden(config).count),
          v(part.vocabulary(config).count),
          sequence(shape.sequence),
          shares(part.tensor_ranks > 1),
          splits_rows(part.splits_rows()) {}

    /// Of each block, per slot.
    std::vector<Tensor> block() const {
        return {
            {own, c, Kept::with_none},                 // attention: norm
            {own, 1, Kept::with_none},                 //   its mean
            {own, 1, Kept::with_none},                 //   its rstd
            {all, 3 * h * d, Kept::with_none},         //   queries, keys, values
            {all, h * d, Kept::with_none},             //   heads
            {all, h, Kept::with_none},                 //   log-sum-exp of the scores
            {own, c, Kept::unless_full},               // stream between the branches
            {own, c, Kept::unless_full},               // MLP: norm
            {own, 1, Kept::unless_full},               //   its mean
            {own, 1, Kept::unless_full},               //   its rstd
            {all, f, Kept::unless_full},               //   before GELU
            {all, f, Kept::unless_full},               //   after GELU
            {own, c},                                  // stream out of the block
            {all, c, Kept::for_split_halves},          // gradient of the MLP's output
            {all, f, Kept::for_split_halves},          //   of the columns before GELU
            {own, c, Kept::for_split_halves},          //   of its norm
            {all, c, Kept::for_split_halves},          // gradient of attention's output
            {all, 3 * h * d, Kept::for_split_halves},  //   of queries, keys, values
            {own, c, Kept::for_split_halves},          //   of its norm
        };
    }
    /// Of each chunk, per slot: what enters it.
    std::vector<Tensor> chunk() const { return {{own, c}}; }
    std::vector<Tensor> embedding() const { return {{all, c, Kept::for_split_halves}}; }
    std::vector<Tensor> head() const {
        return {
            {own, c},                          // norm
            {own, 1},                          //   its mean
            {own, 1},                          //   its rstd
            {all, padded(v)},                  // logits
            {all, 1},                          // log-sum-exp
            {own, c, Kept::for_split_halves},  // gradient of the norm's output
        };
    }
    std::vector<Tensor> gradient_slot() const { return {{own, c}}; }
    /// Once: the gradient on its way through a layer, and rows of other ranks.
    std::vector<Tensor> workspace() const { return {{all, c}, {splits_rows ? all : 0, c}}; }
    /// Once, if there are blocks: the gradient of the widest columns, and the scores of a block of
    /// 64 queries with their gradient.
    std::vector<Tensor> block_workspace() const {
        return {{all, std::max(3 * h * d, f)},
                {2 * std::min<std::int64_t>(64, sequence), sequence}};
    }
    /// Once, if there is a head: maximum, sum and target of each row of logits.
    std::vector<Tensor> head_workspace() const {
        return {{shares ? all : 0, 1}, {shares ? 2 * all : 0, 1}};
    }

    std::int64_t all, own, c, d, h, f, v, sequence;
    bool shares, splits_rows;
};

class Sum {
  public:
    explicit Sum(const PartShape& shape) : shape_(shape) {}

    bool keeps(Kept kept) const {
        switch (kept) {
            case Kept::always:
                return true;
            case Kept::unless_full:
                return shape_.recompute != Recompute::full;
            case Kept::with_none:
                return shape_.recompute == Recompute::none;
            case Kept::for_split_halves:
                return shape_.splits_backward;
        }
        return true;
    }
    std::int64_t of(const std::vector<Tensor>& table) const {
        std::int64_t elements = 0;
        for (const Tensor& tensor : table) {
            if (keeps(tensor.kept)) elements += padded(tensor.rows * tensor.columns);
        }
        return elements;
    }
    /// What is recomputed is there once, for the block whose turn it is.
    std::int64_t recomputed(const std::vector<Tensor>& table) const {
        std::int64_t elements = 0;
        for (const Tensor& tensor : table) {
            if (keeps(tensor.kept) || tensor.kept == Kept::for_split_halves) continue;
            elements += padded(tensor.rows * tensor.columns);
        }
        return elements;
    }

  private:
    const PartShape& shape_;
};

}  // namespace

std::int64_t expected_parameters(const GptConfig& config, const ModelPart& part) {
    const std::int64_t c = config.channels;
    const std::int64_t own = part.heads(config).count * config.head_size();
    const std::int64_t hidden = part.hidden(config).count;
    // Weights (3 own, c), (c, own), (hidden, c), (c, hidden) and their biases; two norms.
    const std::int64_t block = 4 * own * c + 2 * hidden * c + 3 * own + hidden + 2 * c + 4 * c;
    std::int64_t count = part.layers() * block;
    if (part.has_head()) count += 2 * c;
    if (part.has_embedding()) count += config.context * c;
    if (part.has_embedding() || part.has_head()) count += part.vocabulary(config).count * c;
    return count;
}

template <class Real>
std::int64_t expected_activations_bytes(const GptConfig& config, const ModelPart& part,
                                        const PartShape& shape) {
    const Tables tables(config, part, shape);
    const Sum sum(shape);
    std::int64_t elements =
        shape.gradient_slots * sum.of(tables.gradient_slot()) + sum.of(tables.workspace());
    std::size_t data_bytes = 0;
    for (std::size_t i = 0; i < part.chunks.size(); ++i) {
        const ModelChunk& chunk = part.chunks[i];
        const std::int64_t slots = shape.slots[i];
        elements += slots * (sum.of(tables.chunk()) + chunk.layers * sum.of(tables.block()));
        if (chunk.embedding) elements += slots * sum.of(tables.embedding());
        if (chunk.head) elements += slots * sum.of(tables.head());
        const std::size_t per_position =
            (chunk.embedding ? sizeof(Token) : 0) + (chunk.head ? sizeof(Target) : 0);
        data_bytes += static_cast<std::size_t>(slots * shape.positions()) * per_position;
    }
    if (part.layers() > 0) {
        elements += sum.recomputed(tables.block()) + sum.of(tables.block_workspace());
    }
    if (part.has_head()) elements += sum.of(tables.head_workspace());
    return elements * static_cast<std::int64_t>(sizeof(Real)) +
           static_cast<std::int64_t>(data_bytes);
}

template std::int64_t expected_activations_bytes<float>(const GptConfig&, const ModelPart&,
                                                        const PartShape&);
template std::int64_t expected_activations_bytes<double>(const GptConfig&, const ModelPart&,
                                                         const PartShape&);

}  // namespace shardstone::reference
