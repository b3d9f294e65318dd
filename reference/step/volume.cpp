// SPDX-License-Identifier: BSD-3-Clause
// The bytes that a rank's step program sends, inside nodes and between them, counted by group.
#include "reference/step/volume.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace shardstone::reference {

namespace {

namespace coll = collectives;

/// Counts one rank's bytes; the same collective is looked at only once.
class Counter {
  public:
    Counter(const StepSpec& spec, int rank, const WireFormat& format, const GroupTopology& topology)
        : format_(format) {
        for (const GroupKind& kind : group_kinds()) {
            const RankGroup members(spec.plan, kind, rank);
            groups_.push_back({members, topology(kind), members.index_of(rank)});
        }
    }

    void add(GroupTransfer transfer) {
        transfer.range.first = 0;  // the same wherever it lies
        const auto [known, is_new] = known_.try_emplace(transfer);
        if (is_new) known->second = count(group(transfer.group), transfer);
        total[transfer.group] += known->second;
    }

    void add_message(int peer_stage, std::int64_t size_bytes) {
        const Group& stages = group(GroupKind::pipeline);
        const auto bytes = static_cast<double>(size_bytes);
        const bool inside = stages.topology.same_node(stages.rank, peer_stage);
        total[GroupKind::pipeline] +=
            inside ? coll::Traffic{bytes, 0.0} : coll::Traffic{0.0, bytes};
    }

    SentTraffic total{};

  private:
    struct Group {
        RankGroup members;
        coll::Topology topology;
        int rank;  ///< within the group
    };

    const Group& group(GroupKind kind) const { return groups_[index_of(kind)]; }

    coll::Traffic count(const Group& group, const GroupTransfer& transfer) const {
        const int ranks = group.topology.size();
        if (ranks == 1) return {};
        return coll::scheduled_traffic(format_.algorithm(transfer), group.topology, group.rank,
                                       format_.collective(transfer, ranks));
    }

    const WireFormat& format_;
    std::vector<Group> groups_;  ///< as group_kinds()
    std::map<GroupTransfer, coll::Traffic> known_;
};

}  // namespace

GroupTopology one_node(const ParallelPlan& plan, int rank) {
    return [=](GroupKind group) {
        return coll::Topology::one_node(RankGroup(plan, group, rank).size());
    };
}

namespace {

/// With or without the transfers that vary.
SentTraffic traffic_of(const StepSpec& spec, const StepProgram& program, int rank,
                       const WireFormat& format, const GroupTopology& topology, bool with_varying) {
    Counter counter(spec, rank, format, topology);
    const std::int64_t message_bytes = format.message_bytes(part_of(spec, rank));
    for (const Action& action : program.actions) {
        if (action.kind == Action::Kind::transfer) {
            if (with_varying || !action.transfer.varies()) counter.add(action.transfer);
        } else if (action.kind == Action::Kind::send) {
            counter.add_message(action.message.peer_stage, message_bytes);
        }
    }
    return counter.total;
}

}  // namespace

SentTraffic scheduled_traffic(const StepSpec& spec, const StepProgram& program, int rank,
                              const WireFormat& format, const GroupTopology& topology) {
    return traffic_of(spec, program, rank, format, topology, true);
}

SentBytes scheduled_bytes(const StepSpec& spec, const StepProgram& program, int rank,
                          const WireFormat& format, const GroupTopology& topology) {
    SentBytes bytes{};
    const SentTraffic traffic = traffic_of(spec, program, rank, format, topology, false);
    std::ranges::transform(traffic, bytes.begin(), [](const coll::Traffic& sent) {
        return static_cast<std::int64_t>(sent.bytes());  // exact below 2^53
    });
    return bytes;
}

}  // namespace shardstone::reference
