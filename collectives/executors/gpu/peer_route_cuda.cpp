// SPDX-License-Identifier: BSD-3-Clause
// Messages that one GPU copies into the memory of another on its host, by CUDA IPC. The receiver
// tells where, as soon as it may be written to; the sender copies, and tells when it has. Both is
// said by small messages of MPI, so that nobody waits for a third one.
#include "collectives/device/exported_memory_cuda.hpp"
#include "collectives/executors/gpu/message_route_cuda.hpp"

namespace shardstone::collectives {

namespace {

/// From receiver to sender.
struct Permit {
    cudaIpcMemHandle_t memory;
    std::int64_t offset_bytes;
    std::uint64_t message;  ///< its number on the receiver
};

class PeerRoute final : public MessageRoute {
  public:
    PeerRoute(const Communicator& communicator, int channels, const TransferPlan& plan,
              const Workspace& workspace)
        : MessageRoute(
              communicator, plan, workspace,
              address(plan, communicator.native().take_tags(2 * channels), Placed::received), 2),
          channels_(channels),
          first_permit_(static_cast<std::size_t>(plan.requests)),
          staging_(exported_memory(room_bytes())),
          permits_(first_permit_),
          notices_(first_permit_) {}

    const std::byte* arrived(std::size_t m) const override {
        return staging_.data.get() + envelope(m).offset_bytes;
    }

  private:
    /// Each of the plan's requests is that of a notice, and has one of a permit.
    std::size_t permit_request(std::size_t m) const { return first_permit_ + envelope(m).request; }
    int permit_tag(std::size_t m) const { return envelope(m).tag + channels_; }
    Permit& permit(std::size_t m) { return permits_[envelope(m).request]; }
    std::uint64_t& notice(std::size_t m) { return notices_[envelope(m).request]; }

    bool is_copied(std::size_t) const override { return true; }

    void start_receive(std::size_t m) override {
        permit(m) = {staging_.handle, envelope(m).offset_bytes, m};
        ++sending(m);
        post_send(m, &permit(m), sizeof(Permit), permit_tag(m), permit_request(m));
        post_receive(m, &notice(m), sizeof(std::uint64_t), envelope(m).tag, envelope(m).request);
    }

    void start_send(std::size_t m) override {
        post_receive(m, &permit(m), sizeof(Permit), permit_tag(m), permit_request(m));
    }

    void leave(std::size_t m) override {
        notice(m) = permit(m).message;
        post_send(m, &notice(m), sizeof(std::uint64_t), envelope(m).tag, envelope(m).request);
    }

    void complete(std::size_t request, std::size_t m) override {
        const bool is_permit = request >= first_permit_;
        if (is_permit && envelope(m).sends) {
            start_copy(m, open_exported(permit(m).memory) + permit(m).offset_bytes);
        } else if (is_permit) {
            --sending(m);
        } else if (envelope(m).sends) {
            end_send(m);
        } else {
            // Of messages from one peer that were permitted together, MPI may show us the permits,
            // and so the copies end, in any order: the notice says whose it is.
            end_receive(static_cast<std::size_t>(notice(m)));
        }
    }

    int channels_;
    std::size_t first_permit_;
    ExportedMemory staging_;
    std::vector<Permit> permits_;         ///< of each of the plan's requests, as the notices
    std::vector<std::uint64_t> notices_;  ///< the message's number on the receiver
};

}  // namespace

std::unique_ptr<MessageRoute> peer_route(const Communicator& communicator, int channels,
                                         const TransferPlan& plan, const Workspace& workspace) {
    return std::make_unique<PeerRoute>(communicator, channels, plan, workspace);
}

}  // namespace shardstone::collectives
