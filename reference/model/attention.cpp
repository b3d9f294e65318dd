// SPDX-License-Identifier: BSD-3-Clause
// What a rank's attention is about follows from its part of the model.
#include "reference/model/attention.hpp"

namespace shardstone::reference {

AttentionPart attention_part(const GptConfig& config, const ModelPart& part,
                             std::int64_t micro_batch, std::int64_t sequence) {
    return {micro_batch, sequence, part.heads(config).count, config.head_size(), part.sequence};
}

}  // namespace shardstone::reference
