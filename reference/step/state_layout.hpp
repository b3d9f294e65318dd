// SPDX-License-Identifier: BSD-3-Clause
// What each replica holds, owns and counts of its part of the model's state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/model/parameter_layout.hpp"
#include "reference/step/step_program.hpp"

namespace shardstone::reference {

/// What the replicas of a part of the model share out among them; of the rest each holds all.
struct Sharding {
    bool optimizer = false;  ///< moments and master weights; replicas update what they own
    bool gradients = false;
    bool weights = false;
};

/// The replicas of what a parameter group holds: over them its gradients are summed.
constexpr GroupKind replicas_of(ParameterGroup::Kind kind) {
    return kind == ParameterGroup::Kind::experts ? GroupKind::expert_data : GroupKind::data;
}

/// Whether a kind of groups is such.
constexpr bool is_of_replicas(const GroupKind& kind) {
    return kind == GroupKind::data || kind == GroupKind::expert_data;
}

/// As the strategies of the plan have it (StrategyEntry::sharding).
Sharding sharding_of(const StepSpec& spec);

/// The state of one rank, by ranges of its flat parameter buffer (ParameterLayout).
///
/// Parameter groups are cut into buckets, which travel one by one; of each bucket every replica has
/// an even share. Where gradients or weights are shared out, groups come and go: blocks take turns
/// on two buffers, so that one can come or go while the other is in use, and the experts of blocks
/// on two others; the other groups have a buffer each.
class StateLayout {
  public:
    /// Of the rank at these coordinates.
    StateLayout(const StepSpec& spec, const ParameterLayout& layout, const Coordinates& at);

    const Sharding& sharding() const noexcept { return sharding_; }
    /// How many replicas a parameter group has.
    int replicas(std::size_t group) const;

    /// The pieces of at most bucket_bytes in FP32 that a group is cut into, ascending.
    std::vector<Range> buckets(std::size_t group) const;
    /// The replica's even share of a bucket, which lies in one group; it may be empty.
    Range share_of(const Range& bucket) const;
    /// What it updates of a bucket: its share, or all of it where the optimizer is not sharded.
    Range owned_of(const Range& bucket) const;
    /// All shares, ascending: together with the other replicas' every parameter once.
    std::vector<Range> shares() const;
    /// All that it updates, ascending.
    std::vector<Range> owned() const;

    std::size_t group_buffers() const { return group_buffers_; }
    /// The buffer that a group uses.
    std::size_t buffer_of_group(std::size_t group) const { return buffers_[group]; }
    /// Where an element of the flat buffer is while its group is in its buffer.
    struct BufferPosition {
        std::size_t buffer = 0;
        std::int64_t offset = 0;
    };
    BufferPosition position_of(std::int64_t flat) const;
    /// Parameters that each buffer holds: those the most that any group which uses it has.
    std::vector<std::int64_t> buffer_sizes() const;

  private:
    std::size_t group_of(std::int64_t flat) const;

    std::vector<ParameterGroup> groups_;  ///< of the layout, which has much more
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
