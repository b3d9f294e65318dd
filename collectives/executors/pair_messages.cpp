// SPDX-License-Identifier: BSD-3-Clause
// Messages between two ranks over MPI; those between GPUs come from a source, if there is one.
#include "collectives/executors/pair_messages.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "collectives/cluster/peer_message.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

class HostPairMessages final : public PairMessages {
  public:
    HostPairMessages(const Communicator& communicator, std::size_t size_bytes)
        : communicator_(communicator.split(0)), memory_(size_bytes) {}

    std::span<std::byte> host_view() override { return memory_; }
    void load(std::span<const std::byte>) override {}
    void unload(std::span<std::byte>) override {}

    void connect(int) override {}
    void send(const End& out) override {
        outgoing_ = PeerMessage::send(communicator_, out.peer, id, out.part);
    }
    void receive(const End& in) override {
        incoming_ = PeerMessage::receive(communicator_, in.peer, id, in.part);
    }
    void exchange(const End& out, const End& in) override {
        receive(in);
        send(out);
    }
    bool progress() override {
        const bool left = !outgoing_ || outgoing_->progress();
        return (!incoming_ || incoming_->progress()) && left;
    }

  private:
    static constexpr std::int64_t id = 0;

    Communicator communicator_;
    std::vector<std::byte> memory_;
    std::optional<PeerMessage> outgoing_, incoming_;
};

PairMessagesSource::Maker& maker_between_gpus() {
    static PairMessagesSource::Maker maker;
    return maker;
}

}  // namespace

std::unique_ptr<PairMessages> make_pair_messages(const Communicator& communicator,
                                                 DataMemory memory, std::size_t size_bytes) {
    if (memory == DataMemory::host) {
        return std::make_unique<HostPairMessages>(communicator, size_bytes);
    }
    communicator.agree([] {
        require(static_cast<bool>(maker_between_gpus()),
                "ranks on GPUs pass their messages through NCCL, which this program was built "
                "without: build it where nccl.h is");
    });
    return maker_between_gpus()(communicator, size_bytes);
}

PairMessagesSource::PairMessagesSource(Maker maker) {
    maker_between_gpus() = std::move(maker);
}

}  // namespace shardstone::collectives
