// SPDX-License-Identifier: BSD-3-Clause
// Closed forms for a rank's parameters and activation bytes, from tables of every tensor it keeps.
#include "reference/model/memory_formula.hpp"

#include <algorithm>
#include <vector>

#include "reference/model/attention.hpp"
#include "reference/model/experts/expert_part.hpp"
#include "reference/model/kept_tensor.hpp"
#include "reference/model/token.hpp"

namespace shardstone::reference {

namespace {

/// Every tensor, and every row of logits, starts at a whole cache line of 16 floats or doubles.
std::int64_t padded(std::int64_t elements, std::int64_t line) {
    return (elements + line - 1) / line * line;
}

/// The tables. all = the rank's positions of B sequences, own = those of them whose residual stream
/// this tensor rank has: sequence parallelism distributes them; tensor parallelism distributes h
/// (heads), f (hidden columns of the MLP) and v (tokens of the vocabulary). c = channels, d =
/// channels of a head. Inputs and outputs of products take `stored` bytes per element, the residual
/// stream and its gradient `stream`, everything else those of a Real.
struct Tables {
    Tables(const GptConfig& config, const ModelPart& part, const PartShape& shape,
           std::int64_t real_bytes)
        : all(part.positions(shape.micro_batch, shape.sequence)),
          own(part.stream_rows(all).count),
          c(config.channels),
          d(config.head_size()),
          h(part.heads(config).count),
          f(part.hidden(config).count),
          v(part.vocabulary(config).count),
          real(real_bytes),
          stored(storage_bytes(shape.storage, real)),
          stream(storage_bytes(shape.stream, real)),
          fp8(shape.fp8_products),
          shares(part.tensor_ranks > 1),
          splits_rows(part.splits_rows()),
          experts(expert_part(config, part, shape.micro_batch, shape.sequence)),
          m(experts.any() ? experts.received_rows() : all),
          attention(part.attention->workspace(
              attention_part(config, part, shape.micro_batch, shape.sequence),
              {real, stored, shape.on_gpu})) {}

    /// Of each block, per slot.
    std::vector<KeptTensor> block() const {
        std::vector<KeptTensor> table{
            {"attention: norm", own, c, Kept::with_none, stored},
            {"attention: norm's mean", own, 1, Kept::with_none},
            {"attention: norm's rstd", own, 1, Kept::with_none},
            {"attention: queries, keys, values", all, 3 * h * d, Kept::with_none, stored},
            {"attention: heads", all, h * d, Kept::with_none, stored},
            {"attention: log-sum-exp", all, h, Kept::with_none},
            {"stream between the branches", own, c, Kept::unless_full, stream},
            {"mlp: norm", own, c, Kept::unless_full, stored},
            {"mlp: norm's mean", own, 1, Kept::unless_full},
            {"mlp: norm's rstd", own, 1, Kept::unless_full},
            {"mlp: before GELU", m, f, Kept::unless_full, stored},
            {"mlp: after GELU", m, f, Kept::unless_full, stored},
            {"stream out of the block", own, c, Kept::always, stream},
            {"mlp: gradient of the output", m, c, Kept::for_split_halves, stored},
            {"mlp: gradient before GELU", m, f, Kept::for_split_halves, stored},
            {"mlp: gradient of the norm", own, c, Kept::for_split_halves, stream},
            {"attention: gradient of the output", all, c, Kept::for_split_halves, stored},
            {"attention: gradient of q, k, v", all, 3 * h * d, Kept::for_split_halves, stored},
            {"attention: gradient of the norm", own, c, Kept::for_split_halves, stream},
        };
        const auto of_experts = routing();
        table.insert(table.end(), of_experts.begin(), of_experts.end());
        return table;
    }
    /// Of each block with experts e, of which each position picks k, besides the tables' mlp, whose
    /// rows m are those that the own experts receive.
    std::vector<KeptTensor> routing() const {
        if (!experts.any()) return {};
        const std::int64_t e = experts.experts, k = experts.top_k;
        constexpr std::int64_t index = sizeof(std::int32_t);
        return {
            {"router: probabilities", all, e, Kept::unless_full},
            {"router: log-sum-exp", all, 1, Kept::unless_full},
            {"router: picks of a sequence", experts.sequences, e, Kept::unless_full},
            {"router: choices", all, k, Kept::unless_full, index},
            {"router: their rows", all, k, Kept::unless_full, index},
            {"experts: rows of ranks", experts.has_capacity() ? 0 : experts.ranks, e,
             Kept::unless_full},
            {"experts: received", m, c, Kept::unless_full, stored},
            {"experts: returned", experts.sent_rows(), c, Kept::unless_full, stored},
            {"router: gradient of the logits", all, e, Kept::for_split_halves},
        };
    }
    /// Of each chunk, per slot: its input.
    std::vector<KeptTensor> chunk() const {
        return {{"stream into the chunk", own, c, Kept::always, stream}};
    }
    std::vector<KeptTensor> embedding() const {
        return {{"gradient of the embedding", all, c, Kept::for_split_halves, stream}};
    }
    std::vector<KeptTensor> head() const {
        return {
            {"norm", own, c, Kept::always, stored},
            {"norm's mean", own, 1},
            {"norm's rstd", own, 1},
            {"logits", all, padded(v, 16 * real / stored), Kept::always, stored},
            {"log-sum-exp", all, 1},
            {"gradient of the norm", own, c, Kept::for_split_halves, stream},
        };
    }
    std::vector<KeptTensor> gradient_slot() const {
        return {{"gradient of the stream", own, c, Kept::always, stream}};
    }
    /// Once: the gradient within a layer, and rows of other ranks.
    std::vector<KeptTensor> workspace() const {
        return {{"gradient within a layer", all, c, Kept::always, stream},
                {"rows of other ranks", splits_rows ? all : 0, c, Kept::always, stream}};
    }
    /// Once, if there are blocks: the gradient of the widest columns. If products read narrow
    /// numbers, also the gradient of a branch's output in their type; if they are in FP8, two
    /// factors.
    std::vector<KeptTensor> block_workspace() const {
        const std::int64_t widest = std::max({c, 3 * h * d, f});
        const bool has = experts.any();
        return {{"gradient of the widest columns", std::max(all * 3 * h * d, m * f), 1,
                 Kept::always, stored},
                {"rows of experts", has ? m : 0, c, Kept::always, stored},
                {"gradients of rows of experts", has ? m : 0, c, Kept::always, stored},
                {"bias of an expert", has ? 1 : 0, c, Kept::always, stored},
                {"gradients of gates", has ? all : 0, experts.top_k},
                {"gradients of the router's logits", has ? all : 0, experts.experts},
                {"gradient of a branch", stored < stream && !splits_rows ? all : 0, c, Kept::always,
                 stored},
                {"left factor in FP8", fp8 ? all : 0, widest, Kept::always, stored},
                {"right factor in FP8", fp8 ? std::max(all, c) : 0, widest, Kept::always, stored}};
    }
    /// Once, if there is a head: maximum, sum and target of each row of logits.
    std::vector<KeptTensor> head_workspace() const {
        return {{"maxima", shares ? all : 0, 1}, {"sums and targets", shares ? 2 * all : 0, 1}};
    }

    std::int64_t all, own, c, d, h, f, v, real, stored, stream;
    bool fp8, shares, splits_rows;
    ExpertPart experts;
    std::int64_t m;                     ///< rows between the two products of an MLP or of experts
    std::vector<KeptTensor> attention;  ///< once, if there are blocks
};

template <class Real>
KeptMemory keeping(const PartShape& shape) {
    return {.recompute = shape.recompute,
            .splits_backward = shape.splits_backward,
            .element_bytes = sizeof(Real),
            .alignment_bytes = 16 * static_cast<std::int64_t>(sizeof(Real))};
}

}  // namespace

std::int64_t expected_parameters(const GptConfig& config, const ModelPart& part,
                                 ParameterGroup::Kind kind) {
    using Kind = ParameterGroup::Kind;
    const std::int64_t c = config.channels;
    const std::int64_t own = part.heads(config).count * config.head_size();
    const std::int64_t hidden = part.hidden(config).count;
    const bool has_experts = config.experts.any();
    // Weights (hidden, c), (c, hidden), bias of the first.
    const std::int64_t mlp = 2 * hidden * c + hidden;
    switch (kind) {
        case Kind::final_norm:
            return part.has_head() ? 2 * c : 0;
        case Kind::experts:
            return has_experts ? part.experts(config).count * (mlp + part.channels(config).count)
                               : 0;
        case Kind::block:
            // Weights (3 own, c), (c, own), their biases, two norms; an MLP, or the router (E, c).
            return 4 * own * c + 3 * own + c + 4 * c +
                   (has_experts ? config.experts.count * c : mlp + c);
        case Kind::position:
            return part.has_embedding() ? config.context * c : 0;
        case Kind::token:
            break;
    }
    const bool held = part.has_embedding() || part.has_head();
    return held ? part.vocabulary(config).count * c : 0;
}

std::int64_t expected_parameters(const GptConfig& config, const ModelPart& part) {
    using Kind = ParameterGroup::Kind;
    std::int64_t count = part.layers() * (expected_parameters(config, part, Kind::block) +
                                          expected_parameters(config, part, Kind::experts));
    for (const Kind kind : {Kind::final_norm, Kind::position, Kind::token}) {
        count += expected_parameters(config, part, kind);
    }
    return count;
}

template <class Real>
std::int64_t expected_activations_bytes(const GptConfig& config, const ModelPart& part,
                                        const PartShape& shape) {
    const Tables tables(config, part, shape, sizeof(Real));
    const KeptMemory memory = keeping<Real>(shape);
    std::int64_t bytes = shape.gradient_slots * memory.kept(tables.gradient_slot()) +
                         memory.kept(tables.workspace());
    for (std::size_t i = 0; i < part.chunks.size(); ++i) {
        const ModelChunk& chunk = part.chunks[i];
        std::int64_t slot = memory.kept(tables.chunk());
        slot += chunk.layers * memory.kept(tables.block());
        if (chunk.embedding) slot += memory.kept(tables.embedding());
        if (chunk.head) slot += memory.kept(tables.head());
        const std::size_t per_position =
            (chunk.embedding ? sizeof(Token) : 0) + (chunk.head ? sizeof(Target) : 0);
        slot += tables.all * static_cast<std::int64_t>(per_position);
        bytes += shape.slots[i] * slot;
    }
    if (part.layers() > 0) {
        bytes += memory.recomputed(tables.block()) + memory.kept(tables.block_workspace()) +
                 memory.kept(tables.attention);
    }
    if (part.has_head()) bytes += memory.kept(tables.head_workspace());
    return bytes;
}

template std::int64_t expected_activations_bytes<float>(const GptConfig&, const ModelPart&,
                                                        const PartShape&);
template std::int64_t expected_activations_bytes<double>(const GptConfig&, const ModelPart&,
                                                         const PartShape&);

}  // namespace shardstone::reference
