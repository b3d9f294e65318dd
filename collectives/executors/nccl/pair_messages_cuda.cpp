// SPDX-License-Identifier: BSD-3-Clause
// Messages between two GPUs, by ncclSend and ncclRecv on the communicator of all ranks.
#include <cstring>
#include <memory>
#include <set>

#include "collectives/device/runtime_cuda.hpp"
#include "collectives/executors/nccl/context_cuda.hpp"
#include "collectives/executors/pair_messages.hpp"

namespace shardstone::collectives {

namespace {

class NcclPairMessages final : public PairMessages {
  public:
    NcclPairMessages(const Communicator& communicator, std::size_t size_bytes)
        : context_(NcclContext::of(communicator)),
          size_bytes_(size_bytes),
          host_((context_->use_device(), pinned_memory(static_cast<std::int64_t>(size_bytes)))),
          device_(device_memory(static_cast<std::int64_t>(size_bytes))),
          greeting_(device_memory(2)) {
        std::memset(host_.get(), 0, size_bytes);
        load(host_view());
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
        grouped([&] {
            give(peer, greeting_.get(), 1);
            take(peer, greeting_.get() + 1, 1);
        });
    }

    void send(const End& out) override {
        grouped([&] { give(out.peer, on_device(out.part.data()), out.part.size()); });
    }

    void receive(const End& in) override {
        grouped([&] { take(in.peer, on_device(in.part.data()), in.part.size()); });
    }

    void exchange(const End& out, const End& in) override {
        grouped([&] {
            give(out.peer, on_device(out.part.data()), out.part.size());
            take(in.peer, on_device(in.part.data()), in.part.size());
        });
    }

    bool progress() override {
        context_->use_device();
        context_->check();
        return end_.reached();
    }

  private:
    std::byte* on_device(const std::byte* place) const {
        return device_.get() + (place - host_.get());
    }

    template <class Enqueue>
    void grouped(const Enqueue& enqueue) {
        context_->use_device();
        SHARDSTONE_NCCL(ncclGroupStart());
        enqueue();
        SHARDSTONE_NCCL(ncclGroupEnd());
        end_.record(context_->stream().get());
    }

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
    std::shared_ptr<std::byte> greeting_;
    std::set<int> met_;
    CudaEvent end_;
};

const PairMessagesSource source([](const Communicator& communicator, std::size_t size_bytes) {
    return std::make_unique<NcclPairMessages>(communicator, size_bytes);
});

}  // namespace

}  // namespace shardstone::collectives
