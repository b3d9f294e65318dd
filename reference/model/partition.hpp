// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/model/gpt_config.hpp"
#include "reference/model/sequence_split.hpp"

namespace shardstone::reference {

struct AttentionKind;
/// Attention over whole sequences (whole_attention.cpp).
const AttentionKind& whole_attention();

/// Activations that the backward pass recomputes instead of keeping them.
enum class Recompute : std::uint8_t {
    none,       ///< keeps every activation
    selective,  ///< recomputes the attention branch from its input
    full,       ///< recomputes whole blocks from their input
};

Recompute parse_recompute(std::string_view name);
std::string to_string(Recompute recompute);

/// A part of the model executed without interruption: within a unit nothing waits for a message of
/// another stage, and no weights are gathered or released.
struct Unit {
    enum class Kind : std::uint8_t { embedding, block, head };

    Kind kind = Kind::block;
    std::int64_t layer = 0;  ///< of a block, counted over the whole model

    bool operator==(const Unit&) const = default;
};

/// Consecutive units of the model.
struct ModelChunk {
    std::int64_t first_layer = 0;
    std::int64_t layers = 0;
    bool embedding = false;  ///< begins with the embedding
    bool head = false;       ///< ends with the head

    /// In forward order.
    std::vector<Unit> units() const;
};

/// Share `part` of `total` divided into `parts` as evenly as possible, the first ones larger.
struct EvenShare {
    std::int64_t first = 0;
    std::int64_t count = 0;
};
EvenShare even_share(std::int64_t total, int parts, int part);

/// The part of a model that one rank holds.
struct ModelPart {
    std::vector<ModelChunk> chunks;  ///< in model order
    int tensor_rank = 0;
    int tensor_ranks = 1;
    bool sequence_parallel = false;
    SequenceSplit sequence = {};  ///< all ranks of a tensor group have the same positions
    const AttentionKind* attention = &whole_attention();  ///< fits the split (attention.hpp)
    int expert_rank = 0;  ///< among the ranks that share the experts of each block
    int expert_ranks = 1;
    /// Whether the token embedding, shared by embedding and head, is also on another stage.
    bool embedding_is_shared = false;

    bool has_embedding() const { return !chunks.empty() && chunks.front().embedding; }
    bool has_head() const { return !chunks.empty() && chunks.back().head; }
    std::int64_t layers() const;
    /// Own positions of a micro-batch of `micro_batch` sequences of `length` positions.
    std::int64_t positions(std::int64_t micro_batch, std::int64_t length) const {
        return micro_batch * sequence.count(length);
    }
    /// Whether each tensor rank has only its own rows of the residual stream.
    bool splits_rows() const { return sequence_parallel && tensor_ranks > 1; }
    EvenShare heads(const GptConfig& config) const {
        return even_share(config.heads, tensor_ranks, tensor_rank);
    }
    /// Share of the 4C columns between the two products of an MLP.
    EvenShare hidden(const GptConfig& config) const {
        return even_share(4 * config.channels, tensor_ranks, tensor_rank);
    }
    /// Share of the experts of each block.
    EvenShare experts(const GptConfig& config) const {
        return even_share(config.experts.count, expert_ranks, expert_rank);
    }
    /// Share of the channels of a row to which each tensor rank adds separately.
    EvenShare channels(const GptConfig& config) const {
        return even_share(config.channels, tensor_ranks, tensor_rank);
    }
    EvenShare vocabulary(const GptConfig& config) const {
        return even_share(config.vocabulary, tensor_ranks, tensor_rank);
    }
    /// Share of `rows` own positions of the residual stream: the tensor rank's with sequence
    /// parallelism, otherwise all.
    EvenShare stream_rows(std::int64_t rows) const {
        return sequence_parallel ? even_share(rows, tensor_ranks, tensor_rank) : EvenShare{0, rows};
    }
};

/// All of a model on one rank.
ModelPart whole_model(const GptConfig& config);

}  // namespace shardstone::reference
