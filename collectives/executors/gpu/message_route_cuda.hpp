// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "collectives/cluster/native.hpp"
#include "collectives/device/runtime_cuda.hpp"
#include "collectives/executors/gpu/envelopes.hpp"
#include "collectives/executors/gpu/messages_cuda.hpp"
#include "collectives/executors/plan.hpp"
#include "collectives/executors/workspace.hpp"

namespace shardstone::collectives {

/// The way of a plan's messages from the memory of one GPU to that of another, of which there are
/// several kinds. The executor decides when a message may go or come and what becomes of it; what
/// is copied where, and what MPI is told, is the route's. Nothing blocks. Local but for the making.
///
/// Here a message goes by MPI from its place on one rank to that on the other, and is copied into
/// its place where its data lie elsewhere.
class MessageRoute {
  public:
    MessageRoute(const MessageRoute&) = delete;
    MessageRoute& operator=(const MessageRoute&) = delete;
    virtual ~MessageRoute() = default;

    /// Lets message `m` of another rank come. The device has done what was to be done with what was
    /// in its place before.
    void expect(std::size_t m);
    /// Sends message `m`, whose data the device has computed. Those of a step that go to one peer
    /// are sent in their order.
    void offer(std::size_t m);
    /// Goes on with what device and MPI have done since the last call; whether there was anything.
    bool advance();

    bool has_arrived(std::size_t m) const { return stages_[m] == Stage::through; }
    /// Where a message is that has arrived: contiguous, and kernels can read it.
    virtual const std::byte* arrived(std::size_t m) const = 0;

    /// Whether data of messages that the channel sends have still to be read.
    bool has_unread(std::size_t channel) const { return traffic_[channel].unread > 0; }
    /// Whether something that the channel sends is under way.
    bool is_sending(std::size_t channel) const { return traffic_[channel].sending > 0; }

    const Envelope& envelope(std::size_t m) const { return envelopes_.of[m]; }
    /// Those of messages [begin, end) that are not through: "8 KiB from rank 2".
    std::string pending(int begin, int end) const;
    std::int64_t bytes_sent() const noexcept { return bytes_sent_; }

  protected:
    /// `requests`: of MPI, for each of the plan's. The plan and the workspace outlive the route.
    MessageRoute(const Communicator& communicator, const TransferPlan& plan,
                 const Workspace& workspace, Envelopes envelopes, std::size_t requests);

    /// The message's data are copied before they leave; else MPI reads them where they are.
    virtual bool is_copied(std::size_t m) const = 0;
    virtual void start_receive(std::size_t m) = 0;
    /// By start_copy(), now or when the peer is ready for it.
    virtual void start_send(std::size_t m) = 0;
    /// Its copy is over.
    virtual void leave(std::size_t m) = 0;
    /// One of MPI's requests is over, that of the plan's or the one of another kind behind those.
    virtual void complete(std::size_t request, std::size_t m) = 0;

    /// In a stream of its own, beside the copies and reductions of what arrives.
    void start_copy(std::size_t m, std::byte* to);
    /// Gives MPI bytes to send to the peer of message `m`, or to receive from it.
    void post_send(std::size_t m, const void* data, std::size_t size_bytes, int tag,
                   std::size_t request);
    void post_receive(std::size_t m, void* data, std::size_t size_bytes, int tag,
                      std::size_t request);
    void end_receive(std::size_t m) { stages_[m] = Stage::through; }
    void end_send(std::size_t m);
    /// What a channel sends beside its messages.
    int& sending(std::size_t m) { return traffic_[envelope(m).channel].sending; }

    const TransferPlan& plan() const noexcept { return plan_; }
    std::byte* data_of(const Transfer& piece) const {
        return workspace_.at(piece.region, piece.offset_bytes);
    }
    std::int64_t room_bytes() const noexcept { return envelopes_.room_bytes; }

  private:
    enum class Stage : std::uint8_t { waiting, copying, leaving, through };
    /// Of what a channel sends.
    struct Traffic {
        int unread = 0;
        int sending = 0;
    };
    bool is_ready(std::size_t m) const;
    void send(std::size_t m);
    bool look();

    const TransferPlan& plan_;
    const Workspace& workspace_;
    MPI_Comm comm_;
    Envelopes envelopes_;
    CudaStream outgoing_stream_;
    DeviceMemory outgoing_{outgoing_stream_};
    std::vector<Stage> stages_;        ///< of each message
    std::vector<Traffic> traffic_;     ///< of each channel
    std::vector<CudaEvent> copied_;    ///< of the send of each of the plan's requests
    std::deque<std::size_t> copying_;  ///< in the order of their stream
    std::vector<MPI_Request> requests_;
    std::vector<std::size_t> owners_;  ///< the message of each request
    std::vector<int> finished_;        ///< what MPI_Testsome reports into
    std::int64_t bytes_sent_ = 0;
};

/// The route by this place. `channels`: of the program. Collective.
std::unique_ptr<MessageRoute> make_route(MessagePlace place, const Communicator& communicator,
                                         int channels, const TransferPlan& plan,
                                         const Workspace& workspace);

// Each in a file of its own; as make_route().
std::unique_ptr<MessageRoute> pinned_route(const Communicator& communicator, int channels,
                                           const TransferPlan& plan, const Workspace& workspace);
std::unique_ptr<MessageRoute> device_route(const Communicator& communicator, int channels,
                                           const TransferPlan& plan, const Workspace& workspace);
std::unique_ptr<MessageRoute> peer_route(const Communicator& communicator, int channels,
                                         const TransferPlan& plan, const Workspace& workspace);

}  // namespace shardstone::collectives
