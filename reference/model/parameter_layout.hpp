// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/model/gpt.hpp"

namespace shardstone::reference {

/// Where a weight and its bias lie in the flat buffer; `end` is one past the later of the two, the
/// length of the prefix that is final once both gradients are.
struct AffineSlot {
    std::int64_t outputs = 0;
    std::int64_t inputs = 0;  ///< 0 for a norm, whose weight is a vector
    std::int64_t weight = 0;
    std::int64_t bias = 0;
    std::int64_t end = 0;
};

/// The parameters of one block, in the order in which backward finishes their gradients.
struct BlockSlots {
    AffineSlot mlp_projection, mlp_expansion, norm2, attention_projection, qkv, norm1;
};

/// How a tensor starts: mean + standard_deviation * N(0, 1).
struct InitialValue {
    float mean = 0.0F;
    float standard_deviation = 0.0F;
};

/// The flat buffer of one GPT: final norm, blocks from the last to the first, position embedding,
/// token embedding. A pure function of the configuration; no gaps.
class ParameterLayout {
  public:
    explicit ParameterLayout(const GptConfig& config);

    const std::vector<ParameterInfo>& parameters() const noexcept { return parameters_; }
    /// Of parameters()[i].
    const InitialValue& initial_value(std::size_t i) const { return initial_values_[i]; }
    std::int64_t count() const noexcept { return count_; }

    const AffineSlot& final_norm() const noexcept { return final_norm_; }
    const BlockSlots& block(std::int64_t layer) const {
        return blocks_[static_cast<std::size_t>(layer)];
    }
    std::int64_t position_embedding() const noexcept { return position_embedding_; }
    std::int64_t token_embedding() const noexcept { return token_embedding_; }

  private:
    std::int64_t add(std::string name, std::vector<std::int64_t> shape, InitialValue initial);
    AffineSlot add_norm(const std::string& name, std::int64_t channels);
    AffineSlot add_linear(const std::string& name, std::int64_t outputs, std::int64_t inputs,
                          float standard_deviation);
    BlockSlots add_block(const GptConfig& config, std::int64_t layer);

    std::vector<ParameterInfo> parameters_;
    std::vector<InitialValue> initial_values_;
    std::int64_t count_ = 0;
    AffineSlot final_norm_;
    std::vector<BlockSlots> blocks_;
    std::int64_t position_embedding_ = 0;
    std::int64_t token_embedding_ = 0;
};

}  // namespace shardstone::reference
