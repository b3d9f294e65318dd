// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/executors/point_to_point.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "collectives/cluster/native.hpp"
#include "collectives/executors/plan.hpp"
#include "collectives/executors/reduction.hpp"
#include "collectives/executors/workspace.hpp"

namespace shardstone::collectives {

namespace {

class PointToPoint : public Executor {
  public:
    PointToPoint(Communicator& communicator, const RankProgram& program, const Operation& operation,
                 const CollectiveSpec& spec, std::int64_t largest_message_bytes)
        : workspace_(operation, spec, program, communicator.size(), communicator.rank()),
          element_bytes_(spec.vector.element_bytes()),
          plan_(make_plan(program, workspace_.layout(), communicator.rank(), element_bytes_,
                          largest_message_bytes)),
          reduce_(reduce_function(spec.vector.type, spec.vector.reduction)),
          comm_(communicator.native().comm),
          first_tag_(communicator.native().take_tags(static_cast<int>(program.channels.size()))),
          staging_(static_cast<std::size_t>(plan_.staging_bytes)),
          states_(plan_.channels.size()),
          requests_(static_cast<std::size_t>(plan_.requests), MPI_REQUEST_NULL),
          owners_(requests_.size()),
          finished_(requests_.size()),
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
            int finished = 0;
            SHARDSTONE_MPI(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(),
                                        &finished, finished_.data(), MPI_STATUSES_IGNORE));
            if (finished <= 0) return some ? Progress::some : Progress::none;
            some = true;
            for (std::size_t i = 0; i < static_cast<std::size_t>(finished); ++i) {
                complete(static_cast<std::size_t>(finished_[i]));
            }
            if (running_channels_ == 0) workspace_.finish();
        }
        return Progress::done;
    }

    std::int64_t bytes_sent() const noexcept override { return bytes_sent_; }

  private:
    struct ChannelState {
        int step = 0;
        int sends_pending = 0;
        std::size_t next_receive = 0;  ///< of the step, in the order of the actions
        std::size_t receives_end = 0;
    };
    struct Owner {
        std::size_t channel = 0;
        std::size_t message = 0;
    };

    std::span<const Transfer> transfers_of(const Message& message) const {
        return std::span(plan_.transfers)
            .subspan(static_cast<std::size_t>(message.begin),
                     static_cast<std::size_t>(message.end - message.begin));
    }

    void enter_step(std::size_t c, int step) {
        const TransferPlan::Channel& channel = plan_.channels[c];
        ChannelState& state = states_[c];
        if (step == channel.end) {
            --running_channels_;
            return;
        }
        const auto [begin, end] = plan_.steps[static_cast<std::size_t>(step)];
        const auto first = static_cast<std::size_t>(begin);
        state = {step, 0, first, first};
        for (auto m = first; m < static_cast<std::size_t>(end); ++m) {
            const auto slot = static_cast<std::size_t>(channel.first_request) + m - first;
            owners_[slot] = {c, m};
            arrived_[m] = false;
            const Message& message = plan_.messages[m];
            if (transfers_of(message).front().kind == ActionKind::send) {
                ++state.sends_pending;
                post_send(message, requests_[slot]);
            } else {
                ++state.receives_end;
                post_receive(message, requests_[slot]);
            }
        }
    }

    std::byte* memory_of(const Transfer& transfer) const {
        return workspace_.at(transfer.region, transfer.offset_bytes);
    }

    std::byte* place_of(const Message& message) {
        const Transfer& first = transfers_of(message).front();
        return message.staged ? staging_.data() + first.staging_bytes : memory_of(first);
    }

    void post_send(const Message& message, MPI_Request& request) {
        const Transfer& first = transfers_of(message).front();
        if (message.staged) {
            for (const Transfer& piece : transfers_of(message)) {
                std::memcpy(staging_.data() + piece.staging_bytes, memory_of(piece),
                            static_cast<std::size_t>(piece.size_bytes));
            }
        }
        SHARDSTONE_MPI(MPI_Isend(place_of(message), static_cast<int>(message.size_bytes), MPI_BYTE,
                                 first.peer, first_tag_ + first.channel, comm_, &request));
        bytes_sent_ += message.size_bytes;
    }

    void post_receive(const Message& message, MPI_Request& request) {
        const Transfer& first = transfers_of(message).front();
        SHARDSTONE_MPI(MPI_Irecv(place_of(message), static_cast<int>(message.size_bytes), MPI_BYTE,
                                 first.peer, first_tag_ + first.channel, comm_, &request));
    }

    void complete(std::size_t slot) {
        const auto [c, m] = owners_[slot];
        ChannelState& state = states_[c];
        if (transfers_of(plan_.messages[m]).front().kind == ActionKind::send) {
            --state.sends_pending;
        } else {
            arrived_[m] = true;
        }
        take_receives(state);
        if (state.next_receive == state.receives_end && state.sends_pending == 0) {
            enter_step(c, state.step + 1);
        }
    }

    /// Takes what has arrived in the order of the plan, so that the order of additions, and with it
    /// every bit of the result, never depends on which message was faster.
    void take_receives(ChannelState& state) {
        while (state.next_receive < state.receives_end && arrived_[state.next_receive]) {
            const Message& message = plan_.messages[state.next_receive];
            const auto pieces = transfers_of(message);
            if (state.sends_pending > 0 && std::ranges::any_of(pieces, &Transfer::after_sends))
                return;
            if (message.staged) std::ranges::for_each(pieces, [&](auto& piece) { take(piece); });
            ++state.next_receive;
        }
    }

    /// A piece of a staged message into its place.
    void take(const Transfer& piece) {
        const std::byte* const staged = staging_.data() + piece.staging_bytes;
        if (piece.kind == ActionKind::receive_reduce) {
            reduce_(memory_of(piece), staged, piece.size_bytes / element_bytes_);
        } else {
            std::memcpy(memory_of(piece), staged, static_cast<std::size_t>(piece.size_bytes));
        }
    }

    Workspace workspace_;
    std::int64_t element_bytes_;
    TransferPlan plan_;
    ReduceFunction reduce_;
    MPI_Comm comm_;
    int first_tag_;
    std::vector<std::byte> staging_;
    std::vector<ChannelState> states_;
    std::size_t running_channels_ = 0;
    std::vector<MPI_Request> requests_;
    std::vector<Owner> owners_;  ///< of each request
    std::vector<int> finished_;  ///< what MPI_Testsome reports into
    std::vector<bool> arrived_;  ///< of each message of the current steps
    std::int64_t bytes_sent_ = 0;
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
