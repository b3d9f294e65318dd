// SPDX-License-Identifier: BSD-3-Clause
// Transfers and messages taken apart into latency and bytes by link class, as a description has it.
#include "reference/step/pricing/link_prices.hpp"

#include <algorithm>

#include "kernels/base/error.hpp"
#include "reference/step/pricing/plan_costs.hpp"

namespace shardstone::reference {

namespace {

constexpr double no_limit_gb_s = 1e9;

/// As its summary in alpha and bandwidth, without the sizes that were measured.
Machine summarised(const Machine& given) {
    Machine machine = given;
    for (auto* link : {&machine.cluster.intra_node, &machine.cluster.inter_node}) {
        link->measured = {};
    }
    if (machine.cluster.shared_memory) machine.cluster.shared_memory->measured = {};
    machine.cluster.reduction.measured = {};
    return machine;
}

Machine without_bytes_between(const Machine& given) {
    Machine machine = given;  // the uplinks of leaves are as fast as their NICs
    machine.cluster.inter_node.bandwidth_gb_s = no_limit_gb_s;
    if (machine.cluster.nics) machine.cluster.nics->bandwidth_gb_s = no_limit_gb_s;
    return machine;
}

Machine without_reducing(const Machine& given) {
    Machine machine = given;
    machine.cluster.reduction.rate_gb_s = no_limit_gb_s;
    return machine;
}

Machine without_bytes(const Machine& given) {
    Machine machine = without_reducing(without_bytes_between(given));
    machine.cluster.intra_node.bandwidth_gb_s = no_limit_gb_s;
    if (machine.cluster.shared_memory) {
        machine.cluster.shared_memory->bandwidth_gb_s = no_limit_gb_s;
    }
    return machine;
}

double between_share(double all_s, double only_latency_s, double without_between_s) {
    if (!(all_s > only_latency_s)) return 0.0;
    return std::clamp((all_s - without_between_s) / (all_s - only_latency_s), 0.0, 1.0);
}

}  // namespace

double LinkPrices::Price::piece_s(LinkPiece piece, const StepTimes::Movement& whole,
                                  double counted) const {
    const double start_s = std::min(latency_s, whole.time_s);
    const double beyond_s = counted * excess_s(whole);
    const double moving_s = whole.time_s - start_s - beyond_s;
    const double late_s = std::min(whole.late_s, beyond_s);
    switch (piece) {
        case LinkPiece::latency:
            return start_s;
        case LinkPiece::between_nodes:
            return between_share * moving_s;
        case LinkPiece::inside_nodes:
            return (1.0 - between_share) * moving_s;
        case LinkPiece::waiting_for_cores:
            return late_s;
        case LinkPiece::slower_between_nodes:
            return links_share * (beyond_s - late_s);
        case LinkPiece::slower_inside_nodes:
            return (1.0 - links_share) * (beyond_s - late_s);
    }
    fail("unknown piece of a transfer");
}

double LinkPrices::counted(std::span<const Price> prices,
                           std::span<const StepTimes::Movement> whole) {
    double longer_s = 0.0, excess_s = 0.0;
    for (std::size_t i = 0; i < prices.size(); ++i) {
        longer_s += whole[i].time_s - prices[i].total_s();
        excess_s += prices[i].excess_s(whole[i]);
    }
    return excess_s > 0.0 ? std::max(0.0, longer_s) / excess_s : 0.0;
}

LinkPrices::LinkPrices(const StepSpec& spec, const Machine& machine, const MemoryOptions& memory,
                       std::span<const StepProgram> programs) {
    const Machine plain = summarised(machine);
    const PlanCosts priced(spec, machine, memory), all(spec, plain, memory),
        latency(spec, without_bytes(plain), memory),
        without_between(spec, without_bytes_between(plain), memory),
        links(spec, without_reducing(plain), memory),
        links_inside(spec, without_reducing(without_bytes_between(plain)), memory);
    const auto price = [&](auto cost_s) -> Price {
        const double latency_s = cost_s(latency);
        return {latency_s, std::max(0.0, cost_s(priced) - latency_s),
                between_share(cost_s(all), latency_s, cost_s(without_between)),
                between_share(cost_s(links), latency_s, cost_s(links_inside))};
    };
    for (int rank = 0; rank < std::ssize(programs); ++rank) {
        for (const Action& action : programs[static_cast<std::size_t>(rank)].actions) {
            if (action.kind != Action::Kind::send) continue;
            const int peer = rank_of_stage(spec.plan, rank, action.message.peer_stage);
            of_messages_[{rank, peer, action.message.id}] =
                price([&](const PlanCosts& costs) { return costs.message_s(rank, action); });
        }
    }
    for_each_group_transfer(spec.plan, programs, [&](const auto& group, const Action& action) {
        of_transfers_[group].push_back(price([&](const PlanCosts& costs) {
            return costs.transfer_s(group.first, action.transfer);
        }));
    });
}

void LinkPrices::shorten(LinkPiece piece, double share, const StepTimes& whole,
                         StepTimes& left) const {
    const auto shorten_one = [&](const Price& price, const StepTimes::Movement& was, double counted,
                                 StepTimes::Movement& now) {
        const double less_s = share * price.piece_s(piece, was, counted);
        now.time_s = std::max(0.0, now.time_s - less_s);  // of rounding
    };
    for (const auto& [group, prices] : of_transfers_) {
        const auto& was = whole.transfers.at(group);
        auto& now = left.transfers.at(group);
        const double of_excess = counted(prices, was);
        for (std::size_t i = 0; i < prices.size(); ++i) {
            shorten_one(prices[i], was[i], of_excess, now[i]);
        }
    }
    for (const auto& [message, price] : of_messages_) {
        shorten_one(price, whole.messages.at(message), 1.0, left.messages.at(message));
    }
}

}  // namespace shardstone::reference
