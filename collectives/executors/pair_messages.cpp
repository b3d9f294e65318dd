// SPDX-License-Identifier: BSD-3-Clause
// Messages between two ranks over MPI; those between GPUs come from a source, if there is one.
#include "collectives/executors/pair_messages.hpp"

#include <deque>
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
        auto answered = await({out.peer, {}}, answer_id);
        begin(std::move(answered), start(out));
    }
    void receive(const End& in) override { begin(await(in), std::nullopt); }
    void answer(int peer, std::span<std::byte> next) override {
        Message incoming;
        if (!next.empty()) incoming = await({peer, next});
        begin(std::move(incoming), start({peer, {}}, answer_id));
    }
    void exchange(const End& out, const End& in) override {
        auto incoming = await(in);
        begin(std::move(incoming), start(out));
    }
    bool progress() override {
        if (under_way_.empty()) return true;
        auto& [incoming, outgoing] = under_way_.front();
        if (incoming && incoming->progress()) incoming.reset();
        if (outgoing && outgoing->progress()) outgoing.reset();
        if (incoming || outgoing) return false;
        under_way_.pop_front();
        return true;
    }

  private:
    using Message = std::optional<PeerMessage>;
    static constexpr std::int64_t data_id = 0, answer_id = 1;

    PeerMessage start(const End& out, std::int64_t id = data_id) const {
        return PeerMessage::send(communicator_, out.peer, id, out.part);
    }
    PeerMessage await(const End& in, std::int64_t id = data_id) const {
        return PeerMessage::receive(communicator_, in.peer, id, in.part);
    }
    void begin(Message incoming, Message outgoing) {
        under_way_.emplace_back(std::move(incoming), std::move(outgoing));
    }

    Communicator communicator_;
    std::vector<std::byte> memory_;
    std::deque<std::pair<Message, Message>> under_way_;  ///< what comes in, what goes out
};

}  // namespace

std::unique_ptr<PairMessages> make_pair_messages(const Communicator& communicator,
                                                 DataMemory memory, std::size_t size_bytes) {
    if (memory == DataMemory::host) {
        return std::make_unique<HostPairMessages>(communicator, size_bytes);
    }
    communicator.agree([] {
        require(static_cast<bool>(PairMessagesSource::function()),
                "ranks on GPUs pass their messages through NCCL, which this program was built "
                "without: build it where nccl.h is");
    });
    return PairMessagesSource::function()(communicator, size_bytes);
}

}  // namespace shardstone::collectives
