// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/cluster/shared_window.hpp"
#include "collectives/executors/plan.hpp"
#include "collectives/executors/shared_memory_mailbox.hpp"
#include "collectives/operation/spec.hpp"

namespace shardstone::collectives {

/// Where the mailboxes of a collective are. The part of a rank in the window holds its doorbell, a
/// table of where its mailboxes are by sender and channel, and the mailboxes it receives from.
class MailboxLayout {
  public:
    /// Collective: ranks agree on the size of a piece and on the longest part.
    MailboxLayout(const Communicator& communicator, const RankProgram& program,
                  const VectorSpec& vector, const TransferPlan& plan);

    std::int64_t part_bytes() const;

    static Doorbell& bell(const SharedWindow& window, int rank) {
        return window.at<Doorbell>(rank, 0);
    }
    /// Writes this rank's table. All ranks do so before any of them opens a mailbox.
    void publish(const SharedWindow& window, const TransferPlan& plan) const;
    /// The mailbox that a transfer goes through, from the end that this rank is at.
    Mailbox open(const SharedWindow& window, const Transfer& transfer) const;

  private:
    std::int64_t entry(int sender, int channel) const;
    std::int64_t mailbox(std::int64_t index) const;

    int ranks_;
    int channels_;
    std::int64_t mailboxes_;  ///< of the rank with the most
    std::int64_t piece_bytes_;
};

}  // namespace shardstone::collectives
