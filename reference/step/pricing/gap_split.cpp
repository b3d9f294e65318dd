// SPDX-License-Identifier: BSD-3-Clause
// Where a step's time went: its losses are taken away one by one, and the step replayed.
#include "reference/step/pricing/gap_split.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "kernels/base/statistics.hpp"

namespace shardstone::reference {

namespace {

/// Parts are differences between replays of thousands of sums; a part of a step that is smaller is
/// no time.
constexpr double least_share = 1e-12;

/// In the order in which they are taken away.
constexpr std::array parts_of_pieces{
    std::pair(LinkPiece::waiting_for_cores, GapPart::waiting_for_cores),
    std::pair(LinkPiece::slower_between_nodes, GapPart::slower_between_nodes),
    std::pair(LinkPiece::slower_inside_nodes, GapPart::slower_inside_nodes),
    std::pair(LinkPiece::between_nodes, GapPart::between_nodes),
    std::pair(LinkPiece::inside_nodes, GapPart::inside_nodes),
    std::pair(LinkPiece::latency, GapPart::latency)};

double least(std::span<const double> samples) {
    return std::ranges::min(samples);
}

/// Where passes are longer than their mean: one stage has no order of passes to wait for, and
/// its ranks have the same work, so that there it is what they differ by.
GapPart rest_of(const ParallelPlan& plan) {
    return plan.pipeline > 1 ? GapPart::bubble : GapPart::imbalance;
}

}  // namespace

GapSplitter::GapSplitter(const StepSpec& spec, const Machine& machine, const MemoryOptions& memory,
                         std::span<const StepProgram> programs, bool paced)
    : spec_(spec),
      programs_(programs),
      paced_(paced),
      overlapped_(spec, programs),
      links_(spec, machine, memory, overlapped_.programs()) {}

GapSplit GapSplitter::split(const StepTimes& times) const {
    GapSplit split{};
    double left_s = times.step_s;
    StepTimes left = times;
    const auto give = [&](GapPart part, std::span<const StepProgram> programs) {
        const double now_s = replayed_s(spec_.plan, programs, left);
        split[static_cast<std::size_t>(part)] += left_s - now_s;
        left_s = now_s;
    };
    change_computations(left, [](const Action&, auto& one) { one.before_s = 0.0; });
    give(GapPart::other, programs_);
    change_computations(left, [](const Action&, auto& one) { one.core_s = 0.0; });
    give(GapPart::waiting_for_cores, programs_);
    left = without_imbalance(left, left_s);
    give(GapPart::imbalance, programs_);
    change_computations(left, [](const Action&, auto& one) { one.input_s = 0.0; });
    give(GapPart::input, programs_);
    left = overlapped_.times(left);
    give(GapPart::overlap_off, overlapped_.programs());
    const StepTimes whole = left;
    for (const auto& [piece, part] : parts_of_pieces) {
        links_.shorten(piece, 1.0, whole, left);
        give(part, overlapped_.programs());
    }
    change_computations(left, [](const Action& action, auto& one) {
        if (action.kind == Action::Kind::recompute) one = {};
    });
    give(GapPart::recomputation, overlapped_.programs());
    change_computations(left, [](const Action& action, auto& one) {
        if (!action.is_pass()) one = {};
    });
    give(GapPart::optimizer, overlapped_.programs());
    // What a rank has done before the last one began is not of this step.
    const double ideal_s = std::min(useful_s(left), left_s);
    split[static_cast<std::size_t>(GapPart::useful)] = ideal_s;
    split[static_cast<std::size_t>(rest_of(spec_.plan))] += left_s - ideal_s;
    for (double& part_s : split) {
        if (std::abs(part_s) < least_share * times.step_s) part_s = 0.0;
    }
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

/// Medians may come from different ranks, and together be longer than what any of them did; means,
/// which weigh all ranks alike, only where the slower ranks of a stage have the faster messages.
StepTimes GapSplitter::without_imbalance(const StepTimes& times, double step_s) const {
    const std::vector<Average> averages =
        paced_ ? std::vector<Average>{least} : std::vector<Average>{median, mean};
    for (const Average average : averages) {
        StepTimes even = times;
        balance(even, average);
        if (replayed_s(spec_.plan, programs_, even) <= step_s) return even;
    }
    return times;
}

/// Ranks of one stage have the same work: each computation takes the average of theirs.
void GapSplitter::balance(StepTimes& times, Average average) const {
    using Times = StepTimes::Computation;
    std::map<int, std::vector<std::size_t>> by_stage;
    for (std::size_t rank = 0; rank < programs_.size(); ++rank) {
        by_stage[coordinates_of(spec_.plan, static_cast<int>(rank)).pipeline].push_back(rank);
    }
    for (const auto& [stage, ranks] : by_stage) {
        for (std::size_t at = 0; at < times.computations[ranks.front()].size(); ++at) {
            const auto typical_s = [&](double Times::*time_s) {
                std::vector<double> of_ranks;
                for (const std::size_t rank : ranks) {
                    of_ranks.push_back(times.computations[rank][at].*time_s);
                }
                return average(of_ranks);
            };
            const Times typical{.input_s = typical_s(&Times::input_s),
                                .itself_s = typical_s(&Times::itself_s)};
            for (const std::size_t rank : ranks) times.computations[rank][at] = typical;
        }
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
