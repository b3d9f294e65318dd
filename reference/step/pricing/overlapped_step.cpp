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
    std::map<std::pair<StepTimes::GroupKey, Identity>, std::deque<StepTimes::Movement>> taken;
    std::map<StepTimes::GroupKey, std::size_t> next;
    for_each_group_transfer(spec_.plan, given_, [&](const auto& group, const Action& action) {
        taken[{group, identity_of(action)}].push_back(given.transfers.at(group)[next[group]++]);
    });
    StepTimes times = given;
    for (auto& [group, transfers] : times.transfers) transfers.clear();
    for_each_group_transfer(spec_.plan, overlapped_, [&](const auto& group, const Action& action) {
        auto& left = taken.at({group, identity_of(action)});
        times.transfers[group].push_back(left.front());
        left.pop_front();
    });
    return times;
}

}  // namespace shardstone::reference
