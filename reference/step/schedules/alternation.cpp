// SPDX-License-Identifier: BSD-3-Clause
// The order of stage passes that all schedules share: warm-up, alternation, and what is left.
#include "reference/step/schedules/alternation.hpp"

#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

/// The pass that comes `index`-th of its kind on a stage.
StagePass stage_pass_of(const PipelineShape& shape, Pass pass, std::int64_t index) {
    const std::int64_t round = std::int64_t{shape.chunks} * shape.stages;
    const auto chunk = static_cast<int>(index % round / shape.stages);
    return {pass, index / round * shape.stages + index % shape.stages,
            pass == Pass::forward ? chunk : shape.chunks - 1 - chunk};
}

}  // namespace

std::vector<StagePass> stage_passes_of(const Alternation& alternation) {
    const PipelineShape& shape = alternation.shape;
    SHARDSTONE_EXPECTS(shape.chunks == 1 || shape.micro_batches % shape.stages == 0);
    const std::int64_t passes = passes_of(shape);
    const bool split = alternation.splits_backward;
    const auto backward = split ? Pass::backward_input : Pass::backward;
    std::int64_t forwards = 0;
    std::int64_t weights = 0;
    std::vector<StagePass> stage_passes;
    const auto add_forward = [&] {
        if (forwards < passes)
            stage_passes.push_back(stage_pass_of(shape, Pass::forward, forwards++));
    };
    const auto add_weight = [&] {
        stage_passes.push_back(stage_pass_of(shape, Pass::backward_weight, weights++));
    };
    while (forwards < alternation.warm_up) add_forward();
    for (std::int64_t index = 0; index < passes; ++index) {
        add_forward();
        stage_passes.push_back(stage_pass_of(shape, backward, index));
        if (split && index >= alternation.weight_delay) add_weight();
    }
    while (split && weights < passes) add_weight();
    return stage_passes;
}

}  // namespace shardstone::reference
