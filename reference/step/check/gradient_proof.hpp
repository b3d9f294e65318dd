// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/step/check/range_cover.hpp"

namespace shardstone::reference {

/// The gradients of every parameter are summed over its replicas exactly once, after the last pass
/// that adds to them; before that, under sequence parallelism, over the tensor ranks that hold them
/// in full; after that, if they are those of the tied embedding, over its two copies. Under ZeRO-2
/// and 3 the first two happen once per micro-batch, and are over before the buffer of the gradients
/// is used again. The norm follows once all have ended.
class GradientProof : public RankProof {
  public:
    explicit GradientProof(const ProgramView& view);
    void see(std::size_t position, const Action& action, const Ended& ended) override;
    void finish() override {}

  private:
    /// Of one group.
    struct Sums {
        std::int64_t passes = 0;      ///< of the step that have added so far
        std::int64_t since_left = 0;  ///< since the gradients left their buffer, if they do
        std::int64_t micro_batch = 0;
        RangeCover over_tensor, over_data, over_copies;
    };

    void contribute(std::size_t position, std::size_t group, const Action& pass,
                    const Ended& ended);
    void enter_buffer(std::size_t position, std::size_t group, const Action& pass,
                      const Ended& ended);
    void reduce(std::size_t position, const GroupTransfer& transfer, const Ended& ended);
    void over_tensor(std::size_t position, std::size_t group, const GroupTransfer& transfer);
    void over_data(std::size_t position, std::size_t group, const GroupTransfer& transfer,
                   const Ended& ended);
    void over_copies(std::size_t position, std::size_t group, const GroupTransfer& transfer,
                     const Ended& ended);
    void require_over_tensor(std::size_t position, std::size_t group, const Range& range,
                             const Ended& ended) const;
    /// Requires that all sums except those over the copies have been formed and have ended.
    void require_reduced(std::size_t position, std::size_t group, const Ended& ended) const;
    void require_copies_added(std::size_t position, std::size_t group, const Ended& ended) const;

    bool leaves_every_micro_batch() const { return view_.state.sharding().gradients; }
    bool splits_rows() const { return view_.part.splits_rows(); }
    bool is_tied(std::size_t group) const;
    bool is_reduced(std::size_t group) const;
    const ParameterGroup& parameters(std::size_t group) const {
        return view_.layout.groups()[group];
    }
    Range all_of(std::size_t group) const {
        return {parameters(group).first, parameters(group).count};
    }
    /// Elements that every tensor rank holds in full.
    Range replicated_of(std::size_t group) const {
        const auto& held = parameters(group);
        return {held.end() - held.replicated, held.replicated};
    }

    std::vector<std::string> names_;                   ///< of groups, for complaints
    std::vector<std::int64_t> users_;                  ///< by group: units that add to it
    std::vector<Sums> sums_;                           ///< by group
    std::vector<std::optional<std::size_t>> buffers_;  ///< whose gradients are in them
    bool normed_ = false;
};

}  // namespace shardstone::reference
