// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/model/partition.hpp"
#include "reference/model/tensor_piece.hpp"

namespace shardstone::reference {

/// A rank's part of one named tensor of the model.
struct ParameterInfo {
    std::string name;                 ///< e.g. "blocks.3.attention.qkv.weight"
    std::vector<std::int64_t> shape;  ///< of the whole tensor, e.g. (3C, C)
    std::int64_t offset = 0;          ///< first local element in the rank's flat buffer
    std::int64_t count = 0;           ///< local elements
    bool decay = false;               ///< weight decay applies (matrices yes; biases, norms no)
    bool replicated = false;          ///< every rank of the tensor group holds all of it
    bool copy = false;  ///< whether it is the token embedding on a last stage that is not the first
    TensorCut cut;      ///< the local elements
    float initial_mean = 0.0F;       ///< of all elements; they are equal if the deviation is 0
    float initial_deviation = 0.0F;  ///< if not 0, initial values are deviation * N(0, 1)

    /// The local elements in order: for a matrix cut by columns, one piece per row.
    std::vector<TensorPiece> pieces() const {
        return pieces_of(cut, shape.size() > 1 ? shape.back() : 1);
    }
};

/// Parameters that are gathered, released and reduced together: contiguous in the flat buffer,
/// first those divided among the tensor ranks, then those that each of them holds in full.
struct ParameterGroup {
    enum class Kind : std::uint8_t { final_norm, experts, block, position, token };

    Kind kind = Kind::block;
    std::int64_t layer = 0;  ///< of a block or its experts
    std::int64_t first = 0;  ///< in the flat buffer
    std::int64_t count = 0;
    std::int64_t replicated = 0;  ///< elements at the end that every tensor rank holds in full

    std::int64_t end() const { return first + count; }
    /// Whether it is one of the groups of each block.
    bool is_of_block() const { return kind == Kind::block || kind == Kind::experts; }
};

/// Number of named tensors of a whole model.
std::int64_t tensor_count(const GptConfig& config);

/// A linear layer (weight (outputs, inputs), bias (outputs)) or a norm (inputs = 0, weight and bias
/// (outputs)) within its group; offsets count from the group's first element.
struct AffineSlot {
    std::int64_t outputs = 0;
    std::int64_t inputs = 0;
    std::int64_t weight = 0;
    std::int64_t bias = 0;
};

/// One of the rank's experts. The bias of the projection is cut into the tensor ranks' shares of
/// the channels, unlike its weight, of which each rank has all outputs.
struct ExpertSlots {
    AffineSlot projection, expansion;
};

/// The layers of one block; the same in all blocks. With experts it has no MLP of its own.
struct BlockSlots {
    AffineSlot mlp_projection, mlp_expansion, norm2, attention_projection, qkv, norm1;
    AffineSlot router;  ///< without bias
    std::vector<ExpertSlots> experts;
};

/// The flat buffer of one rank, in the order in which backward passes finish the gradients: final
/// norm, blocks from the last to the first, each after its experts, position embedding, token
/// embedding, those of them that the rank holds. No gaps. A pure function of configuration and
/// part.
class ParameterLayout {
  public:
    ParameterLayout(const GptConfig& config, const ModelPart& part);
    explicit ParameterLayout(const GptConfig& config)
        : ParameterLayout(config, whole_model(config)) {}

    const std::vector<ParameterInfo>& parameters() const noexcept { return parameters_; }
    const std::vector<ParameterGroup>& groups() const noexcept { return groups_; }
    std::int64_t count() const noexcept { return count_; }

    /// Index into groups(); the group is in this part.
    std::size_t group_index(ParameterGroup::Kind kind, std::int64_t layer = 0) const;
    bool has_experts() const noexcept { return !block_.experts.empty(); }
    /// The groups whose weights a unit's passes read and whose gradients its backward pass adds to:
    /// a block's own, with its experts; position and token; final norm and token.
    std::vector<std::size_t> groups_of(const Unit& unit) const;

    const AffineSlot& final_norm() const noexcept { return final_norm_; }
    const BlockSlots& block() const noexcept { return block_; }

  private:
    class Writer;

    std::vector<ParameterInfo> parameters_;
    std::vector<ParameterGroup> groups_;
    std::int64_t count_ = 0;
    AffineSlot final_norm_;
    BlockSlots block_;
};

}  // namespace shardstone::reference
