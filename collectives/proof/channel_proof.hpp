// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/proof/checker.hpp"
#include "collectives/proof/contributions.hpp"

namespace shardstone::collectives {

/// The first fault ends a proof; check_all_reduce catches it.
struct FaultFound {
    Fault fault;
};

[[noreturn]] void fault_at(int rank, const BlockTransfer& action, int block,
                           const std::string& what);

/// Parts 2 and 3 of the proof (checker.hpp) for one channel of all ranks, a round at a time.
class ChannelProof {
  public:
    /// `schedule` has passed the checks of form; `state` is carried on.
    ChannelProof(const Schedule& schedule, int channel, Contributions& state);

    /// Throws FaultFound.
    void run();

  private:
    using StepActions = std::span<const BlockTransfer>;

    int size() const { return static_cast<int>(left_.size()); }
    const StepActions& now(int rank) const { return now_[static_cast<std::size_t>(rank)]; }
    bool next_round();
    void check_matches(int rank) const;
    void collect(int rank);
    void apply(int rank);
    void apply(int rank, const BlockTransfer& action, int block, int item,
               std::span<const std::uint64_t> brought);

    Contributions& state_;
    bool moves_data_;  ///< between blocks, rather than from each block to the same one
    std::vector<StepActions> left_;        ///< of each rank, from the current round on
    std::vector<StepActions> now_;         ///< of each rank, the current round
    std::vector<std::uint64_t> incoming_;  ///< data of the round's receives, before any is applied
    std::vector<int> items_;               ///< of each block in incoming_
    std::size_t applied_ = 0;              ///< blocks
};

}  // namespace shardstone::collectives
