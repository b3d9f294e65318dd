// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/executors/point_to_point.hpp"

#include <cstddef>
#include <vector>

#include "collectives/cluster/native.hpp"
#include "collectives/executors/plan.hpp"

namespace shardstone::collectives {

namespace {

class PointToPoint : public Executor {
  public:
    PointToPoint(Communicator& communicator, const RankProgram& program, const VectorSpec& vector,
                 std::int64_t largest_message_bytes)
        : plan_(make_plan(program, vector, largest_message_bytes)),
          reduce_(reduce_function(vector.type, vector.reduction)),
          element_bytes_(static_cast<std::int64_t>(element_size(vector.type))),
          comm_(communicator.native().comm),
          first_tag_(communicator.native().take_tags(static_cast<int>(program.channels.size()))),
          scratch_(static_cast<std::size_t>(plan_.scratch_bytes)),
          states_(plan_.channels.size()),
          requests_(static_cast<std::size_t>(plan_.requests), MPI_REQUEST_NULL),
          owners_(requests_.size()),
          finished_(requests_.size()),
          arrived_(plan_.transfers.size()) {}

    void start(void* buffer) override {
        buffer_ = static_cast<std::byte*>(buffer);
        running_channels_ = states_.size();
        for (std::size_t c = 0; c < states_.size(); ++c) enter_step(c, plan_.channels[c].begin);
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
        std::size_t transfer = 0;
    };

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
        for (auto t = first; t < static_cast<std::size_t>(end); ++t) {
            const auto slot = static_cast<std::size_t>(channel.first_request) + t - first;
            owners_[slot] = {c, t};
            if (plan_.transfers[t].kind == ActionKind::send) {
                ++state.sends_pending;
            } else {
                ++state.receives_end;
            }
            post(plan_.transfers[t], requests_[slot]);
            arrived_[t] = false;
        }
    }

    void post(const Transfer& transfer, MPI_Request& request) {
        const int size = static_cast<int>(transfer.size_bytes);
        const int tag = first_tag_ + transfer.channel;
        std::byte* const place = transfer.kind == ActionKind::receive_reduce
                                     ? scratch_.data() + transfer.scratch_bytes
                                     : buffer_ + transfer.offset_bytes;
        if (transfer.kind == ActionKind::send) {
            SHARDSTONE_MPI(MPI_Isend(place, size, MPI_BYTE, transfer.peer, tag, comm_, &request));
            bytes_sent_ += transfer.size_bytes;
        } else {
            SHARDSTONE_MPI(MPI_Irecv(place, size, MPI_BYTE, transfer.peer, tag, comm_, &request));
        }
    }

    void complete(std::size_t slot) {
        const auto [c, t] = owners_[slot];
        ChannelState& state = states_[c];
        if (plan_.transfers[t].kind == ActionKind::send) {
            --state.sends_pending;
        } else {
            arrived_[t] = true;
        }
        take_receives(state);
        if (state.next_receive == state.receives_end && state.sends_pending == 0) {
            enter_step(c, state.step + 1);
        }
    }

    /// Takes what has arrived in the order of the actions, so that the order of additions, and with
    /// it every bit of the result, never depends on which message was faster.
    void take_receives(ChannelState& state) {
        while (state.next_receive < state.receives_end && arrived_[state.next_receive]) {
            const Transfer& transfer = plan_.transfers[state.next_receive];
            if (transfer.after_sends && state.sends_pending > 0) return;
            if (transfer.kind == ActionKind::receive_reduce) {
                reduce_(buffer_ + transfer.offset_bytes, scratch_.data() + transfer.scratch_bytes,
                        transfer.size_bytes / element_bytes_);
            }
            ++state.next_receive;
        }
    }

    TransferPlan plan_;
    ReduceFunction reduce_;
    std::int64_t element_bytes_;
    MPI_Comm comm_;
    int first_tag_;
    std::byte* buffer_ = nullptr;
    std::vector<std::byte> scratch_;
    std::vector<ChannelState> states_;
    std::size_t running_channels_ = 0;
    std::vector<MPI_Request> requests_;
    std::vector<Owner> owners_;  ///< of each request
    std::vector<int> finished_;  ///< what MPI_Testsome reports into
    std::vector<bool> arrived_;  ///< of each transfer in the current step
    std::int64_t bytes_sent_ = 0;
};

}  // namespace

std::unique_ptr<Executor> make_point_to_point(Communicator& communicator,
                                              const RankProgram& program, const VectorSpec& vector,
                                              std::int64_t largest_message_bytes) {
    return std::make_unique<PointToPoint>(communicator, program, vector, largest_message_bytes);
}

}  // namespace shardstone::collectives
