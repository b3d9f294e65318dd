// SPDX-License-Identifier: BSD-3-Clause
// Shares, buckets and group buffers follow from the strategies of the plan and the flat layout.
#include "reference/step/state_layout.hpp"

#include <algorithm>
#include <iterator>

#include "kernels/base/error.hpp"
#include "reference/step/strategy.hpp"

namespace shardstone::reference {

namespace {

constexpr std::size_t buffers_of_blocks = 2;

bool is_block(const ParameterGroup& group) {
    return group.kind == ParameterGroup::Kind::block;
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
    : layout_(layout),
      sharding_(sharding_of(spec)),
      bucket_bytes_(spec.communication.bucket_bytes),
      replicas_(replicas(spec.plan)),
      replica_(replica_of(spec.plan, at)) {}

std::vector<Range> StateLayout::buckets(std::size_t group) const {
    return buckets_of(layout_.groups()[group], bucket_bytes_);
}

Range StateLayout::share_of(const Range& bucket) const {
    const EvenShare share = even_share(bucket.count, replicas_, replica_);
    return {bucket.first + share.first, share.count};
}

Range StateLayout::owned_of(const Range& bucket) const {
    return sharding_.optimizer ? share_of(bucket) : bucket;
}

std::vector<Range> StateLayout::shares() const {
    std::vector<Range> shares;
    for (std::size_t group = 0; group < layout_.groups().size(); ++group) {
        for (const Range& bucket : buckets(group)) {
            const Range share = share_of(bucket);
            if (share.count > 0) shares.push_back(share);
        }
    }
    return shares;
}

std::vector<Range> StateLayout::owned() const {
    if (sharding_.optimizer) return shares();
    return {{0, layout_.count()}};
}

std::size_t StateLayout::buffer_of_group(std::size_t group) const {
    const auto& groups = layout_.groups();
    const auto before = groups.begin() + static_cast<std::ptrdiff_t>(group);
    const auto blocks = static_cast<std::size_t>(std::count_if(groups.begin(), before, is_block));
    return is_block(groups[group]) ? blocks % buffers_of_blocks
                                   : buffers_of_blocks + group - blocks;
}

std::size_t StateLayout::group_buffers() const {
    std::size_t count = 0;
    for (std::size_t group = 0; group < layout_.groups().size(); ++group) {
        count = std::max(count, buffer_of_group(group) + 1);
    }
    return count;
}

StateLayout::BufferPosition StateLayout::position_of(std::int64_t flat) const {
    const auto& groups = layout_.groups();
    const auto group =
        std::prev(std::ranges::upper_bound(groups, flat, {}, &ParameterGroup::first));
    return {buffer_of_group(static_cast<std::size_t>(group - groups.begin())), flat - group->first};
}

std::vector<std::int64_t> StateLayout::buffer_sizes() const {
    std::vector<std::int64_t> sizes(group_buffers(), 0);
    for (std::size_t group = 0; group < layout_.groups().size(); ++group) {
        auto& size = sizes[buffer_of_group(group)];
        size = std::max(size, layout_.groups()[group].count);
    }
    return sizes;
}

}  // namespace shardstone::reference
