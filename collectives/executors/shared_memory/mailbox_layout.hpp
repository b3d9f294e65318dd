// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "collectives/cluster/shared_window.hpp"
#include "collectives/executors/plan.hpp"
#include "collectives/executors/shared_memory/mailbox.hpp"
#include "collectives/operation/spec.hpp"

namespace shardstone::collectives {

/// Locations of the mailboxes of a collective, between ranks of one node, each with its window. The
/// part of a rank in it holds its doorbell, a table of its mailboxes by sender and channel, and the
/// mailboxes from which it receives.
class MailboxLayout {
  public:
    /// Collective: ranks agree on the size of a piece and on the longest part. The communicator,
    /// with its topology, outlives this.
    MailboxLayout(const Communicator& communicator, const RankProgram& program,
                  const VectorSpec& vector, const TransferPlan& plan);

    std::int64_t part_bytes() const;

    static Doorbell& bell(const SharedWindow& window, int lane) {
        return window.at<Doorbell>(lane, 0);
    }
    /// Writes this rank's table. All ranks must do so before any of them opens a mailbox.
    void publish(const SharedWindow& window, const TransferPlan& plan) const;
    /// This rank's end of the mailbox of a transfer; none between nodes.
    std::optional<Mailbox> open(const SharedWindow& window, const Transfer& transfer) const;

  private:
    std::set<std::pair<int, int>> inboxes(const TransferPlan& plan) const;
    std::int64_t entry(int lane, int channel) const;
    std::int64_t mailbox(std::int64_t index) const;

    const Topology& topology_;
    int node_;
    int channels_;
    std::int64_t mailboxes_;  ///< of the rank with the most
    std::int64_t piece_bytes_;
};

}  // namespace shardstone::collectives
