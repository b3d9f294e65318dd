// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "collectives/cluster/native.hpp"
#include "collectives/executors/plan.hpp"
#include "collectives/executors/workspace.hpp"

namespace shardstone::collectives {

/// Sends and receives messages of a plan over MPI, to and from the workspace or the staging memory.
/// Which of them, when, and what becomes of a staged message is the executor's business. Each
/// channel has a tag of its own from the communicator's range, so several executors can be in
/// flight. Running allocates nothing.
class PlannedMessages {
  public:
    /// For the plan of a program of so many `channels`. The plan and the workspace outlive this and
    /// stay where they are. Collective.
    PlannedMessages(const Communicator& communicator, std::size_t channels,
                    const TransferPlan& plan, const Workspace& workspace);

    /// Begins message `m` of the step that channel `c` of the plan is in. Local, never waits.
    void post(std::size_t c, int step, std::size_t m);

    /// Calls through(c, m) for each message that has gone or come since the last look, which may
    /// post others. Returns whether there were any. Local, never waits.
    template <class Through>
    bool look(Through&& through) {
        const std::span<const int> finished = finished_requests();
        for (const int request : finished) {
            const auto [c, m] = owners_[static_cast<std::size_t>(request)];
            through(c, m);
        }
        return !finished.empty();
    }

    /// Messages that are posted and not yet through.
    int under_way() const noexcept { return under_way_; }

    std::span<const Transfer> transfers_of(std::size_t m) const {
        const Message& message = plan_.messages[m];
        return std::span(plan_.transfers)
            .subspan(static_cast<std::size_t>(message.begin),
                     static_cast<std::size_t>(message.end - message.begin));
    }
    /// Where a transfer lies while its message is staged.
    std::byte* staged(const Transfer& transfer) { return staging_.get() + transfer.staging_bytes; }

    std::int64_t bytes_sent() const noexcept { return bytes_sent_; }

  private:
    struct Owner {
        std::size_t channel = 0;
        std::size_t message = 0;
    };

    std::span<const int> finished_requests();
    std::byte* place_of(std::size_t m);
    void stage(std::size_t m);

    const TransferPlan& plan_;
    const Workspace& workspace_;
    MPI_Comm comm_;
    int first_tag_;
    std::unique_ptr<std::byte[]> staging_;
    std::vector<MPI_Request> requests_;
    std::vector<Owner> owners_;  ///< of each request
    std::vector<int> finished_;  ///< what MPI_Testsome reports into
    int under_way_ = 0;
    std::int64_t bytes_sent_ = 0;
};

}  // namespace shardstone::collectives
