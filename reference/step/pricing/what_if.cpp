// SPDX-License-Identifier: BSD-3-Clause
// What a step would take with faster links, perfect overlap, or another all-reduce: by replay.
#include "reference/step/pricing/what_if.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "collectives/pricing/choice.hpp"
#include "reference/step/pricing/plan_costs.hpp"

namespace shardstone::reference {

namespace {

namespace coll = collectives;

/// The all-reduces of a plan's groups, seen from the first rank of each.
struct AllReduces {
    std::vector<std::pair<StepTimes::GroupKey, const GroupTransfer*>> transfers;

    double sum_s(const PlanCosts& costs) const {
        double sum_s = 0.0;
        for (const auto& [group, transfer] : transfers) {
            sum_s += costs.transfer_s(group.first, *transfer);
        }
        return sum_s;
    }
};

bool suits_all(const coll::Algorithm& algorithm, const AllReduces& all, const StepSpec& spec,
               const Machine& machine, const WireFormat& format) {
    return std::ranges::all_of(all.transfers, [&](const auto& one) {
        const RankGroup group(spec.plan, one.second->group, one.first.first);
        const coll::Topology topology = machine.topology_of(group);
        return topology.size() == 1 ||
               coll::suits(algorithm, topology, format.collective(*one.second, topology.size()));
    });
}

}  // namespace

WhatIf::WhatIf(const StepSpec& spec, const Machine& machine, const MemoryOptions& memory,
               std::span<const StepProgram> programs)
    : spec_(spec), programs_(programs), links_(spec, machine, memory, programs) {
    const RankGroup all(spec.plan, GroupKind::world, 0);
    crosses_nodes_ = machine.topology_of(all).nodes() > 1;
    find_other_all_reduce(spec, machine, memory);
}

void WhatIf::find_other_all_reduce(const StepSpec& spec, const Machine& machine,
                                   const MemoryOptions& memory) {
    AllReduces all;
    for_each_group_transfer(spec.plan, programs_, [&](const auto& group, const Action& action) {
        if (action.transfer.operation != GroupTransfer::CollectiveKind::all_reduce) return;
        all.transfers.emplace_back(group, &action.transfer);
    });
    const PlanCosts now(spec, machine, memory);
    if (!(all.sum_s(now) > 0.0)) return;
    double least_s = std::numeric_limits<double>::infinity();
    StepSpec other = spec;
    for (const std::string& name : coll::algorithms_for("all_reduce")) {
        const coll::Algorithm algorithm = coll::find_algorithm("all_reduce", name);
        if (!algorithm.has_schedule() || algorithm.memory.allocate) continue;
        if (name == spec.communication.all_reduce) continue;
        if (!suits_all(algorithm, all, spec, machine, now.format())) continue;
        other.communication.all_reduce = name;
        const double sum_s = all.sum_s(PlanCosts(other, machine, memory));
        if (sum_s < least_s) std::tie(least_s, all_reduce_) = std::tie(sum_s, name);
    }
    if (all_reduce_.empty()) return;
    other.communication.all_reduce = all_reduce_;
    const PlanCosts then(other, machine, memory);
    for_each_group_transfer(spec.plan, programs_, [&](const auto& group, const Action& action) {
        const double now_s = now.transfer_s(group.first, action.transfer);
        const double then_s = then.transfer_s(group.first, action.transfer);
        factors_[group].push_back(now_s > 0.0 ? then_s / now_s : 1.0);
    });
}

std::vector<StepChange> WhatIf::changes() const {
    if (programs_.size() == 1) return {{"a core for every rank", ""}};
    std::vector<StepChange> all{
        {"slowest links twice as fast", crosses_nodes_ ? "between nodes" : "inside nodes"},
        {"all links as described", ""},
        {"a core for every rank", ""},
        {"perfect overlap", ""}};
    if (!all_reduce_.empty()) all.push_back({"another all-reduce", all_reduce_});
    return all;
}

std::vector<double> WhatIf::steps_s(const StepTimes& times) const {
    // What the replay does not explain of the step stays.
    const double unexplained_s = times.step_s - replayed_s(spec_.plan, programs_, times);
    const auto with = [&](const StepTimes& changed) {
        return replayed_s(spec_.plan, programs_, changed) + unexplained_s;
    };
    if (programs_.size() == 1) return {with(own_cores(times))};
    std::vector<double> all{with(faster_links(times)), with(links_as_described(times)),
                            with(own_cores(times)), overlapped_s(times) + unexplained_s};
    if (!all_reduce_.empty()) all.push_back(with(other_all_reduce(times)));
    return all;
}

StepTimes WhatIf::faster_links(const StepTimes& times) const {
    StepTimes faster = times;
    links_.shorten(crosses_nodes_ ? LinkPiece::between_nodes : LinkPiece::inside_nodes, 0.5, times,
                   faster);
    return faster;
}

StepTimes WhatIf::links_as_described(const StepTimes& times) const {
    StepTimes described = times;
    for (const LinkPiece piece :
         {LinkPiece::slower_between_nodes, LinkPiece::slower_inside_nodes}) {
        links_.shorten(piece, 1.0, times, described);
    }
    return described;
}

StepTimes WhatIf::without_late_looks(const StepTimes& times) const {
    StepTimes changed = times;
    links_.shorten(LinkPiece::waiting_for_cores, 1.0, times, changed);
    return changed;
}

StepTimes WhatIf::own_cores(const StepTimes& times) const {
    StepTimes changed = without_late_looks(times);
    for (auto& of_rank : changed.computations) {
        for (StepTimes::Computation& one : of_rank) one.core_s = 0.0;
    }
    return changed;
}

StepTimes WhatIf::other_all_reduce(const StepTimes& times) const {
    const StepTimes moving = without_late_looks(times);
    StepTimes changed = times;
    for (const auto& [group, factors] : factors_) {
        auto& transfers = changed.transfers.at(group);
        for (std::size_t i = 0; i < factors.size(); ++i) {
            const double moving_s = moving.transfers.at(group)[i].time_s;
            transfers[i].set_time(transfers[i].time_s + (factors[i] - 1.0) * moving_s);
        }
    }
    return changed;
}

double WhatIf::overlapped_s(const StepTimes& times) const {
    const StepTimes moving = without_late_looks(times);
    StepTimes free = times;
    double busiest_s = 0.0;
    for (const auto& [group, transfers] : moving.transfers) {
        double sum_s = 0.0;
        for (const StepTimes::Movement& one : transfers) sum_s += one.time_s;
        busiest_s = std::max(busiest_s, sum_s);
        for (StepTimes::Movement& one : free.transfers.at(group)) one.time_s = 0.0;
    }
    for (auto& [message, one] : free.messages) one.time_s = 0.0;
    return std::max(busiest_s, replayed_s(spec_.plan, programs_, free));
}

}  // namespace shardstone::reference
