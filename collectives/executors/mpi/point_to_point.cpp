// SPDX-License-Identifier: BSD-3-Clause
// A schedule run over MPI messages, each channel entering its next step when its own is complete.
#include "collectives/executors/mpi/point_to_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "collectives/cluster/waiting.hpp"
#include "collectives/executors/plan.hpp"
#include "collectives/executors/planned_messages.hpp"
#include "collectives/executors/workspace.hpp"
#include "collectives/reduction/reduction.hpp"

namespace shardstone::collectives {

namespace {

class PointToPoint final : public Executor {
  public:
    PointToPoint(Communicator& communicator, const RankProgram& program, const Operation& operation,
                 const CollectiveSpec& spec, std::int64_t largest_message_bytes)
        : workspace_(operation, spec, program, communicator.size(), communicator.rank()),
          element_bytes_(spec.vector.element_bytes()),
          plan_(make_plan(program, workspace_.layout(), communicator.rank(), element_bytes_,
                          largest_message_bytes)),
          reduce_(reduce_function(spec.vector.type, spec.vector.reduction)),
          messages_(communicator, program.channels.size(), plan_, workspace_),
          states_(plan_.channels.size()),
          arrived_(plan_.messages.size()) {}

    void start(const void* input, void* output) override {
        workspace_.begin(input, output);
        running_channels_ = states_.size();
        for (std::size_t c = 0; c < states_.size(); ++c) enter_step(c, plan_.channels[c].begin);
        if (running_channels_ == 0) workspace_.finish();
    }

    Progress progress() override {
        bool some = false;
        while (running_channels_ > 0) {
            if (!advance()) return some ? Progress::some : Progress::none;
            some = true;
        }
        return Progress::done;
    }

    /// As any executor's; but for few bytes what lies between two looks is most of our time.
    void wait() override {
        Waiter waiter(this);
        while (running_channels_ > 0) {
            if (advance()) {
                waiter.busy();
            } else {
                waiter.idle();
            }
        }
    }

    std::int64_t bytes_sent() const noexcept override { return messages_.bytes_sent(); }

    std::string waits_for() const override {
        std::string all;
        for (std::size_t c = 0; c < states_.size(); ++c) {
            const TransferPlan::Channel& channel = plan_.channels[c];
            if (states_[c].step == channel.end) continue;
            const auto [begin, end] = plan_.steps[static_cast<std::size_t>(states_[c].step)];
            all += fmt::format(
                "{}step {} of {}: {}", all.empty() ? "" : "; ", states_[c].step - channel.begin + 1,
                channel.end - channel.begin,
                messages_.pending(static_cast<std::size_t>(begin), static_cast<std::size_t>(end)));
        }
        return all;
    }

  private:
    struct ChannelState {
        int step = 0;
        int sends_pending = 0;
        std::size_t next_receive = 0;  ///< of the step, in the order of the actions
        std::size_t receives_end = 0;
    };

    /// One look at the messages; whether any was through.
    bool advance() {
        if (!messages_.look([this](std::size_t c, std::size_t m) { complete(c, m); })) return false;
        if (running_channels_ == 0) workspace_.finish();
        return true;
    }

    void enter_step(std::size_t c, int step) {
        const TransferPlan::Channel& channel = plan_.channels[c];
        ChannelState& state = states_[c];
        if (step == channel.end) {
            state.step = step;
            --running_channels_;
            return;
        }
        const auto [begin, end] = plan_.steps[static_cast<std::size_t>(step)];
        const auto first = static_cast<std::size_t>(begin);
        state = {step, 0, first, first};
        for (auto m = first; m < static_cast<std::size_t>(end); ++m) {
            arrived_[m] = 0;
            if (messages_.sends(m)) {
                ++state.sends_pending;
            } else {
                ++state.receives_end;
            }
            messages_.post(m);
        }
    }

    void complete(std::size_t c, std::size_t m) {
        ChannelState& state = states_[c];
        if (messages_.sends(m)) {
            --state.sends_pending;
        } else {
            arrived_[m] = 1;
        }
        take_receives(state);
        if (state.next_receive == state.receives_end && state.sends_pending == 0) {
            enter_step(c, state.step + 1);
        }
    }

    /// Takes what has arrived in the order of the plan, so that the order of additions, and with it
    /// every bit of the result, never depends on which message was faster.
    void take_receives(ChannelState& state) {
        for (; state.next_receive < state.receives_end; ++state.next_receive) {
            const std::size_t m = state.next_receive;
            if (arrived_[m] == 0) return;
            if (state.sends_pending > 0 && messages_.after_sends(m)) return;
            if (!plan_.messages[m].staged) continue;
            for (const Transfer& piece : messages_.transfers_of(m)) take(piece);
        }
    }

    /// A piece of a staged message into its place.
    void take(const Transfer& piece) {
        const std::byte* const staged = messages_.staged(piece);
        std::byte* const place = workspace_.at(piece.region, piece.offset_bytes);
        if (piece.kind == TransferKind::receive_reduce) {
            reduce_(place, staged, piece.size_bytes / element_bytes_);
        } else {
            std::memcpy(place, staged, static_cast<std::size_t>(piece.size_bytes));
        }
    }

    Workspace workspace_;
    std::int64_t element_bytes_;
    TransferPlan plan_;
    ReduceFunction reduce_;
    PlannedMessages messages_;
    std::vector<ChannelState> states_;
    std::size_t running_channels_ = 0;
    std::vector<std::uint8_t> arrived_;  ///< whether, of each message of the current steps
};

}  // namespace

std::unique_ptr<Executor> make_point_to_point(Communicator& communicator,
                                              const RankProgram& program,
                                              const Operation& operation,
                                              const CollectiveSpec& spec,
                                              std::int64_t largest_message_bytes) {
    return std::make_unique<PointToPoint>(communicator, program, operation, spec,
                                          largest_message_bytes);
}

}  // namespace shardstone::collectives
