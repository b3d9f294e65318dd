// SPDX-License-Identifier: BSD-3-Clause
// Sizes of a rank's experts, from its part of the model.
#include "reference/model/experts/expert_part.hpp"

namespace shardstone::reference {

ExpertPart expert_part(const GptConfig& config, const ModelPart& part, std::int64_t micro_batch,
                       std::int64_t sequence) {
    const ExpertOptions& experts = config.experts;
    if (!experts.any()) return {};
    return {.experts = experts.count,
            .top_k = experts.top_k,
            .own = part.experts(config),
            .ranks = part.expert_ranks,
            .rank = part.expert_rank,
            .context_ranks = part.sequence.ranks,
            .sequences = micro_batch,
            .length = sequence,
            .positions = part.sequence.count(sequence),
            .slots = experts.slots(sequence)};
}

}  // namespace shardstone::reference
