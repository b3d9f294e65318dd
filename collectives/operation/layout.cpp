// SPDX-License-Identifier: BSD-3-Clause
// Element ranges of every block on every rank, from the lengths of the shares and the channels.
#include "collectives/operation/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

std::size_t index(int value) {
    return static_cast<std::size_t>(value);
}

int blocks_of(const std::vector<BlockRange>& channels) {
    int total = 0;
    for (const BlockRange owned : channels) total += owned.count;
    return total;
}

void require_shares(const CollectiveSpec& spec, Sharing sharing, int size) {
    require(spec.vector.count >= 0, [&] {
        return fmt::format("a collective on {} elements: give 0 or more", spec.vector.count);
    });
    if (spec.shares.empty()) return;
    const bool by_pair = sharing == Sharing::by_pair;
    require(by_pair || sharing == Sharing::by_rank,
            "shares were given to an operation that has none: omit them");
    const std::int64_t wanted = by_pair ? std::int64_t{size} * size : size;
    std::int64_t sum = 0;
    for (const std::int64_t share : spec.shares) {
        require(share >= 0, [&] { return fmt::format("a share of {} elements: negative", share); });
        sum += share;
    }
    require(std::ssize(spec.shares) == wanted && (by_pair || sum == spec.vector.count), [&] {
        return fmt::format("{} shares of {} elements in all: give {} shares, which make up {}",
                           spec.shares.size(), sum, wanted, spec.vector.count);
    });
}

}  // namespace

int natural_blocks(Sharing sharing, int size) {
    switch (sharing) {
        case Sharing::whole:
            return 1;
        case Sharing::by_rank:
            return size;
        case Sharing::by_pair:
            return 2 * size;
        case Sharing::message:
            return 2;
    }
    fail("unknown sharing");
}

BlockLayout::BlockLayout(const CollectiveSpec& spec, Sharing sharing,
                         const std::vector<BlockRange>& channels, int size)
    : spec_(spec),
      sharing_(sharing),
      channels_(channels),
      channel_of_block_(index(blocks_of(channels))),
      size_(size),
      grain_(block_grain_bytes / spec.vector.element_bytes()),
      whole_(spec.vector.count, std::max(1, blocks_of(channels)), grain_),
      even_shares_(spec.vector.count, size, 1),
      share_ends_{0} {
    require_shares(spec, sharing, size);
    for (const std::int64_t share : spec.shares) share_ends_.push_back(share_ends_.back() + share);
    for (int c = 0; c < static_cast<int>(channels.size()); ++c) {
        const BlockRange owned = channels[index(c)];
        std::fill_n(channel_of_block_.begin() + owned.first, owned.count, c);
    }
}

std::int64_t BlockLayout::share_begin(int rank) const {
    return spec_.shares.empty() ? even_shares_.begin(rank) : share_ends_[index(rank)];
}

std::int64_t BlockLayout::share(int from, int to) const {
    return spec_.shares.empty() ? even_shares_.elements({to, 1})
                                : spec_.shares[index(from * size_ + to)];
}

std::int64_t BlockLayout::input_begin(int rank, int to) const {
    if (spec_.shares.empty()) return even_shares_.begin(to);
    return share_ends_[index(rank * size_ + to)] - share_ends_[index(rank * size_)];
}

std::int64_t BlockLayout::output_begin(int rank, int from) const {
    if (spec_.shares.empty()) return from * share(0, rank);
    std::int64_t begin = 0;
    for (int before = 0; before < from; ++before) begin += share(before, rank);
    return begin;
}

Extent BlockLayout::part_of(std::int64_t begin, std::int64_t count, std::size_t part) const {
    const BlockPartition parts(count, static_cast<int>(channels_.size()), grain_);
    const int p = static_cast<int>(part);
    return {Region::vector, begin + parts.begin(p), parts.elements({p, 1})};
}

Extent BlockLayout::of_pair(int rank, int place, std::size_t part) const {
    if (place < size_) {
        Extent input = part_of(input_begin(rank, place), share(rank, place), part);
        input.region = Region::input;
        return input;
    }
    if (place < 2 * size_) {
        const int from = place - size_;
        Extent output = part_of(output_begin(rank, from), share(from, rank), part);
        output.region = Region::output;
        return output;
    }
    // Only algorithms for equal shares pass data through scratch.
    Extent scratch = part_of(0, share(0, 0), part);
    const std::int64_t before = channels_[part].first + place - 2 * size_;
    scratch.begin = before * share(0, 0);
    scratch.region = Region::scratch;
    return scratch;
}

Extent BlockLayout::at(int rank, int block) const {
    const std::size_t channel = index(channel_of_block_[index(block)]);
    const int place = block - channels_[channel].first;
    switch (sharing_) {
        case Sharing::whole:
            return {Region::vector, whole_.begin(block), whole_.elements({block, 1})};
        case Sharing::by_rank:
            return part_of(share_begin(place), share(place), channel);
        case Sharing::by_pair:
            return of_pair(rank, place, channel);
        case Sharing::message: {
            Extent message = part_of(0, spec_.vector.count, channel);
            message.region = place == 0 ? Region::input : Region::output;
            return message;
        }
    }
    fail("unknown sharing");
}

std::int64_t BlockLayout::elements(int rank, BlockRange range) const {
    if (sharing_ == Sharing::whole) return whole_.elements(range);
    std::int64_t sum = 0;
    for (int block = range.first; block < range.end(); ++block) sum += at(rank, block).count;
    return sum;
}

Extent BlockLayout::span_of(const ContentOf& content, const RankRole& role) const {
    Extent span{Region::vector, std::numeric_limits<std::int64_t>::max(), 0};
    std::int64_t end = 0;
    for (const BlockRange owned : channels_) {
        for (int block = owned.first; block < owned.end(); ++block) {
            if (content(role, block - owned.first).item == Content::nothing) continue;
            const Extent place = at(role.rank, block);
            // What an all-to-all keeps for itself is in both regions before; the input counts.
            if (place.count == 0 || (end > 0 && place.region > span.region)) continue;
            span.region = place.region;
            span.begin = std::min(span.begin, place.begin);
            end = std::max(end, place.begin + place.count);
        }
    }
    if (end == 0) return {};
    span.count = end - span.begin;
    return span;
}

std::int64_t BlockLayout::length(int rank, Region region) const {
    if (!moves_data(sharing_)) return region == Region::vector ? spec_.vector.count : 0;
    std::int64_t end = 0;
    for (const BlockRange owned : channels_) {
        for (int block = owned.first; block < owned.end(); ++block) {
            const Extent place = at(rank, block);
            if (place.region == region) end = std::max(end, place.begin + place.count);
        }
    }
    return end;
}

std::int64_t elements_sent(const RankProgram& program, const BlockLayout& layout, int rank) {
    std::int64_t elements = 0;
    for (const BlockTransfer& action : program.actions) {
        if (action.kind == TransferKind::send) elements += layout.elements(rank, action.blocks);
    }
    return elements;
}

}  // namespace shardstone::collectives
