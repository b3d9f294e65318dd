// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collectives/cluster/native.hpp"
#include "collectives/executors/plan.hpp"
#include "collectives/executors/workspace.hpp"

namespace shardstone::collectives {

/// Sends and receives messages of a plan over MPI, to and from the workspace or the staging memory.
/// The executor decides which of them, when, and what to do with a staged message. Each channel has
/// a tag of its own from the communicator's range, so several executors can be in flight. Running
/// allocates nothing.
class PlannedMessages {
  public:
    /// For the plan of a program of this many `channels`. The plan and the workspace outlive this
    /// object and do not move. Collective.
    PlannedMessages(const Communicator& communicator, std::size_t channels,
                    const TransferPlan& plan, const Workspace& workspace);

    /// Starts message `m` of the current step of its channel. Local, never blocks.
    void post(std::size_t m);

    /// Calls through(c, m) for each message completed since the last call, which may post others.
    /// Returns whether there were any. Local, never blocks.
    template <class Through>
    bool look(Through&& through) {
        const std::span<const int> finished = finished_requests();
        for (const int request : finished) {
            const std::size_t m = owners_[static_cast<std::size_t>(request)];
            through(envelopes_[m].channel, m);
        }
        return !finished.empty();
    }

    bool sends(std::size_t m) const { return envelopes_[m].sends; }
    /// Whether a part of it is reduced into data that a send of the same step still reads.
    bool after_sends(std::size_t m) const { return envelopes_[m].after_sends; }

    /// The pending ones of messages [begin, end): "8 KiB from rank 2, 8 KiB to rank 1".
    std::string pending(std::size_t begin, std::size_t end) const;

    /// Messages that are posted and not yet complete.
    int under_way() const noexcept { return under_way_; }

    std::span<const Transfer> transfers_of(std::size_t m) const {
        const PlannedMessage& message = plan_.messages[m];
        return std::span(plan_.transfers)
            .subspan(static_cast<std::size_t>(message.begin),
                     static_cast<std::size_t>(message.end - message.begin));
    }
    /// Location of a transfer while its message is staged.
    std::byte* staged(const Transfer& transfer) { return staging_.get() + transfer.staging_bytes; }

    std::int64_t bytes_sent() const noexcept { return bytes_sent_; }

  private:
    /// All MPI arguments of a message, computed in advance: a step of few bytes would otherwise
    /// take no longer than their lookup in the plan.
    struct Envelope {
        std::size_t channel = 0;  ///< of the plan
        std::size_t request = 0;
        std::byte* staging = nullptr;  ///< null when it is not staged
        Region region = Region::vector;
        bool sends = false;
        bool after_sends = false;
        std::int64_t offset_bytes = 0;
        int peer = 0;
        int tag = 0;
        int size_bytes = 0;
    };

    Envelope envelope_of(std::size_t m, std::size_t channel, std::size_t request);
    std::span<const int> finished_requests() {
        int finished = 0;
        SHARDSTONE_MPI(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &finished,
                                    finished_.data(), MPI_STATUSES_IGNORE));
        finished = std::max(finished, 0);  // MPI_UNDEFINED: none is under way
        under_way_ -= finished;
        return std::span(finished_).first(static_cast<std::size_t>(finished));
    }
    std::byte* place_of(const Envelope& envelope) const {
        return envelope.staging != nullptr ? envelope.staging
                                           : workspace_.at(envelope.region, envelope.offset_bytes);
    }
    void stage(std::size_t m);

    const TransferPlan& plan_;
    const Workspace& workspace_;
    MPI_Comm comm_;
    int first_tag_;
    std::unique_ptr<std::byte[]> staging_;
    std::vector<MPI_Request> requests_;
    std::vector<Envelope> envelopes_;  ///< of each message
    std::vector<std::size_t> owners_;  ///< the message of each request
    std::vector<int> finished_;        ///< what MPI_Testsome reports into
    int under_way_ = 0;
    std::int64_t bytes_sent_ = 0;
};

}  // namespace shardstone::collectives
