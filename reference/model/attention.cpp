// SPDX-License-Identifier: BSD-3-Clause
// Sizes of a rank's attention, and thereby its phases, from its part of the model.
#include "reference/model/attention.hpp"

namespace shardstone::reference {

AttentionPart attention_part(const GptConfig& config, const ModelPart& part,
                             std::int64_t micro_batch, std::int64_t sequence) {
    return {micro_batch, sequence, part.heads(config).count, config.head_size(), part.sequence};
}

PhaseShape phase_shape(const GptConfig& config, const ModelPart& part, std::int64_t micro_batch,
                       std::int64_t sequence, Recompute recompute) {
    return {part.positions(micro_batch, sequence),
            config.channels,
            part.tensor_ranks,
            part.splits_rows(),
            recompute,
            part.attention->steps(attention_part(config, part, micro_batch, sequence)),
            expert_part(config, part, micro_batch, sequence)};
}

}  // namespace shardstone::reference
