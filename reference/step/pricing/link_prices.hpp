// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
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
    latency,               ///< the start of messages
    between_nodes,         ///< bytes between nodes
    inside_nodes,          ///< bytes inside nodes, and reducing them
    waiting_for_cores,     ///< what was there, but not looked at
    slower_between_nodes,  ///< the rest, which the description does not explain
    slower_inside_nodes,
};

/// How much of every transfer and message of a step each piece is, by the description of a cluster:
/// latency at most what its schedule has of it, bytes at most what they cost, at the share of a NIC
/// or uplink that ranks have where they share one. Of what a transfer takes beyond that, ranks
/// waited for cores at most for as long as they were seen to be late, and the rest is the links':
/// each in proportion to the prices of bytes inside and between nodes. Transfers of a group are
/// beyond their description only as far as all of them in the step are together: several are under
/// way at once and share the links, so that one takes longer and the next is done the sooner.
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
        double bytes_s = 0.0;        ///< what they cost beyond that
        double between_share = 0.0;  ///< of what is not latency
        double links_share = 0.0;    ///< the same without reducing, which makes no link slower

        double total_s() const { return latency_s + bytes_s; }
        double excess_s(const StepTimes::Movement& whole) const {
            return std::max(0.0, whole.time_s - total_s());
        }
        /// `counted`: the share of the excess that others of its group do not make up for.
        double piece_s(LinkPiece piece, const StepTimes::Movement& whole, double counted) const;
    };

    static double counted(std::span<const Price> prices,
                          std::span<const StepTimes::Movement> whole);

    std::map<StepTimes::GroupKey, std::vector<Price>> of_transfers_;
    std::map<StepTimes::MessageKey, Price> of_messages_;
};

}  // namespace shardstone::reference
