// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "reference/step/memory_model.hpp"
#include "reference/step/pricing/machine.hpp"
#include "reference/step/pricing/step_times.hpp"

namespace shardstone::reference {

/// What the time of a transfer or message is made of.
enum class LinkPiece : std::uint8_t {
    latency,        ///< the start of messages
    between_nodes,  ///< bytes between nodes
    inside_nodes,   ///< bytes inside nodes, and reducing them
};

/// How much of every transfer and message of a step each piece is, by the description of a cluster:
/// latency at most what its schedule has of it, the rest of what was measured in proportion to the
/// prices of its bytes.
class LinkPrices {
  public:
    /// The spec is valid, the programs are its own, of all ranks. Throws Error if the machine has
    /// too few ranks.
    LinkPrices(const StepSpec& spec, const Machine& machine, const MemoryOptions& memory,
               std::span<const StepProgram> programs);

    /// Takes `share` of the piece out of every transfer and message in `left`, as it was in
    /// `whole`; both are of these programs.
    void shorten(LinkPiece piece, double share, const StepTimes& whole, StepTimes& left) const;

  private:
    struct Price {
        double latency_s = 0.0;
        double between_share = 0.0;  ///< of what is not latency

        double piece_s(LinkPiece piece, double whole_s) const;
    };

    std::map<StepTimes::GroupKey, std::vector<Price>> of_transfers_;
    std::map<StepTimes::MessageKey, Price> of_messages_;
};

}  // namespace shardstone::reference
