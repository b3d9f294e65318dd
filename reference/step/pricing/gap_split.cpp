// SPDX-License-Identifier: BSD-3-Clause
// Where a step's time went: its losses are taken away one by one, and the step replayed.
#include "reference/step/pricing/gap_split.hpp"

#include <algorithm>
#include <map>
#include <utility>

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

Machine without_bytes(const Machine& given) {
    Machine machine = without_bytes_between(given);
    machine.cluster.intra_node.bandwidth_gb_s = no_limit_gb_s;
    if (machine.cluster.shared_memory) {
        machine.cluster.shared_memory->bandwidth_gb_s = no_limit_gb_s;
    }
    machine.cluster.reduction.rate_gb_s = no_limit_gb_s;
    return machine;
}

double between_share(double all_s, double only_latency_s, double without_between_s) {
    if (!(all_s > only_latency_s)) return 0.0;
    return std::clamp((all_s - without_between_s) / (all_s - only_latency_s), 0.0, 1.0);
}

}  // namespace

double GapSplitter::Price::piece_s(Piece piece, double whole_s) const {
    const double start_s = std::min(latency_s, whole_s);
    const double between_s = between_share * (whole_s - start_s);
    if (piece == Piece::latency) return start_s;
    return piece == Piece::between_nodes ? between_s : whole_s - start_s - between_s;
}

GapSplitter::GapSplitter(const StepSpec& spec, const Machine& machine, const MemoryOptions& memory,
                         std::span<const StepProgram> programs)
    : spec_(spec), programs_(programs) {
    const Machine plain = summarised(machine);
    const PlanCosts all(spec, plain, memory), latency(spec, without_bytes(plain), memory),
        without_between(spec, without_bytes_between(plain), memory);
    const auto price = [&](auto cost_s) -> Price {
        const double latency_s = cost_s(latency);
        return {latency_s,
                reference::between_share(cost_s(all), latency_s, cost_s(without_between))};
    };
    for (int rank = 0; rank < std::ssize(programs); ++rank) {
        for (const Action& action : programs[static_cast<std::size_t>(rank)].actions) {
            if (action.kind == Action::Kind::send) {
                const int peer = rank_of_stage(spec.plan, rank, action.message.peer_stage);
                of_messages_[{rank, peer, action.message.id}] =
                    price([&](const PlanCosts& costs) { return costs.message_s(rank, action); });
            }
            if (action.kind != Action::Kind::transfer) continue;
            const GroupKind kind = action.transfer.group;
            if (RankGroup(spec.plan, kind, rank).first() != rank) continue;
            of_transfers_[{rank, kind}].push_back(price(
                [&](const PlanCosts& costs) { return costs.transfer_s(rank, action.transfer); }));
        }
    }
}

GapSplit GapSplitter::split(const StepTimes& times) const {
    GapSplit split{};
    double left_s = times.step_s;
    StepTimes left = times;
    const auto give = [&](GapPart part) {
        const double now_s = replayed_s(spec_.plan, programs_, left);
        split[static_cast<std::size_t>(part)] = left_s - now_s;
        left_s = now_s;
    };
    change_computations(left, [](const Action&, auto& one) { one.before_s = 0.0; });
    give(GapPart::other);
    balance(left);
    give(GapPart::imbalance);
    change_computations(left, [](const Action&, auto& one) { one.input_s = 0.0; });
    give(GapPart::input);
    for (const auto& [piece, part] : {std::pair(Piece::between_nodes, GapPart::between_nodes),
                                      std::pair(Piece::inside_nodes, GapPart::inside_nodes),
                                      std::pair(Piece::latency, GapPart::latency)}) {
        take_away(piece, times, left);
        give(part);
    }
    change_computations(left, [](const Action& action, auto& one) {
        if (action.kind == Action::Kind::recompute) one = {};
    });
    give(GapPart::recomputation);
    change_computations(left, [](const Action& action, auto& one) {
        if (!action.is_pass()) one = {};
    });
    give(GapPart::optimizer);
    split[static_cast<std::size_t>(GapPart::useful)] = useful_s(left);
    split[static_cast<std::size_t>(GapPart::bubble)] = left_s - useful_s(left);
    return split;
}

/// `change(action, computation)` of every computation of every rank.
template <class Change>
void GapSplitter::change_computations(StepTimes& times, Change change) const {
    for (std::size_t rank = 0; rank < programs_.size(); ++rank) {
        std::size_t at = 0;
        for (const Action& action : programs_[rank].actions) {
            if (!action.is_communication()) change(action, times.computations[rank][at++]);
        }
    }
}

/// Ranks of one stage have the same work: each computation takes the mean of theirs.
void GapSplitter::balance(StepTimes& times) const {
    std::map<int, std::vector<std::size_t>> by_stage;
    for (std::size_t rank = 0; rank < programs_.size(); ++rank) {
        by_stage[coordinates_of(spec_.plan, static_cast<int>(rank)).pipeline].push_back(rank);
    }
    for (const auto& [stage, ranks] : by_stage) {
        const double share = 1.0 / static_cast<double>(ranks.size());
        for (std::size_t at = 0; at < times.computations[ranks.front()].size(); ++at) {
            StepTimes::Computation mean;
            for (const std::size_t rank : ranks) {
                const auto& one = times.computations[rank][at];
                mean.input_s += share * one.input_s;
                mean.itself_s += share * one.itself_s;
            }
            for (const std::size_t rank : ranks) times.computations[rank][at] = mean;
        }
    }
}

void GapSplitter::take_away(Piece piece, const StepTimes& whole, StepTimes& left) const {
    for (const auto& [group, prices] : of_transfers_) {
        auto& times_s = left.transfers_s.at(group);
        for (std::size_t i = 0; i < prices.size(); ++i) {
            times_s[i] -= prices[i].piece_s(piece, whole.transfers_s.at(group)[i]);
            times_s[i] = std::max(0.0, times_s[i]);  // of what rounding leaves
        }
    }
    for (const auto& [message, price] : of_messages_) {
        double& time_s = left.messages_s.at(message);
        time_s = std::max(0.0, time_s - price.piece_s(piece, whole.messages_s.at(message)));
    }
}

double GapSplitter::useful_s(const StepTimes& times) const {
    double sum_s = 0.0;
    for (const auto& of_rank : times.computations) {
        for (const auto& one : of_rank) sum_s += one.total_s();
    }
    return sum_s / static_cast<double>(programs_.size());
}

}  // namespace shardstone::reference
