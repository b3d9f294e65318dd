// SPDX-License-Identifier: BSD-3-Clause
// Shares, buckets and group buffers follow from the strategies of the plan and the flat layout.
#include "reference/step/state_layout.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "kernels/base/error.hpp"
#include "reference/step/strategy.hpp"

namespace shardstone::reference {

namespace {

using Kind = ParameterGroup::Kind;

/// Of which every block has a group, that take turns on buffers of their own.
constexpr std::array kinds_of_blocks{Kind::block, Kind::experts};
constexpr std::size_t buffers_in_turn = 2;

/// Of the group that comes after those.
std::size_t buffer_after(std::span<const ParameterGroup> before, Kind kind) {
    std::size_t of_blocks = 0;
    for (std::size_t i = 0; i < kinds_of_blocks.size(); ++i) {
        const auto earlier = std::ranges::count(before, kinds_of_blocks[i], &ParameterGroup::kind);
        const auto count = static_cast<std::size_t>(earlier);
        if (kind == kinds_of_blocks[i]) return i * buffers_in_turn + count % buffers_in_turn;
        of_blocks += count;
    }
    return kinds_of_blocks.size() * buffers_in_turn + before.size() - of_blocks;
}

}  // namespace

Sharding sharding_of(const StepSpec& spec) {
    Sharding all;
    for (const StrategyEntry& strategy : strategies()) {
        if (!strategy.applies(spec)) continue;
        all.optimizer |= strategy.sharding.optimizer;
        all.gradients |= strategy.sharding.gradients;
        all.weights |= strategy.sharding.weights;
    }
    return all;
}

std::vector<Range> buckets_of(const ParameterGroup& group, std::int64_t bucket_bytes) {
    const auto most = bucket_bytes / static_cast<std::int64_t>(sizeof(float));
    SHARDSTONE_EXPECTS(most > 0);
    std::vector<Range> buckets;
    for (std::int64_t first = group.first; first < group.end(); first += most) {
        buckets.push_back({first, std::min(most, group.end() - first)});
    }
    return buckets;
}

StateLayout::StateLayout(const StepSpec& spec, const ParameterLayout& layout, const Coordinates& at)
    : groups_(layout.groups()),
      parameters_(layout.count()),
      sharding_(sharding_of(spec)),
      bucket_bytes_(spec.communication.bucket_bytes),
      plan_(spec.plan),
      at_(at) {
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        buffers_.push_back(buffer_after({groups_.data(), group}, groups_[group].kind));
        group_buffers_ = std::max(group_buffers_, buffers_.back() + 1);
    }
}

std::size_t StateLayout::group_of(std::int64_t flat) const {
    const auto after = std::ranges::upper_bound(groups_, flat, {}, &ParameterGroup::first);
    return static_cast<std::size_t>(after - groups_.begin()) - 1;
}

int StateLayout::replicas(std::size_t group) const {
    return size_of(plan_, replicas_of(groups_[group].kind));
}

std::vector<Range> StateLayout::buckets(std::size_t group) const {
    return buckets_of(groups_[group], bucket_bytes_);
}

Range StateLayout::share_of(const Range& bucket) const {
    const GroupKind replicas = replicas_of(groups_[group_of(bucket.first)].kind);
    const EvenShare share =
        even_share(bucket.count, size_of(plan_, replicas), place_of(plan_, replicas, at_));
    return {bucket.first + share.first, share.count};
}

Range StateLayout::owned_of(const Range& bucket) const {
    return sharding_.optimizer ? share_of(bucket) : bucket;
}

std::vector<Range> StateLayout::shares() const {
    std::vector<Range> shares;
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        for (const Range& bucket : buckets(group)) {
            const Range share = share_of(bucket);
            if (share.count > 0) shares.push_back(share);
        }
    }
    return shares;
}

std::vector<Range> StateLayout::owned() const {
    if (sharding_.optimizer) return shares();
    return {{0, parameters_}};
}

StateLayout::BufferPosition StateLayout::position_of(std::int64_t flat) const {
    const std::size_t group = group_of(flat);
    return {buffer_of_group(group), flat - groups_[group].first};
}

std::vector<std::int64_t> StateLayout::buffer_sizes() const {
    std::vector<std::int64_t> sizes(group_buffers(), 0);
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        auto& size = sizes[buffer_of_group(group)];
        size = std::max(size, groups_[group].count);
    }
    return sizes;
}

}  // namespace shardstone::reference
