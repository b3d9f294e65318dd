// SPDX-License-Identifier: BSD-3-Clause
// A step that was measured without overlap, as the programs with overlap would order it.
#include "reference/step/pricing/overlapped_step.hpp"

#include <deque>
#include <map>
#include <tuple>
#include <utility>

namespace shardstone::reference {

namespace {

/// Transfers of this identity keep their order.
using Identity = std::tuple<GroupTransfer, std::int64_t, int, int>;

Identity identity_of(const Action& action) {
    return {action.transfer, action.micro_batch, action.chunk, action.unit};
}

}  // namespace

OverlappedStep::OverlappedStep(const StepSpec& spec, std::span<const StepProgram> programs)
    : spec_(spec), given_(programs) {
    if (spec.communication.overlap) return;
    StepSpec overlapping = spec;
    overlapping.communication.overlap = true;
    overlapped_ = step_programs(overlapping);
}

StepTimes OverlappedStep::times(const StepTimes& given) const {
    if (overlapped_.empty()) return given;
    std::map<std::pair<StepTimes::GroupKey, Identity>, std::deque<double>> taken_s;
    std::map<StepTimes::GroupKey, std::size_t> next;
    for_each_group_transfer(spec_.plan, given_, [&](const auto& group, const Action& action) {
        taken_s[{group, identity_of(action)}].push_back(given.transfers_s.at(group)[next[group]++]);
    });
    StepTimes times = given;
    for (auto& [group, transfers_s] : times.transfers_s) transfers_s.clear();
    for_each_group_transfer(spec_.plan, overlapped_, [&](const auto& group, const Action& action) {
        auto& left_s = taken_s.at({group, identity_of(action)});
        times.transfers_s[group].push_back(left_s.front());
        left_s.pop_front();
    });
    return times;
}

}  // namespace shardstone::reference
