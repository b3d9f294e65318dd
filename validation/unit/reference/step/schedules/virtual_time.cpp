// SPDX-License-Identifier: BSD-3-Clause
// Plays a pipeline schedule against a clock to find its faults, bubble and live activations.
#include "validation/unit/reference/step/schedules/virtual_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "kernels/base/error.hpp"

namespace shardstone::validation {

namespace {

constexpr std::int64_t never = -1;

std::string to_string(const StagePass& stage_pass) {
    constexpr std::array names{"forward", "recompute", "backward", "backward_input",
                               "backward_weight"};
    return fmt::format("{} of micro-batch {} on chunk {}",
                       names[static_cast<std::size_t>(stage_pass.pass)], stage_pass.micro_batch,
                       stage_pass.chunk);
}

/// What a pass ends on its part of the model: 0 is the forward pass, 1 the input half and 2 the
/// weight half of the backward pass.
constexpr int kinds = 3;

std::span<const int> ended_by(Pass pass) {
    static constexpr std::array<int, kinds> all{0, 1, 2};
    const std::span<const int> from(all);
    switch (pass) {
        case Pass::forward:
            return from.subspan(0, 1);
        case Pass::backward:
            return from.subspan(1, 2);
        case Pass::backward_input:
            return from.subspan(1, 1);
        case Pass::backward_weight:
            return from.subspan(2, 1);
        case Pass::recompute:
            break;
    }
    fail("a schedule recomputes nothing");
}

/// When each kind is over, for each micro-batch on each part of the model.
class Clock {
  public:
    explicit Clock(const PipelineShape& shape)
        : parts_(std::int64_t{shape.chunks} * shape.stages),
          micro_batches_(shape.micro_batches),
          ends_(static_cast<std::size_t>(kinds * parts_ * micro_batches_), never) {}

    std::int64_t& end(int kind, std::int64_t part, std::int64_t micro_batch) {
        return ends_[static_cast<std::size_t>((kind * parts_ + part) * micro_batches_ +
                                              micro_batch)];
    }

    /// When all that the stage pass needs is there, or never.
    std::int64_t ready(const StagePass& stage_pass, std::int64_t part) {
        const std::int64_t i = stage_pass.micro_batch;
        if (stage_pass.pass == Pass::forward) return part == 0 ? 0 : end(0, part - 1, i);
        if (stage_pass.pass == Pass::backward_weight) return end(1, part, i);
        const std::int64_t activation = end(0, part, i);
        if (part == parts_ - 1) return activation;
        const std::int64_t gradient = end(1, part + 1, i);
        return std::min(activation, gradient) == never ? never : std::max(activation, gradient);
    }

  private:
    std::int64_t parts_;
    std::int64_t micro_batches_;
    std::vector<std::int64_t> ends_;
};

std::int64_t time_of(Pass pass, const PassTimes& times) {
    const std::array by_kind{times.forward, times.backward_input, times.backward_weight};
    std::int64_t time = 0;
    for (const int kind : ended_by(pass)) time += by_kind[static_cast<std::size_t>(kind)];
    return time;
}

/// A stage's own stage passes: every pass on every chunk once, each kind in the order of the
/// micro-batches.
std::string fault_of_stage(const PipelineShape& shape, int stage,
                           const std::vector<StagePass>& stage_passes) {
    std::vector<std::array<std::int64_t, kinds>> next(static_cast<std::size_t>(shape.chunks));
    for (const StagePass& stage_pass : stage_passes) {
        if (stage_pass.chunk < 0 || stage_pass.chunk >= shape.chunks)
            return fmt::format("stage {}: {}: no such chunk", stage, to_string(stage_pass));
        for (const int kind : ended_by(stage_pass.pass)) {
            auto& expected =
                next[static_cast<std::size_t>(stage_pass.chunk)][static_cast<std::size_t>(kind)];
            if (stage_pass.micro_batch != expected || expected == shape.micro_batches)
                return fmt::format("stage {}: {}, where micro-batch {} of {} is next", stage,
                                   to_string(stage_pass), expected, shape.micro_batches);
            ++expected;
        }
    }
    for (const auto& counts : next)
        for (const std::int64_t count : counts)
            if (count != shape.micro_batches)
                return fmt::format("stage {}: {} passes of a kind on a chunk, not {}", stage, count,
                                   shape.micro_batches);
    return "";
}

/// A stage and its passes. run() goes on until it has to wait, and says whether it came on at
/// all.
struct Stage {
    int index = 0;
    std::size_t next = 0;
    std::int64_t first = never;
    std::int64_t now = 0;
    std::int64_t live = 0;
    std::int64_t peak = 0;

    bool run(const std::vector<StagePass>& stage_passes, const PipelineShape& shape,
             const PassTimes& times, Clock& clock) {
        const std::size_t before = next;
        for (; next < stage_passes.size(); ++next) {
            const StagePass& stage_pass = stage_passes[next];
            const std::int64_t part = std::int64_t{stage_pass.chunk} * shape.stages + index;
            const std::int64_t ready = clock.ready(stage_pass, part);
            if (ready == never) break;
            now = std::max(now, ready);
            if (first == never) first = now;
            now += time_of(stage_pass.pass, times);
            for (const int kind : ended_by(stage_pass.pass))
                clock.end(kind, part, stage_pass.micro_batch) = now;
            if (stage_pass.pass == Pass::forward) peak = std::max(peak, ++live);
            if (ended_by(stage_pass.pass).back() == 2) --live;
        }
        return next > before;
    }
};

}  // namespace

PassesByStage stage_passes_of_all(const PipelineSchedule& schedule, const PipelineShape& shape) {
    PassesByStage stage_passes;
    for (int stage = 0; stage < shape.stages; ++stage)
        stage_passes.push_back(schedule.stage_passes(shape, stage));
    return stage_passes;
}

double Played::bubble(const PipelineShape& shape, const PassTimes& times) const {
    const std::int64_t busy = shape.chunks * shape.micro_batches * times.sum();
    return static_cast<double>(total - busy) / static_cast<double>(total);
}

Played play(const PipelineShape& shape, const PassesByStage& stage_passes, const PassTimes& times) {
    Played played;
    std::vector<Stage> stages;
    for (int stage = 0; stage < shape.stages; ++stage) {
        played.fault =
            fault_of_stage(shape, stage, stage_passes.at(static_cast<std::size_t>(stage)));
        if (!played.fault.empty()) return played;
        stages.push_back({.index = stage});
    }
    Clock clock(shape);
    for (bool moved = true; moved;) {
        moved = false;
        for (Stage& stage : stages)
            if (stage.run(stage_passes[static_cast<std::size_t>(stage.index)], shape, times, clock))
                moved = true;
    }
    for (const Stage& stage : stages) {
        const auto& own = stage_passes[static_cast<std::size_t>(stage.index)];
        if (stage.next < own.size()) {
            played.fault = fmt::format("stage {} waits for ever before pass {}, {}", stage.index,
                                       stage.next, to_string(own[stage.next]));
            return played;
        }
        played.total = std::max(played.total, stage.now);
        played.longest_span = std::max(played.longest_span, stage.now - stage.first);
        played.live.push_back(stage.peak);
    }
    return played;
}

std::string difference(const PipelineSchedule& schedule, const PipelineShape& shape,
                       const PassesByStage& stage_passes, const PassTimes& times) {
    const Played played = play(shape, stage_passes, times);
    if (!played.fault.empty()) return played.fault;
    const double bubble = schedule.bubble(shape, static_cast<double>(times.forward),
                                          static_cast<double>(times.backward_input),
                                          static_cast<double>(times.backward_weight));
    // Both are one division of whole numbers, so equal fractions are equal to the last bit.
    if (played.bubble(shape, times) != bubble)
        return fmt::format("bubble {} of the step, not {}", played.bubble(shape, times), bubble);
    for (int stage = 0; stage < shape.stages; ++stage) {
        const std::int64_t live = played.live[static_cast<std::size_t>(stage)];
        if (live != schedule.live(shape, stage))
            return fmt::format("stage {} keeps {} activations, not {}", stage, live,
                               schedule.live(shape, stage));
    }
    return "";
}

std::vector<PipelineShape> shapes_of(const PipelineSchedule& schedule) {
    std::vector<PipelineShape> shapes;
    for (int stages = 1; stages <= 16; ++stages)
        for (int chunks = 1; chunks <= 4; ++chunks)
            for (std::int64_t micro_batches = 1; micro_batches <= 32; ++micro_batches) {
                const PipelineShape shape{stages, chunks, micro_batches};
                try {
                    require_shape(schedule, shape);
                    shapes.push_back(shape);
                } catch (const Error&) {
                    continue;
                }
            }
    return shapes;
}

}  // namespace shardstone::validation
