// SPDX-License-Identifier: BSD-3-Clause
// A schedule run over MPI on data in the memory of GPUs, through pinned memory or without it.
#include "collectives/executors/gpu/messages_cuda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "collectives/cluster/native.hpp"
#include "collectives/device/reduce_cuda.hpp"
#include "collectives/executors/gpu/envelopes.hpp"
#include "collectives/executors/gpu/executor_cuda.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "collectives/executors/plan.hpp"
#include "collectives/executors/workspace.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::collectives {

namespace {

/// Long enough that its copy over PCIe takes several times what a copy and a message cost by
/// themselves; not yet measured on GPUs.
constexpr std::int64_t pinned_piece_bytes = 1 << 20;
/// What MPI counts with an int.
constexpr std::int64_t longest_message_bytes = 1 << 30;

DeviceLane lane_of(const Communicator& communicator) {
    const int device = use_gpu_of_rank(communicator);
    return {device, std::make_shared<const CudaStream>()};
}

class DeviceMessages final : public DeviceExecutor {
  public:
    DeviceMessages(Communicator& communicator, const RankProgram& program,
                   const Operation& operation, const CollectiveSpec& spec, MessagePlace place)
        : DeviceExecutor(communicator, operation, spec, lane_of(communicator)),
          pinned_(place == MessagePlace::pinned),
          workspace_(operation, spec, program, communicator.size(), communicator.rank(), memory()),
          element_bytes_(spec.vector.element_bytes()),
          plan_(make_plan(program, workspace_.layout(), communicator.rank(), element_bytes_,
                          pinned_ ? pinned_piece_bytes : longest_message_bytes)),
          reduce_(device_reduce_function(spec.vector.type, spec.vector.reduction)),
          comm_(communicator.native().comm),
          states_(plan_.channels.size()),
          entered_(plan_.channels.size()),
          arrived_(plan_.messages.size()),
          requests_(static_cast<std::size_t>(plan_.requests), MPI_REQUEST_NULL),
          owners_(requests_.size()),
          finished_(requests_.size()),
          copied_(requests_.size()),
          envelopes_(address(
              plan_, communicator.native().take_tags(static_cast<int>(program.channels.size())))),
          staging_(pinned_ ? pinned_memory(envelopes_.room_bytes)
                           : memory().allocate(plan_.staging_bytes)) {}

    std::int64_t bytes_sent() const noexcept override { return bytes_sent_; }

    std::string waits_for() const override {
        std::string all;
        for (std::size_t c = 0; c < states_.size(); ++c) {
            const auto& [begin, end, first_request] = plan_.channels[c];
            if (states_[c].step == end) continue;
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
        std::size_t next_send = 0;  ///< the first that MPI has not been given
        std::size_t sends_end = 0;
        int sends_pending = 0;
    };

    std::byte* place_of(const Transfer& piece) const {
        return workspace_.at(piece.region, piece.offset_bytes);
    }

    /// Where MPI has the message: contiguous.
    std::byte* wire_of(std::size_t m) const {
        if (pinned_) return staging_.get() + envelopes_.of[m].offset_bytes;
        const Transfer& first = transfers_of(plan_, m).front();
        return plan_.messages[m].staged ? staging_.get() + first.staging_bytes : place_of(first);
    }

    bool is_copied(std::size_t m) const { return pinned_ || plan_.messages[m].staged; }

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

    Progress advance() override {
        if (running_channels_ == 0) return end_.reached() ? Progress::done : Progress::none;
        bool moved = false;
        for (std::size_t c = 0; c < states_.size(); ++c) moved = drive(c) || moved;
        return look() || moved ? Progress::some : Progress::none;
    }

    void enter_step(std::size_t c, int step) {
        ChannelState& state = states_[c];
        state = {.step = step};
        if (step == plan_.channels[c].end) {
            if (--running_channels_ == 0) finish();
            return;
        }
        const auto [begin, end] = plan_.steps[static_cast<std::size_t>(step)];
        state.next_receive = static_cast<std::size_t>(begin);
        state.sends_end = static_cast<std::size_t>(end);
        state.next_send = state.next_receive;
        while (state.next_send < state.sends_end && !envelopes_.of[state.next_send].sends) {
            ++state.next_send;
        }
        state.receives_end = state.next_send;
        state.sends_pending = static_cast<int>(state.sends_end - state.next_send);
        entered_[c].record(stream());
    }

    /// What the device has done since the last look; whether anything was posted.
    bool drive(std::size_t c) {
        ChannelState& state = states_[c];
        if (state.step == plan_.channels[c].end) return false;
        bool moved = false;
        // Until then what arrives would be written over data that the device still reads.
        if (!state.posted && entered_[c].reached()) {
            post(state);
            moved = true;
        }
        while (state.posted && state.next_send < state.sends_end && is_ready(state.next_send)) {
            send(state.next_send++);
            moved = true;
        }
        if (moved) go_on(c);
        return moved;
    }

    void post(ChannelState& state) {
        state.posted = true;
        for (std::size_t m = state.next_receive; m < state.receives_end; ++m) {
            const Envelope& envelope = envelopes_.of[m];
            arrived_[m] = 0;
            owners_[envelope.request] = m;
            SHARDSTONE_MPI(MPI_Irecv(wire_of(m), envelope.size_bytes, MPI_BYTE, envelope.peer,
                                     envelope.tag, comm_, &requests_[envelope.request]));
        }
        for (std::size_t m = state.next_send; m < state.sends_end; ++m) copy_out(m);
    }

    /// In a stream of its own, beside the copies and reductions of what arrives.
    void copy_out(std::size_t m) {
        if (!is_copied(m)) return;
        std::byte* to = wire_of(m);
        for (const Transfer& piece : transfers_of(plan_, m)) {
            outgoing_.copy(to, place_of(piece), piece.size_bytes);
            to += piece.size_bytes;
        }
        copied_[envelopes_.of[m].request].record(outgoing_stream_.get());
    }

    bool is_ready(std::size_t m) const {
        return !is_copied(m) || copied_[envelopes_.of[m].request].reached();
    }

    void send(std::size_t m) {
        const Envelope& envelope = envelopes_.of[m];
        owners_[envelope.request] = m;
        SHARDSTONE_MPI(MPI_Isend(wire_of(m), envelope.size_bytes, MPI_BYTE, envelope.peer,
                                 envelope.tag, comm_, &requests_[envelope.request]));
        bytes_sent_ += envelope.size_bytes;
    }

    /// What MPI has done since the last look; whether anything was through.
    bool look() {
        int finished = 0;
        SHARDSTONE_MPI(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &finished,
                                    finished_.data(), MPI_STATUSES_IGNORE));
        finished = std::max(finished, 0);  // MPI_UNDEFINED: none is under way
        for (const int request : std::span(finished_).first(static_cast<std::size_t>(finished))) {
            complete(owners_[static_cast<std::size_t>(request)]);
        }
        return finished > 0;
    }

    void complete(std::size_t m) {
        const std::size_t c = envelopes_.of[m].channel;
        if (envelopes_.of[m].sends) {
            --states_[c].sends_pending;
        } else {
            arrived_[m] = 1;
        }
        go_on(c);
    }

    /// Takes what can be taken, and enters the next step when all of this one is through.
    void go_on(std::size_t c) {
        ChannelState& state = states_[c];
        take_receives(state);
        if (state.next_receive == state.receives_end && state.sends_pending == 0) {
            enter_step(c, state.step + 1);
        }
    }

    /// Whether sends of the step have still to read their data: MPI does, or their copies.
    bool is_read(const ChannelState& state) const {
        return pinned_ ? state.next_send < state.sends_end : state.sends_pending > 0;
    }

    /// In the order of the plan, so that the order of additions, and with it every bit of the
    /// result, never depends on which message was faster.
    void take_receives(ChannelState& state) {
        for (; state.next_receive < state.receives_end; ++state.next_receive) {
            const std::size_t m = state.next_receive;
            if (arrived_[m] == 0) return;
            if (is_read(state) && envelopes_.of[m].after_sends) return;
            const std::byte* from = wire_of(m);
            for (const Transfer& piece : transfers_of(plan_, m)) {
                take(piece, from);
                from += piece.size_bytes;
            }
        }
    }

    /// Kernels read pinned memory, too.
    void take(const Transfer& piece, const std::byte* from) const {
        std::byte* const place = place_of(piece);
        if (piece.kind == TransferKind::receive_reduce) {
            reduce_(place, from, piece.size_bytes / element_bytes_, stream());
        } else if (from != place) {
            memory().copy(place, from, piece.size_bytes);
        }
    }

    /// The messages of a channel's step that MPI has, or is to be given: "8 KiB from rank 2".
    std::string pending(std::size_t c) const {
        const ChannelState& state = states_[c];
        if (!state.posted) return "what was enqueued before it on the GPU";
        const auto [begin, end] = plan_.steps[static_cast<std::size_t>(state.step)];
        std::string all;
        for (auto m = static_cast<std::size_t>(begin); m < static_cast<std::size_t>(end); ++m) {
            const Envelope& envelope = envelopes_.of[m];
            const bool waits = envelope.sends && m >= state.next_send;
            if (!waits && requests_[envelope.request] == MPI_REQUEST_NULL) continue;
            all += fmt::format("{}{} {} rank {}{}", all.empty() ? "" : ", ",
                               format_size(envelope.size_bytes), envelope.sends ? "to" : "from",
                               envelope.peer, waits ? " (being copied)" : "");
        }
        return all;
    }

    bool pinned_;
    Workspace workspace_;
    std::int64_t element_bytes_;
    TransferPlan plan_;
    DeviceReduceFunction reduce_;
    MPI_Comm comm_;
    CudaStream outgoing_stream_;
    DeviceMemory outgoing_{outgoing_stream_};
    std::vector<ChannelState> states_;
    std::vector<CudaEvent> entered_;  ///< of each channel: what was enqueued before its step
    std::vector<std::uint8_t> arrived_;
    std::vector<MPI_Request> requests_;
    std::vector<std::size_t> owners_;  ///< the message of each request
    std::vector<int> finished_;        ///< what MPI_Testsome reports into
    std::vector<CudaEvent> copied_;    ///< of the send of each request
    Envelopes envelopes_;
    std::shared_ptr<std::byte> staging_;  ///< of messages as MPI has them: pinned, or of the device
    CudaEvent end_;
    std::size_t running_channels_ = 0;
    std::int64_t bytes_sent_ = 0;
};

}  // namespace

std::unique_ptr<Executor> make_device_messages(Communicator& communicator,
                                               const Algorithm& algorithm,
                                               const CollectiveSpec& spec, MessagePlace place) {
    return std::make_unique<DeviceMessages>(communicator,
                                            program_for(algorithm, communicator, spec),
                                            *algorithm.operation, spec, place);
}

}  // namespace shardstone::collectives
