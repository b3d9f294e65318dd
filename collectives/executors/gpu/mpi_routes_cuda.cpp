// SPDX-License-Identifier: BSD-3-Clause
// Messages between GPUs that are MPI's: in pinned memory of the host, or in the device's own.
#include "collectives/executors/gpu/message_route_cuda.hpp"

namespace shardstone::collectives {

namespace {

class MpiRoute : public MessageRoute {
  public:
    const std::byte* arrived(std::size_t m) const final { return wire_of(m); }

  protected:
    MpiRoute(const Communicator& communicator, int channels, const TransferPlan& plan,
             const Workspace& workspace)
        : MessageRoute(communicator, plan, workspace,
                       address(plan, communicator.native().take_tags(channels)), 1) {}

    /// Where MPI has the message: contiguous.
    virtual std::byte* wire_of(std::size_t m) const = 0;

  private:
    void start_receive(std::size_t m) final {
        const Envelope& message = envelope(m);
        post_receive(m, wire_of(m), static_cast<std::size_t>(message.size_bytes), message.tag,
                     message.request);
    }
    void start_send(std::size_t m) final { start_copy(m, wire_of(m)); }
    void leave(std::size_t m) final {
        const Envelope& message = envelope(m);
        post_send(m, wire_of(m), static_cast<std::size_t>(message.size_bytes), message.tag,
                  message.request);
    }
    void complete(std::size_t, std::size_t m) final {
        if (envelope(m).sends) {
            end_send(m);
        } else {
            end_receive(m);
        }
    }
};

/// Kernels read what arrives where it is.
class PinnedRoute final : public MpiRoute {
  public:
    PinnedRoute(const Communicator& communicator, int channels, const TransferPlan& plan,
                const Workspace& workspace)
        : MpiRoute(communicator, channels, plan, workspace),
          staging_(pinned_memory(room_bytes())) {}

  private:
    bool is_copied(std::size_t) const override { return true; }
    std::byte* wire_of(std::size_t m) const override {
        return staging_.get() + envelope(m).offset_bytes;
    }

    std::shared_ptr<std::byte> staging_;
};

class DeviceRoute final : public MpiRoute {
  public:
    DeviceRoute(const Communicator& communicator, int channels, const TransferPlan& plan,
                const Workspace& workspace)
        : MpiRoute(communicator, channels, plan, workspace),
          staging_(device_memory(plan.staging_bytes)) {}

  private:
    bool is_copied(std::size_t m) const override { return plan().messages[m].staged; }
    std::byte* wire_of(std::size_t m) const override {
        const Transfer& first = transfers_of(plan(), m).front();
        return is_copied(m) ? staging_.get() + first.staging_bytes : data_of(first);
    }

    std::shared_ptr<std::byte> staging_;
};

}  // namespace

std::unique_ptr<MessageRoute> pinned_route(const Communicator& communicator, int channels,
                                           const TransferPlan& plan, const Workspace& workspace) {
    return std::make_unique<PinnedRoute>(communicator, channels, plan, workspace);
}

std::unique_ptr<MessageRoute> device_route(const Communicator& communicator, int channels,
                                           const TransferPlan& plan, const Workspace& workspace) {
    return std::make_unique<DeviceRoute>(communicator, channels, plan, workspace);
}

}  // namespace shardstone::collectives
