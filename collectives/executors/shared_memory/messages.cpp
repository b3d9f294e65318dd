// SPDX-License-Identifier: BSD-3-Clause
// A schedule run through mailboxes inside nodes and over MPI between them, reducing on arrival.
#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "collectives/executors/planned_messages.hpp"
#include "collectives/executors/shared_memory/executor.hpp"
#include "collectives/executors/shared_memory/mailbox_layout.hpp"
#include "collectives/executors/shared_memory/shared_memory.hpp"
#include "collectives/executors/workspace.hpp"

namespace shardstone::collectives {

namespace {

/// A transfer of the step under way.
struct Stream {
    const Transfer* transfer;
    std::optional<Mailbox> mailbox;  ///< none for one between nodes, which goes over MPI
    std::int64_t moved = 0;  ///< bytes put into the mailbox, or taken from it; all or none over MPI
    std::int64_t reduced =
        0;  ///< of a receive_reduce; bytes [reduced, moved) wait in the staging memory

    bool sends() const { return transfer->kind == TransferKind::send; }
    bool reduces() const { return transfer->kind == TransferKind::receive_reduce; }
    bool finished() const { return (reduces() ? reduced : moved) == transfer->size_bytes; }
    std::int64_t next_piece() const {
        return std::min(mailbox->piece_bytes(), transfer->size_bytes - moved);
    }
    /// Whether a send has still to read some of [begin, end) of the vector.
    bool still_reads(Region region, std::int64_t begin, std::int64_t end) const {
        return sends() && region == transfer->region &&
               begin < transfer->offset_bytes + transfer->size_bytes &&
               transfer->offset_bytes + moved < end;
    }
};

class Messages : public SharedMemoryExecutor {
  public:
    Messages(const Communicator& communicator, std::size_t channels, const CollectiveSpec& spec,
             Workspace workspace, TransferPlan plan, const MailboxLayout& layout)
        : SharedMemoryExecutor(communicator, layout.part_bytes()),
          workspace_(std::move(workspace)),
          plan_(std::move(plan)),
          reduce_(reduce_function(spec.vector.type, spec.vector.reduction)),
          element_bytes_(spec.vector.element_bytes()),
          between_nodes_(communicator, channels, plan_, workspace_),
          steps_(plan_.channels.size()) {
        layout.publish(window(), plan_);
        communicator.barrier();
        for (const Transfer& transfer : plan_.transfers) {
            streams_.push_back({&transfer, layout.open(window(), transfer)});
            crosses_nodes_ |= !streams_.back().mailbox;
        }
    }

    void start(const void* input, void* output) override {
        workspace_.begin(input, output);
        finished_ = false;
        running_channels_ = steps_.size();
        for (std::size_t c = 0; c < steps_.size(); ++c) enter_step(c, plan_.channels[c].begin);
        progress();
    }

    Progress progress() override {
        bool some = between_nodes_.under_way() > 0 &&
                    between_nodes_.look([this](std::size_t, std::size_t m) { pass(m); });
        for (std::size_t c = 0; c < steps_.size(); ++c) {
            while (advance(c)) some = true;
        }
        if (running_channels_ == 0) {
            if (!std::exchange(finished_, true)) workspace_.finish();
            return Progress::done;
        }
        return some ? Progress::some : Progress::none;
    }

    std::int64_t bytes_sent() const noexcept override {
        return bytes_sent_inside_ + between_nodes_.bytes_sent();
    }

  private:
    Doorbell& bell() override { return MailboxLayout::bell(window(), rank()); }
    bool awaits_messages() const override { return between_nodes_.under_way() > 0; }

    void enter_step(std::size_t c, int step) {
        steps_[c] = step;
        if (step == plan_.channels[c].end) {
            --running_channels_;
            return;
        }
        for (Stream& stream : streams_of(step)) stream.moved = stream.reduced = 0;
        if (crosses_nodes_) post_step(step);
    }

    void post_step(int step) {
        const auto [begin, end] = plan_.steps[static_cast<std::size_t>(step)];
        for (auto m = static_cast<std::size_t>(begin); m < static_cast<std::size_t>(end); ++m) {
            const auto first = static_cast<std::size_t>(plan_.messages[m].begin);
            if (!streams_[first].mailbox) between_nodes_.post(m);
        }
    }

    /// A message between nodes is through: it reads its data no more, or they are here, where those
    /// to be reduced wait in the staging memory for their turn.
    void pass(std::size_t m) {
        const PlannedMessage& message = plan_.messages[m];
        for (Stream& stream : streams(message.begin, message.end)) {
            const Transfer& transfer = *stream.transfer;
            if (message.staged && transfer.kind == TransferKind::receive_replace) {
                std::memcpy(place_of(stream), between_nodes_.staged(transfer),
                            static_cast<std::size_t>(transfer.size_bytes));
            }
            stream.moved = transfer.size_bytes;
        }
    }

    std::span<Stream> streams_of(int step) {
        const auto [begin, end] = plan_.steps[static_cast<std::size_t>(step)];
        return streams(plan_.messages[static_cast<std::size_t>(begin)].begin,
                       plan_.messages[static_cast<std::size_t>(end - 1)].end);
    }

    std::span<Stream> streams(int first, int last) {
        return std::span(streams_).subspan(static_cast<std::size_t>(first),
                                           static_cast<std::size_t>(last - first));
    }

    /// Moves what can be moved of a channel's step; true when that was anything.
    bool advance(std::size_t c) {
        if (steps_[c] == plan_.channels[c].end) return false;
        const std::span<Stream> step = streams_of(steps_[c]);
        bool moved = false;
        // Two messages between the same ranks are in one mailbox: the later one waits. Sends go
        // first, so that what arrives can be reduced over what they have read.
        for (std::size_t i = 0; i < step.size(); ++i) {
            if (step[i].sends() && is_next(step, i)) moved |= send(step[i]);
        }
        bool in_order = true;
        for (std::size_t i = 0; i < step.size() && !step[i].sends(); ++i) {
            if (is_next(step, i)) moved |= receive(step[i], step, in_order);
            in_order = in_order && step[i].finished();
        }
        if (!std::ranges::all_of(step, &Stream::finished)) return moved;
        enter_step(c, steps_[c] + 1);
        return true;
    }

    /// Whether all earlier messages of the step between the same ranks have gone.
    static bool is_next(std::span<const Stream> step, std::size_t i) {
        return std::none_of(step.begin(), step.begin() + static_cast<std::ptrdiff_t>(i),
                            [&](const Stream& earlier) {
                                return earlier.sends() == step[i].sends() &&
                                       earlier.transfer->peer == step[i].transfer->peer &&
                                       earlier.moved < earlier.transfer->size_bytes;
                            });
    }

    bool send(Stream& stream) {
        bool some = false;
        if (!stream.mailbox) return some;
        while (const std::int64_t piece = stream.next_piece()) {
            std::byte* const room = stream.mailbox->room();
            if (room == nullptr) break;
            std::memcpy(room, place_of(stream) + stream.moved, static_cast<std::size_t>(piece));
            stream.mailbox->put();
            stream.moved += piece;
            bytes_sent_inside_ += piece;
            some = true;
        }
        return some;
    }

    /// Takes all there is. Pieces are reduced straight from the mailbox when it is their turn, in
    /// the order of the actions, and no send has still to read what they change. Others go to the
    /// staging memory first: a mailbox is always emptied, hence no deadlock that MPI would not
    /// have.
    bool receive(Stream& stream, std::span<const Stream> step, bool in_order) {
        bool some = in_order && reduce_staged(stream, step);
        if (!stream.mailbox) return some;
        while (const std::int64_t piece = stream.next_piece()) {
            const std::byte* const arrived = stream.mailbox->piece();
            if (arrived == nullptr) break;
            const auto size = static_cast<std::size_t>(piece);
            std::byte* const place = place_of(stream) + stream.moved;
            if (!stream.reduces()) {
                std::memcpy(place, arrived, size);
            } else if (in_order && stream.reduced == stream.moved &&
                       may_change(step, stream, stream.moved + piece)) {
                reduce_(place, arrived, piece / element_bytes_);
                stream.reduced += piece;
            } else {
                std::memcpy(between_nodes_.staged(*stream.transfer) + stream.moved, arrived, size);
            }
            stream.mailbox->take();
            stream.moved += piece;
            some = true;
        }
        return some;
    }

    bool reduce_staged(Stream& stream, std::span<const Stream> step) {
        if (!stream.reduces() || stream.reduced == stream.moved) return false;
        if (!may_change(step, stream, stream.moved)) return false;
        reduce_(place_of(stream) + stream.reduced,
                between_nodes_.staged(*stream.transfer) + stream.reduced,
                (stream.moved - stream.reduced) / element_bytes_);
        stream.reduced = stream.moved;
        return true;
    }

    std::byte* place_of(const Stream& stream) const {
        return workspace_.at(stream.transfer->region, stream.transfer->offset_bytes);
    }

    /// Whether no send still reads the bytes of `stream` from those reduced up to `end`.
    static bool may_change(std::span<const Stream> step, const Stream& stream, std::int64_t end) {
        const std::int64_t offset = stream.transfer->offset_bytes;
        return !stream.transfer->after_sends ||
               std::ranges::none_of(step, [&](const Stream& other) {
                   return other.still_reads(stream.transfer->region, offset + stream.reduced,
                                            offset + end);
               });
    }

    Workspace workspace_;
    TransferPlan plan_;
    ReduceFunction reduce_;
    std::int64_t element_bytes_;
    PlannedMessages between_nodes_;  ///< whose staging memory serves those inside, too
    std::vector<Stream> streams_;    ///< one for each transfer of the plan
    bool crosses_nodes_ = false;     ///< whether any of them goes over MPI
    std::vector<int> steps_;         ///< that each channel is in
    std::size_t running_channels_ = 0;
    bool finished_ = true;
    std::int64_t bytes_sent_inside_ = 0;
};

}  // namespace

std::unique_ptr<Executor> make_shared_memory_messages(const Communicator& communicator,
                                                      const RankProgram& program,
                                                      const Operation& operation,
                                                      const CollectiveSpec& spec,
                                                      std::int64_t largest_message_bytes) {
    Workspace workspace(operation, spec, program, communicator.size(), communicator.rank());
    TransferPlan plan = make_plan(program, workspace.layout(), communicator.rank(),
                                  spec.vector.element_bytes(), largest_message_bytes);
    const MailboxLayout layout(communicator, program, spec.vector, plan);
    return std::make_unique<Messages>(communicator, program.channels.size(), spec,
                                      std::move(workspace), std::move(plan), layout);
}

}  // namespace shardstone::collectives
