// SPDX-License-Identifier: BSD-3-Clause
// The registry of pipeline schedules, and whether one takes so many stages, chunks, micro-batches.
#include "reference/step/schedules/schedule.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

/// Inside a function, so that it is there for whichever file registers itself first.
std::vector<PipelineSchedule>& registry() {
    static std::vector<PipelineSchedule> all;
    return all;
}

}  // namespace

const std::vector<PipelineSchedule>& pipeline_schedules() {
    return registry();
}

const PipelineSchedule& find_pipeline_schedule(std::string_view name) {
    const auto found = std::ranges::find(pipeline_schedules(), name, &PipelineSchedule::name);
    if (found != pipeline_schedules().end()) return *found;
    std::vector<std::string> choices;
    for (const PipelineSchedule& schedule : pipeline_schedules()) choices.push_back(schedule.name);
    fail(fmt::format("unknown pipeline schedule '{}': use {}", name, fmt::join(choices, ", ")));
}

void require_shape(const PipelineSchedule& schedule, const PipelineShape& shape) {
    require(shape.stages > 0 && shape.chunks > 0 && shape.micro_batches > 0, [&] {
        return fmt::format("{} stages, {} chunks and {} micro-batches must all be positive",
                           shape.stages, shape.chunks, shape.micro_batches);
    });
    require(schedule.takes_chunks || shape.chunks == 1, [&] {
        return fmt::format(
            "schedule {} takes 1 chunk per stage, not {}: use 1 or the interleaved "
            "schedule",
            schedule.name, shape.chunks);
    });
    schedule.require(shape);
}

PipelineScheduleRegistration::PipelineScheduleRegistration(PipelineSchedule schedule) {
    std::vector<PipelineSchedule>& all = registry();
    const auto after = std::ranges::upper_bound(all, schedule.name, {}, &PipelineSchedule::name);
    all.insert(after, std::move(schedule));
}

}  // namespace shardstone::reference
