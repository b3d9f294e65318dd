// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/executors/shared_memory_mailbox_layout.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace shardstone::collectives {

namespace {

constexpr std::int64_t line_bytes = 64;

std::int64_t whole_lines(std::int64_t size_bytes) {
    return (size_bytes + line_bytes - 1) / line_bytes * line_bytes;
}

/// (sender, channel) of every mailbox that a rank receives from, in the order of its part.
std::set<std::pair<int, int>> inboxes(const TransferPlan& plan) {
    std::set<std::pair<int, int>> all;
    for (const Transfer& transfer : plan.transfers) {
        if (transfer.kind != ActionKind::send) all.emplace(transfer.peer, transfer.channel);
    }
    return all;
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
    : ranks_(communicator.size()),
      channels_(static_cast<int>(program.channels.size())),
      mailboxes_(
          static_cast<std::int64_t>(communicator.max(static_cast<double>(inboxes(plan).size())))),
      piece_bytes_(piece_for(mailboxes_, vector.size_bytes())) {}

std::int64_t MailboxLayout::entry(int sender, int channel) const {
    return line_bytes + (std::int64_t{channel} * ranks_ + sender) *
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
    for (const auto& [sender, channel] : inboxes(plan)) {
        window.at<std::int64_t>(window.lane(), entry(sender, channel)) = mailbox(index++);
    }
}

Mailbox MailboxLayout::open(const SharedWindow& window, const Transfer& transfer) const {
    const bool sends = transfer.kind == ActionKind::send;
    const int receiver = sends ? transfer.peer : window.lane();
    const int sender = sends ? window.lane() : transfer.peer;
    const auto offset = window.at<std::int64_t>(receiver, entry(sender, transfer.channel));
    return {window.at<Mailbox::Shared>(receiver, offset), piece_bytes_,
            bell(window, transfer.peer)};
}

}  // namespace shardstone::collectives
