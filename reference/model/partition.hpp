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
/// Of whole sequences (whole_attention.cpp).
const AttentionKind& whole_attention();

/// What the backward pass computes again instead of having kept it.
enum class Recompute : std::uint8_t {
    none,       ///< keeps every activation
    selective,  ///< the attention branch is computed again from its input
    full,       ///< whole blocks are computed again from their input
};

Recompute parse_recompute(std::string_view name);
std::string to_string(Recompute recompute);

/// What runs in one go: nothing waits for a message of another stage, and no weights come or go,
/// within a unit.
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

/// `total` cut into `parts` as evenly as whole numbers allow, the first ones larger.
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
    SequenceSplit sequence = {};  ///< of its positions all ranks of the tensor group have the same
    const AttentionKind* attention = &whole_attention();  ///< fits the split (attention.hpp)
    int expert_rank = 0;  ///< among those that share out the experts of each block
    int expert_ranks = 1;
    /// The token embedding, which embedding and head share, is also on another stage.
    bool embedding_is_shared = false;

    bool has_embedding() const { return !chunks.empty() && chunks.front().embedding; }
    bool has_head() const { return !chunks.empty() && chunks.back().head; }
    std::int64_t layers() const;
    /// Own positions of a micro-batch of so many sequences of so many positions.
    std::int64_t positions(std::int64_t micro_batch, std::int64_t length) const {
        return micro_batch * sequence.count(length);
    }
    /// Each tensor rank has only rows of its own of the residual stream.
    bool splits_rows() const { return sequence_parallel && tensor_ranks > 1; }
    EvenShare heads(const GptConfig& config) const {
        return even_share(config.heads, tensor_ranks, tensor_rank);
    }
    /// Of the 4C columns between the two products of an MLP.
    EvenShare hidden(const GptConfig& config) const {
        return even_share(4 * config.channels, tensor_ranks, tensor_rank);
    }
    /// Of the experts of each block.
    EvenShare experts(const GptConfig& config) const {
        return even_share(config.experts.count, expert_ranks, expert_rank);
    }
    /// Of the channels of what tensor ranks add to a row each on its own.
    EvenShare channels(const GptConfig& config) const {
        return even_share(config.channels, tensor_ranks, tensor_rank);
    }
    EvenShare vocabulary(const GptConfig& config) const {
        return even_share(config.vocabulary, tensor_ranks, tensor_rank);
    }
    /// Of `rows` own positions of the residual stream: the tensor rank's with sequence parallelism,
    /// else all.
    EvenShare stream_rows(std::int64_t rows) const {
        return sequence_parallel ? even_share(rows, tensor_ranks, tensor_rank) : EvenShare{0, rows};
    }
};

/// All of a model on one rank.
ModelPart whole_model(const GptConfig& config);

}  // namespace shardstone::reference
