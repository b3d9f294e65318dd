// SPDX-License-Identifier: BSD-3-Clause
// Sends and receives of all ranks matched to messages, with the blocks or data that they carry.
#include "collectives/drawing/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "collectives/operation/layout.hpp"

namespace shardstone::collectives {

namespace {

using Ends = std::tuple<int, int, int, int>;  // step, channel, from, to

struct Parts {
    std::vector<BlockRange> sent;
    std::vector<BlockRange> received;
    bool reduces = false;
};

std::map<Ends, Parts> matched(const Schedule& schedule) {
    std::map<Ends, Parts> all;
    for (int rank = 0; rank < schedule.topology.size(); ++rank) {
        for (const BlockTransfer& action :
             schedule.programs[static_cast<std::size_t>(rank)].actions) {
            const bool sends = action.kind == TransferKind::send;
            const int from = sends ? rank : action.peer;
            const int to = sends ? action.peer : rank;
            Parts& parts = all[{action.step, action.channel, from, to}];
            (sends ? parts.sent : parts.received).push_back(action.blocks);
            parts.reduces |= action.kind == TransferKind::receive_reduce;
        }
    }
    return all;
}

void append(std::string& list, std::string_view separator, const std::string& entry) {
    if (!list.empty()) list += separator;
    list += entry;
}

std::string text_of(const std::vector<BlockRange>& ranges) {
    std::vector<BlockRange> joined;
    for (const BlockRange range : ranges) {
        if (!joined.empty() && joined.back().end() == range.first) {
            joined.back().count += range.count;
        } else {
            joined.push_back(range);
        }
    }
    std::string text;
    for (const BlockRange range : joined) {
        append(text, ",",
               range.count == 1 ? fmt::format("{}", range.first)
                                : fmt::format("{}–{}", range.first, range.end() - 1));
    }
    return text;
}

/// Follows what is in every block of every rank, where data moves between blocks.
class Tracker {
  public:
    explicit Tracker(const Schedule& schedule) : size_(schedule.topology.size()) {
        const Operation& operation = *schedule.operation;
        by_pair_ = operation.sharing == Sharing::by_pair;
        for (int rank = 0; rank < size_; ++rank) {
            const RankRole role{size_, schedule.root, rank};
            const RankProgram& program = schedule.programs[static_cast<std::size_t>(rank)];
            auto& blocks = items_.emplace_back(static_cast<std::size_t>(program.blocks()));
            for (const BlockRange channel : program.channels) {
                for (int block = 0; block < channel.count; ++block) {
                    blocks[static_cast<std::size_t>(channel.first + block)] =
                        operation.before(role, block).item;
                }
            }
        }
    }

    std::vector<int> read(int rank, const std::vector<BlockRange>& ranges) const {
        std::vector<int> items;
        for (const BlockRange range : ranges) {
            const auto first = items_[static_cast<std::size_t>(rank)].begin() + range.first;
            items.insert(items.end(), first, first + range.count);
        }
        return items;
    }

    void write(int rank, const std::vector<BlockRange>& ranges, const std::vector<int>& items) {
        auto item = items.begin();
        for (const BlockRange range : ranges) {
            const auto first = items_[static_cast<std::size_t>(rank)].begin() + range.first;
            std::copy(item, item + range.count, first);
            item += range.count;
        }
    }

    std::string text_of(const std::vector<int>& items) const {
        std::string text;
        for (const int item : items) {
            append(text, ", ",
                   by_pair_ ? fmt::format("{}→{}", item / size_, item % size_)
                            : fmt::format("{}", item));
        }
        return text;
    }

  private:
    int size_;
    bool by_pair_ = false;
    std::vector<std::vector<int>> items_;
};

/// A step reads what its ranks had before it.
void follow_contents(const Schedule& schedule, const std::map<Ends, Parts>& parts,
                     std::vector<DrawnMessage>& messages) {
    Tracker tracker(schedule);
    std::size_t next = 0;
    for (auto begin = parts.begin(); begin != parts.end();) {
        const int step = std::get<0>(begin->first);
        std::vector<std::vector<int>> moving;
        auto end = begin;
        for (; end != parts.end() && std::get<0>(end->first) == step; ++end) {
            moving.push_back(tracker.read(std::get<2>(end->first), end->second.sent));
            messages[next++].content = tracker.text_of(moving.back());
        }
        for (auto items = moving.begin(); begin != end; ++begin, ++items) {
            tracker.write(std::get<3>(begin->first), begin->second.received, *items);
        }
    }
}

}  // namespace

CollectiveSpec evenly_cut_vector(const Schedule& schedule) {
    const RankProgram& program = schedule.programs.front();
    const std::int64_t size = schedule.topology.size();
    // Blocks end at multiples of a grain, and shares are cut into one part per channel.
    const std::int64_t grains =
        size * size * program.blocks() * static_cast<std::int64_t>(program.channels.size());
    const auto element_bytes = static_cast<std::int64_t>(element_size(ElementType::fp32));
    return {{grains * block_grain_bytes / element_bytes, ElementType::fp32, Reduction::sum},
            schedule.root,
            {}};
}

std::vector<DrawnMessage> messages_of(const Schedule& schedule) {
    const CollectiveSpec spec = evenly_cut_vector(schedule);
    const Operation& operation = *schedule.operation;
    const BlockLayout layout(spec, operation.sharing, schedule.programs.front().channels,
                             schedule.topology.size());
    const std::map<Ends, Parts> parts = matched(schedule);
    std::vector<DrawnMessage> messages;
    for (const auto& [ends, both] : parts) {
        const auto [step, channel, from, to] = ends;
        std::int64_t elements = 0;
        for (const BlockRange range : both.sent) elements += layout.elements(from, range);
        const std::string blocks = text_of(both.sent);
        messages.push_back({step, channel, from, to, both.reduces,
                            static_cast<double>(elements) / static_cast<double>(spec.vector.count),
                            blocks, blocks});
    }
    if (moves_data(operation.sharing)) follow_contents(schedule, parts, messages);
    return messages;
}

}  // namespace shardstone::collectives
