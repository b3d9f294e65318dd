// SPDX-License-Identifier: BSD-3-Clause
// How large the mailboxes of a collective are, where each lies, and how its sender finds it.
#include "collectives/executors/shared_memory/mailbox_layout.hpp"

#include <algorithm>

namespace shardstone::collectives {

namespace {

constexpr std::int64_t line_bytes = 64;

std::int64_t whole_lines(std::int64_t size_bytes) {
    return (size_bytes + line_bytes - 1) / line_bytes * line_bytes;
}

/// Small enough to be taken from the cache that it was put in, and not much memory in all.
std::int64_t piece_for(std::int64_t mailboxes, std::int64_t vector_bytes) {
    constexpr std::int64_t largest = 32 << 10;
    constexpr std::int64_t smallest = 4 << 10;
    constexpr std::int64_t part = 8 << 20;
    const std::int64_t fair = part / (Mailbox::slots * std::max<std::int64_t>(1, mailboxes));
    return whole_lines(std::clamp<std::int64_t>(
        vector_bytes, line_bytes, std::clamp(fair, smallest, largest) / line_bytes * line_bytes));
}

}  // namespace

MailboxLayout::MailboxLayout(const Communicator& communicator, const RankProgram& program,
                             const VectorSpec& vector, const TransferPlan& plan)
    : topology_(communicator.topology()),
      node_(topology_.node_of(communicator.rank())),
      channels_(static_cast<int>(program.channels.size())),
      mailboxes_(
          static_cast<std::int64_t>(communicator.max(static_cast<double>(inboxes(plan).size())))),
      piece_bytes_(piece_for(mailboxes_, vector.size_bytes())) {}

/// (lane of the sender, channel) of every mailbox that this rank receives from, in the order of its
/// part.
std::set<std::pair<int, int>> MailboxLayout::inboxes(const TransferPlan& plan) const {
    std::set<std::pair<int, int>> all;
    for (const Transfer& transfer : plan.transfers) {
        if (transfer.kind == TransferKind::send || topology_.node_of(transfer.peer) != node_)
            continue;
        all.emplace(topology_.lane_of(transfer.peer), transfer.channel);
    }
    return all;
}

std::int64_t MailboxLayout::entry(int lane, int channel) const {
    return line_bytes + (std::int64_t{channel} * topology_.largest_node() + lane) *
                            static_cast<std::int64_t>(sizeof(std::int64_t));
}

std::int64_t MailboxLayout::mailbox(std::int64_t index) const {
    return whole_lines(entry(0, channels_)) + index * Mailbox::size_bytes(piece_bytes_);
}

std::int64_t MailboxLayout::part_bytes() const {
    return mailbox(mailboxes_);
}

void MailboxLayout::publish(const SharedWindow& window, const TransferPlan& plan) const {
    std::int64_t index = 0;
    for (const auto& [lane, channel] : inboxes(plan)) {
        window.at<std::int64_t>(window.lane(), entry(lane, channel)) = mailbox(index++);
    }
}

std::optional<Mailbox> MailboxLayout::open(const SharedWindow& window,
                                           const Transfer& transfer) const {
    if (topology_.node_of(transfer.peer) != node_) return std::nullopt;
    const int other = topology_.lane_of(transfer.peer);
    const bool sends = transfer.kind == TransferKind::send;
    const int receiver = sends ? other : window.lane();
    const int sender = sends ? window.lane() : other;
    const auto offset = window.at<std::int64_t>(receiver, entry(sender, transfer.channel));
    return Mailbox(window.at<Mailbox::Shared>(receiver, offset), piece_bytes_, bell(window, other));
}

}  // namespace shardstone::collectives
