// SPDX-License-Identifier: BSD-3-Clause
// The state that each replica holds, owns and counts of its part of the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/model/parameter_layout.hpp"
#include "reference/step/step_program.hpp"

namespace shardstone::reference {

/// State sharded among the replicas of a part of the model; every replica holds all of the rest.
struct Sharding {
    bool optimizer =
        false;  ///< moments and master weights; replicas update the parameters they own
    bool gradients = false;
    bool weights = false;
};

/// The replicas of a parameter group, over which its gradients are summed.
constexpr GroupKind replicas_of(ParameterGroup::Kind kind) {
    return kind == ParameterGroup::Kind::experts ? GroupKind::expert_data : GroupKind::data;
}

/// Whether a kind of groups consists of replicas.
constexpr bool is_of_replicas(const GroupKind& kind) {
    return kind == GroupKind::data || kind == GroupKind::expert_data;
}

/// As set by the strategies of the plan (StrategyEntry::sharding).
Sharding sharding_of(const StepSpec& spec);

/// The state of one rank, by ranges of its flat parameter buffer (ParameterLayout).
///
/// Parameter groups are cut into buckets, which are transferred one by one; every replica has an
/// even share of each bucket. If gradients or weights are sharded, groups are in memory only
/// temporarily: blocks alternate between two buffers, so that one can be transferred while the
/// other is in use, and the experts of blocks between two others; every other group has a buffer of
/// its own.
class StateLayout {
  public:
    /// Layout of the rank at these coordinates.
    StateLayout(const StepSpec& spec, const ParameterLayout& layout, const Coordinates& at);

    const Sharding& sharding() const noexcept { return sharding_; }
    /// Number of replicas of a parameter group.
    int replicas(std::size_t group) const;

    /// The buckets of a group, of at most bucket_bytes in FP32, in ascending order.
    std::vector<Range> buckets(std::size_t group) const;
    /// The replica's even share of a bucket, which lies in one group; it may be empty.
    Range share_of(const Range& bucket) const;
    /// The part of a bucket that it updates: its share, or all of it if the optimizer is not
    /// sharded.
    Range owned_of(const Range& bucket) const;
    /// All its shares, ascending; together with those of the other replicas they cover every
    /// parameter once.
    std::vector<Range> shares() const;
    /// All parts that it updates, ascending.
    std::vector<Range> owned() const;

    std::size_t group_buffers() const { return group_buffers_; }
    /// The buffer used by a group.
    std::size_t buffer_of_group(std::size_t group) const { return buffers_[group]; }
    /// Location of an element of the flat buffer while its group is in its buffer.
    struct BufferPosition {
        std::size_t buffer = 0;
        std::int64_t offset = 0;
    };
    BufferPosition position_of(std::int64_t flat) const;
    /// Parameters in each buffer: the maximum over the groups that use it.
    std::vector<std::int64_t> buffer_sizes() const;

  private:
    std::size_t group_of(std::int64_t flat) const;

    std::vector<ParameterGroup> groups_;  ///< of the layout, which is much larger
    std::vector<std::size_t> buffers_;    ///< by group
    std::size_t group_buffers_ = 0;
    std::int64_t parameters_;
    Sharding sharding_;
    std::int64_t bucket_bytes_;
    ParallelPlan plan_;
    Coordinates at_;
};

/// A parameter group cut into pieces of at most `bucket_bytes` in FP32.
std::vector<Range> buckets_of(const ParameterGroup& group, std::int64_t bucket_bytes);

}  // namespace shardstone::reference
