// SPDX-License-Identifier: BSD-3-Clause
// Peers, tags, requests and places of a plan's messages, computed before any is sent.
#include "collectives/executors/gpu/envelopes.hpp"

#include <algorithm>

namespace shardstone::collectives {

namespace {

std::int64_t whole_lines(std::int64_t bytes) {
    constexpr std::int64_t line = 64;
    return (bytes + line - 1) / line * line;
}

}  // namespace

std::span<const Transfer> transfers_of(const TransferPlan& plan, std::size_t m) {
    const PlannedMessage& message = plan.messages[m];
    return std::span(plan.transfers)
        .subspan(static_cast<std::size_t>(message.begin),
                 static_cast<std::size_t>(message.end - message.begin));
}

Envelopes address(const TransferPlan& plan, int first_tag, Placed placed) {
    Envelopes all;
    all.of.resize(plan.messages.size());
    for (std::size_t c = 0; c < plan.channels.size(); ++c) {
        const TransferPlan::Channel& channel = plan.channels[c];
        const std::int64_t slice = all.room_bytes;
        for (int step = channel.begin; step < channel.end; ++step) {
            const auto [begin, end] = plan.steps[static_cast<std::size_t>(step)];
            std::int64_t at = slice;
            for (int m = begin; m < end; ++m) {
                const auto message = static_cast<std::size_t>(m);
                const auto transfers = transfers_of(plan, message);
                const Transfer& first = transfers.front();
                const std::int64_t size_bytes = plan.messages[message].size_bytes;
                all.of[message] = {c,
                                   static_cast<std::size_t>(channel.first_request + m - begin),
                                   at,
                                   first.kind == TransferKind::send,
                                   std::ranges::any_of(transfers, &Transfer::after_sends),
                                   first.peer,
                                   first_tag + first.channel,
                                   static_cast<int>(size_bytes)};
                if (placed == Placed::all || !all.of[message].sends) at += whole_lines(size_bytes);
            }
            all.room_bytes = std::max(all.room_bytes, at);
        }
    }
    return all;
}

}  // namespace shardstone::collectives
