// SPDX-License-Identifier: BSD-3-Clause
// A machine whose links count as much as its passes, and losses planted in its costs.
#include "validation/unit/reference/step/pricing/planted_costs.hpp"

#include "reference/step/pricing/step_times.hpp"

namespace shardstone::validation {

using namespace reference;

namespace {

Machine with_slow_links(Machine machine, double factor) {
    machine.cluster.inter_node.bandwidth_gb_s /= factor;
    return machine;
}

}  // namespace

Machine small_cluster(int ranks) {
    Machine machine = typical_node(ranks, 3e7, 3e8);
    machine.cluster.nodes = (ranks + 1) / 2;
    machine.cluster.ranks_per_node = 2;
    machine.cluster.intra_node.alpha_s = 2e-6;
    machine.cluster.intra_node.bandwidth_gb_s = 0.1;
    machine.cluster.inter_node.alpha_s = 20e-6;
    machine.cluster.inter_node.bandwidth_gb_s = 0.003;
    machine.cluster.reduction.rate_gb_s = 5.0;
    return machine;
}

PlantedCosts::PlantedCosts(const StepSpec& spec, const Machine& machine, const Planted& planted)
    : spec_(spec),
      planted_(planted),
      computing_(spec, machine, {}),
      moving_(spec, with_slow_links(machine, planted.slow_link), {}) {}

double PlantedCosts::compute_s(int rank, const Action& action) const {
    const bool is_slow = rank == spec_.plan.ranks() - 1;
    const bool loads = loads_data(action, part_of(spec_, rank));
    return computing_.compute_s(rank, action) * (is_slow ? planted_.slow_rank : 1.0) +
           (loads ? planted_.input_s : 0.0);
}

double PlantedCosts::message_s(int sender, const Action& send) const {
    return moving_.message_s(sender, send);
}

double PlantedCosts::transfer_s(int member, const GroupTransfer& transfer) const {
    return moving_.transfer_s(member, transfer);
}

}  // namespace shardstone::validation
