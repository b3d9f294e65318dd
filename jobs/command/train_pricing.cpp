// SPDX-License-Identifier: BSD-3-Clause
// The machine on which a training is priced: its pace and nodes where nothing else is given.
#include "jobs/command/train_pricing.hpp"

#include <fmt/format.h>

#include "kernels/base/error.hpp"

namespace shardstone::command {

using namespace reference;

namespace {

/// As a description has them, between what trains.
void require_links(const PricingArguments& pricing, const TrainOptions& options,
                   const Machine& machine) {
    const std::string option = "--cluster " + pricing.cluster.string();
    collectives::require_links_between(options.device == DeviceKind::cuda, machine.cluster, option);
    const auto& gpus = machine.cluster.gpus;
    require(!gpus || gpus->transport == "nccl", [&] {
        return fmt::format(
            "{}: its links were measured over_{}, and messages of a training go through NCCL: give "
            "what shardstone calibrate --device cuda --over nccl measures",
            option, gpus->transport);
    });
}

}  // namespace

PricingMachine pricing_of(const TrainArguments& arguments, const TrainOptions& options) {
    PricingArguments pricing = arguments.pricing;
    if (options.pace) {
        pricing.gflop_per_s = options.pace->flop_per_s * 1e-9;
        pricing.memory_gb_per_s = options.pace->memory_bytes_per_s * 1e-9;
    }
    require(options.device == DeviceKind::cpu || (pricing.gflop_per_s && pricing.memory_gb_per_s),
            "--dry-run with --device cuda: what can be measured here are a core's rates; give a "
            "GPU's by --gflop-rate and --memory-rate");
    require(
        options.device == DeviceKind::cpu || !pricing.cluster.empty() || options.plan.ranks() == 1,
        "--dry-run with --device cuda: where no links are given, those of cores are assumed: "
        "give links between GPUs by --cluster, such as dgx-h100-rails or what shardstone "
        "calibrate --device cuda writes");
    auto machine = pricing_machine(pricing, options.plan.ranks(), options.precision);
    require_links(pricing, options, machine.machine);
    return machine;
}

Machine priced_on(const TrainArguments& arguments, const TrainOptions& options,
                  const collectives::Communicator& world) {
    Machine machine = pricing_of(arguments, options).machine;
    const auto& topology = world.found_topology();
    const int nodes = topology.nodes();
    if (nodes > 1) {
        for (int rank = 0; rank < world.size(); ++rank) {
            machine.placement.push_back(topology.node_of(rank));
        }
    }
    if (arguments.pricing.cluster.empty() && world.size() % nodes == 0) {
        machine.cluster.nodes = nodes;
        machine.cluster.ranks_per_node = world.size() / nodes;
    }
    require_room(machine, options.plan);
    return machine;
}

void require_described_room(const TrainArguments& arguments, const TrainOptions& options) {
    if (arguments.pricing.cluster.empty()) return;
    PricingArguments pricing = arguments.pricing;
    pricing.gflop_per_s = pricing.memory_gb_per_s = 1.0;  // any: the room does not depend on them
    const int ranks = options.plan.ranks();
    const Machine machine = pricing_machine(pricing, ranks, options.precision).machine;
    require_links(pricing, options, machine);
    require_room(machine, options.plan);
}

}  // namespace shardstone::command
