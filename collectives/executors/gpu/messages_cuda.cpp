// SPDX-License-Identifier: BSD-3-Clause
// A schedule run on data in the memory of GPUs, by messages of any route.
#include "collectives/executors/gpu/messages_cuda.hpp"

#include <fmt/format.h>

#include <vector>

#include "collectives/device/reduce_cuda.hpp"
#include "collectives/executors/gpu/executor_cuda.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "collectives/executors/gpu/message_route_cuda.hpp"
#include "collectives/executors/plan.hpp"
#include "collectives/executors/workspace.hpp"

namespace shardstone::collectives {

namespace {

DeviceLane lane_of(const Communicator& communicator) {
    const int device = use_gpu_of_rank(communicator);
    return {device, std::make_shared<const CudaStream>()};
}

class DeviceMessages final : public DeviceExecutor {
  public:
    DeviceMessages(Communicator& communicator, const RankProgram& program,
                   const Operation& operation, const CollectiveSpec& spec, MessagePlace place)
        : DeviceExecutor(communicator, operation, spec, lane_of(communicator)),
          workspace_(operation, spec, program, communicator.size(), communicator.rank(), memory()),
          element_bytes_(spec.vector.element_bytes()),
          plan_(make_plan(program, workspace_.layout(), communicator.rank(), element_bytes_,
                          largest_message_bytes(place))),
          reduce_(device_reduce_function(spec.vector.type, spec.vector.reduction)),
          states_(plan_.channels.size()),
          entered_(plan_.channels.size()),
          route_(make_route(place, communicator, static_cast<int>(program.channels.size()), plan_,
                            workspace_)) {}

    std::int64_t bytes_sent() const noexcept override { return route_->bytes_sent(); }

    std::string waits_for() const override {
        std::string all;
        for (std::size_t c = 0; c < states_.size(); ++c) {
            if (has_ended(c)) continue;
            const auto& [begin, end, first_request] = plan_.channels[c];
            all += fmt::format("{}step {} of {}: {}", all.empty() ? "" : "; ",
                               states_[c].step - begin + 1, end - begin, pending(c));
        }
        return all.empty() ? "what was enqueued last on the GPU" : all;
    }

  private:
    struct ChannelState {
        int step = 0;
        bool posted = false;           ///< since the device has done what was before the step
        std::size_t next_receive = 0;  ///< of the step, in the order of the actions
        std::size_t receives_end = 0;
        std::size_t sends_end = 0;
    };

    void begin(const std::byte* input, std::byte* output) override {
        workspace_.begin(input, output);
        running_channels_ = states_.size();
        for (std::size_t c = 0; c < states_.size(); ++c) enter_step(c, plan_.channels[c].begin);
        if (running_channels_ == 0) finish();
    }

    void finish() {
        workspace_.finish();
        end_.record(stream());
    }

    bool has_ended(std::size_t c) const { return states_[c].step == plan_.channels[c].end; }

    Progress advance() override {
        if (running_channels_ == 0) return end_.reached() ? Progress::done : Progress::none;
        bool moved = false;
        for (std::size_t c = 0; c < states_.size(); ++c) moved = post(c) || moved;
        moved = route_->advance() || moved;
        if (!moved) return Progress::none;
        for (std::size_t c = 0; c < states_.size(); ++c) go_on(c);
        return Progress::some;
    }

    void enter_step(std::size_t c, int step) {
        ChannelState& state = states_[c];
        state = {.step = step};
        if (has_ended(c)) {
            if (--running_channels_ == 0) finish();
            return;
        }
        const auto [begin, end] = plan_.steps[static_cast<std::size_t>(step)];
        state.next_receive = static_cast<std::size_t>(begin);
        state.sends_end = static_cast<std::size_t>(end);
        state.receives_end = state.next_receive;
        while (state.receives_end < state.sends_end &&
               !route_->envelope(state.receives_end).sends) {
            ++state.receives_end;
        }
        entered_[c].record(stream());
    }

    /// Starts all messages of the step, once the device has done what was enqueued before it: until
    /// then what arrives would be written over data that the device still reads.
    bool post(std::size_t c) {
        ChannelState& state = states_[c];
        if (has_ended(c) || state.posted || !entered_[c].reached()) return false;
        state.posted = true;
        for (std::size_t m = state.next_receive; m < state.receives_end; ++m) route_->expect(m);
        for (std::size_t m = state.receives_end; m < state.sends_end; ++m) route_->offer(m);
        return true;
    }

    /// Takes what can be taken, and enters the next step when all of this one is through.
    void go_on(std::size_t c) {
        ChannelState& state = states_[c];
        if (!state.posted) return;
        take_receives(c, state);
        if (state.next_receive == state.receives_end && !route_->is_sending(c)) {
            enter_step(c, state.step + 1);
        }
    }

    /// In the order of the plan, so that the order of additions, and with it every bit of the
    /// result, never depends on which message was faster.
    void take_receives(std::size_t c, ChannelState& state) {
        for (; state.next_receive < state.receives_end; ++state.next_receive) {
            const std::size_t m = state.next_receive;
            if (!route_->has_arrived(m)) return;
            if (route_->has_unread(c) && route_->envelope(m).after_sends) return;
            const std::byte* from = route_->arrived(m);
            for (const Transfer& piece : transfers_of(plan_, m)) {
                take(piece, from);
                from += piece.size_bytes;
            }
        }
    }

    void take(const Transfer& piece, const std::byte* from) const {
        std::byte* const place = workspace_.at(piece.region, piece.offset_bytes);
        if (piece.kind == TransferKind::receive_reduce) {
            reduce_(place, from, piece.size_bytes / element_bytes_, stream());
        } else if (from != place) {
            memory().copy(place, from, piece.size_bytes);
        }
    }

    /// The messages of a channel's step that are under way: "8 KiB from rank 2".
    std::string pending(std::size_t c) const {
        if (!states_[c].posted) return "what was enqueued before it on the GPU";
        const auto [begin, end] = plan_.steps[static_cast<std::size_t>(states_[c].step)];
        return route_->pending(begin, end);
    }

    Workspace workspace_;
    std::int64_t element_bytes_;
    TransferPlan plan_;
    DeviceReduceFunction reduce_;
    std::vector<ChannelState> states_;
    std::vector<CudaEvent> entered_;  ///< of each channel: what was enqueued before its step
    std::unique_ptr<MessageRoute> route_;
    CudaEvent end_;
    std::size_t running_channels_ = 0;
};

}  // namespace

std::int64_t largest_message_bytes(MessagePlace place) {
    constexpr std::int64_t mib = 1 << 20;
    switch (place) {
        case MessagePlace::pinned:
            return mib;
        case MessagePlace::peer:
            return 4 * mib;
        case MessagePlace::device:
            break;
    }
    return 1024 * mib;  // what MPI counts with an int
}

std::unique_ptr<Executor> make_device_messages(Communicator& communicator,
                                               const Algorithm& algorithm,
                                               const CollectiveSpec& spec, MessagePlace place) {
    return std::make_unique<DeviceMessages>(communicator,
                                            program_for(algorithm, communicator, spec),
                                            *algorithm.operation, spec, place);
}

}  // namespace shardstone::collectives
