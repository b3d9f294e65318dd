// SPDX-License-Identifier: BSD-3-Clause
// Messages between two GPUs, by ncclSend and ncclRecv on the communicator of all ranks.
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <set>

#include "collectives/device/runtime_cuda.hpp"
#include "collectives/executors/nccl/context_cuda.hpp"
#include "collectives/executors/pair_messages.hpp"
#include "kernels/base/whereabouts.hpp"

namespace shardstone::collectives {

namespace {

class NcclPairMessages final : public PairMessages {
  public:
    NcclPairMessages(const Communicator& communicator, std::size_t size_bytes)
        : context_(NcclContext::of(communicator)),
          size_bytes_(size_bytes),
          host_((context_->use_device(), pinned_memory(static_cast<std::int64_t>(size_bytes)))),
          device_(device_memory(static_cast<std::int64_t>(size_bytes))),
          bytes_(device_memory(2)) {
        std::memset(host_.get(), 0, size_bytes);
        load(host_view());
    }

    /// To free memory, or an event, waits for the GPU, and thus for a message that may never come:
    /// what an exception ends leaves them to the end of the process.
    ~NcclPairMessages() override {
        if (std::uncaught_exceptions() == exceptions_) return;
        for (auto* memory : {&host_, &device_, &bytes_}) new std::shared_ptr(*memory);
        for (auto* events : {&under_way_, &spare_}) {
            for (auto& event : *events) static_cast<void>(event.release());
        }
    }

    std::span<std::byte> host_view() override { return {host_.get(), size_bytes_}; }

    void load(std::span<const std::byte> part) override {
        context_->use_device();
        copy_anywhere(on_device(part.data()), part.data(), std::ssize(part));
    }

    void unload(std::span<std::byte> part) override {
        context_->use_device();
        copy_anywhere(part.data(), on_device(part.data()), std::ssize(part));
    }

    /// NCCL opens a connection with its first message, and blocks until the other rank does: by a
    /// byte in both directions, which no rank awaits before.
    void connect(int peer) override {
        if (!met_.insert(peer).second) return;
        const InLibrary here;
        enqueue([&] {
            give_byte(peer);
            take_byte(peer);
        });
        note_end();
    }

    void send(const End& out) override {
        enqueue([&] { give(out.peer, on_device(out.part.data()), out.part.size()); });
        enqueue([&] { take_byte(out.peer); });
        note_end();
    }

    void receive(const End& in) override {
        enqueue([&] { take(in.peer, on_device(in.part.data()), in.part.size()); });
        note_end();
    }

    /// Enqueued when the message has come, not before: with a launch of its own, like the message.
    void answer(int peer, std::span<std::byte> next) override {
        enqueue([&] { give_byte(peer); });
        if (next.empty()) return note_end();
        receive({peer, next});
    }

    void exchange(const End& out, const End& in) override {
        const InLibrary here;
        enqueue([&] {
            give(out.peer, on_device(out.part.data()), out.part.size());
            take(in.peer, on_device(in.part.data()), in.part.size());
        });
        note_end();
    }

    bool progress() override {
        if (under_way_.empty()) return true;
        context_->use_device();
        if (!under_way_.front()->reached()) {
            context_->check();
            return false;
        }
        spare_.push_back(std::move(under_way_.front()));
        under_way_.pop_front();
        return true;
    }

  private:
    std::byte* on_device(const std::byte* place) const {
        return device_.get() + (place - host_.get());
    }

    template <class Group>
    void enqueue(const Group& group) {
        context_->use_device();
        SHARDSTONE_NCCL(ncclGroupStart());
        group();
        check_nccl(ncclGroupEnd(), "ncclGroupEnd()", context_->comm());
    }

    /// For progress(), behind all that is enqueued.
    void note_end() {
        if (spare_.empty()) spare_.push_back(std::make_unique<CudaEvent>());
        under_way_.push_back(std::move(spare_.back()));
        spare_.pop_back();
        under_way_.back()->record(context_->stream().get());
    }

    void give_byte(int peer) const { give(peer, bytes_.get(), 1); }
    void take_byte(int peer) const { take(peer, bytes_.get() + 1, 1); }

    void give(int peer, const std::byte* from, std::size_t size_bytes) const {
        SHARDSTONE_NCCL(ncclSend(from, size_bytes, ncclUint8, peer, context_->comm(),
                                 context_->stream().get()));
    }

    void take(int peer, std::byte* to, std::size_t size_bytes) const {
        SHARDSTONE_NCCL(
            ncclRecv(to, size_bytes, ncclUint8, peer, context_->comm(), context_->stream().get()));
    }

    std::shared_ptr<NcclContext> context_;
    std::size_t size_bytes_;
    std::shared_ptr<std::byte> host_, device_;
    std::shared_ptr<std::byte> bytes_;  ///< one to give, one to take
    std::set<int> met_;
    std::deque<std::unique_ptr<CudaEvent>> under_way_, spare_;  ///< the ends of messages
    int exceptions_ = std::uncaught_exceptions();
};

const PairMessagesSource source([](const Communicator& communicator, std::size_t size_bytes) {
    return std::make_unique<NcclPairMessages>(communicator, size_bytes);
});

}  // namespace

}  // namespace shardstone::collectives
