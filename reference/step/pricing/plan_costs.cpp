// SPDX-License-Identifier: BSD-3-Clause
// Prices computations by the machine's rates, messages and collectives by the network cost model.
#include "reference/step/pricing/plan_costs.hpp"

#include "collectives/pricing/choice.hpp"
#include "collectives/simulation/fabric.hpp"
#include "kernels/base/exact_sum.hpp"

namespace shardstone::reference {

namespace {

namespace coll = collectives;

std::vector<int> nodes_in(const coll::Topology& topology) {
    std::vector<int> nodes;
    for (int rank = 0; rank < topology.size(); ++rank) nodes.push_back(topology.node_of(rank));
    return nodes;
}

}  // namespace

PlanCosts::PlanCosts(const StepSpec& spec, const Machine& machine, const MemoryOptions& options)
    : spec_(spec),
      sharding_(sharding_of(spec)),
      machine_(machine),
      options_(options),
      format_(spec, options.element_bytes) {
    require_room(machine, spec.plan);
    for (int rank = 0; rank < spec.plan.ranks(); ++rank) {
        Rank& self = ranks_.emplace_back(part_of(spec, rank), parameter_counts(spec, rank));
        for (const ModelChunk& chunk : self.part.chunks) self.units.push_back(chunk.units());
    }
    for (const GroupKind& kind : group_kinds()) {
        clusters_.push_back(machine.shared_by(spec.plan, kind));
    }
}

double PlanCosts::compute_s(int rank, const Action& action) const {
    PassWork work;
    if (action.is_pass()) {
        work = work_of(rank, action);
    } else if (action.kind == Action::Kind::norm) {
        work.bytes = norm_bytes(rank);
    } else if (action.kind == Action::Kind::tensor_norms) {
        work.bytes = tensor_norms_bytes(rank);
    } else if (action.kind == Action::Kind::update) {
        work.bytes = update_bytes(rank);
    }
    return work.flop / machine_.flop_per_s + work.bytes / machine_.memory_bytes_per_s;
}

PassWork PlanCosts::work_of(int rank, const Action& pass) const {
    const Rank& self = ranks_[static_cast<std::size_t>(rank)];
    const auto& units = self.units[static_cast<std::size_t>(pass.chunk)];
    const Unit::Kind unit = units[static_cast<std::size_t>(pass.unit)].kind;
    const auto [known, is_new] = self.known.try_emplace({unit, pass.pass()});
    if (is_new) {
        known->second = unit_work(spec_, self.part, unit, pass.pass(), options_.element_bytes);
    }
    return known->second.of(pass);
}

std::int64_t PlanCosts::owned_parameters(int rank) const {
    const ParameterCounts& counts = ranks_[static_cast<std::size_t>(rank)].counts;
    return sharding_.optimizer ? counts.owned : counts.all;
}

/// Gradients are read where the norm is taken; exact sums are rounded to them first.
double PlanCosts::norm_bytes(int rank) const {
    const auto owned = static_cast<double>(owned_parameters(rank));
    const auto element = static_cast<double>(options_.element_bytes);
    const double rounding = spec_.reproducible ? sizeof(ExactPair) + element : 0.0;
    return owned * (element + rounding);
}

/// Reads weight and gradient; LAMB reads and writes its numbers here (LARS leaves its own alone).
double PlanCosts::tensor_norms_bytes(int rank) const {
    return static_cast<double>(owned_parameters(rank) * options_.element_bytes *
                               (2 + 2 * options_.moments));
}

/// Reads weight and gradient, reads and writes the optimizer's numbers, writes the weight.
double PlanCosts::update_bytes(int rank) const {
    return static_cast<double>(owned_parameters(rank) * options_.element_bytes *
                               (3 + 2 * options_.moments));
}

double PlanCosts::message_s(int sender, const Action& send) const {
    const coll::CostParameters costs = coll::costs_of(cluster(GroupKind::pipeline));
    const int receiver = rank_of_stage(spec_.plan, sender, send.message.peer_stage);
    const bool inside = machine_.node_of(sender) == machine_.node_of(receiver);
    const coll::LinkCost& link = inside ? costs.intra_node : costs.inter_node;
    return link.time_s(format_.message_bytes(part(sender)));
}

double PlanCosts::transfer_s(int member, const GroupTransfer& transfer) const {
    const RankGroup group(spec_.plan, transfer.group, member);
    const coll::Topology topology = machine_.topology_of(group);
    GroupTransfer anywhere = transfer;
    anywhere.range.first = 0;
    const auto [known, is_new] = known_.try_emplace({anywhere, nodes_in(topology)}, 0.0);
    if (is_new) known->second = priced_s(transfer, topology);
    return known->second;
}

double PlanCosts::priced_s(const GroupTransfer& transfer, const coll::Topology& topology) const {
    if (topology.size() == 1 || transfer.range.count == 0) return 0.0;
    const coll::CollectiveSpec spec = format_.collective(transfer, topology.size());
    const coll::Algorithm algorithm = format_.algorithm(transfer);
    const coll::ClusterDescription& cluster = this->cluster(transfer.group);
    auto prediction = coll::predict(algorithm, topology, spec, cluster);
    if (!prediction) {
        prediction = coll::predict(coll::find_algorithm(*algorithm.operation, "ring"), topology,
                                   spec, cluster);
    }
    return prediction->time_s;
}

}  // namespace shardstone::reference
