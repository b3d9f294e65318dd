// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/step/check/range_cover.hpp"

namespace shardstone::reference {

/// Under ZeRO-1 and 2 every weight is gathered once from its owner after the update. Under ZeRO-3
/// the weights that a pass reads have been gathered, and waited for, since their buffer last held
/// others. Otherwise weights are not transferred.
class WeightProof : public RankProof {
  public:
    explicit WeightProof(const ProgramView& view);
    void see(std::size_t position, const Action& action, const Ended& ended) override;
    void finish() override;

  private:
    /// Of a group buffer.
    struct HeldWeights {
        std::optional<std::size_t> group;
        RangeCover gathered;
    };

    void gather(std::size_t position, const GroupTransfer& transfer, const Ended& ended);
    void gather_into_buffer(std::size_t position, const Range& range, const Ended& ended);
    void read(std::size_t position, const Action& pass, const Ended& ended) const;
    void read_group(std::size_t position, std::size_t group, const Ended& ended) const;

    std::vector<HeldWeights> buffers_;
    RangeCover after_update_;
    bool updated_ = false;
};

}  // namespace shardstone::reference
