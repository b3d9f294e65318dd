// SPDX-License-Identifier: BSD-3-Clause
// Small models that fit a parallel plan, for tests which compile the step programs of all ranks.
#include "validation/unit/reference/step/plans.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardstone::validation {

using namespace reference;

StepSpec small_spec(const ParallelPlan& plan, std::int64_t layers, std::int64_t micro_batches) {
    StepSpec spec;
    spec.plan = plan;
    spec.model.heads = plan.tensor + 1;
    spec.model.channels = 2 * spec.model.heads;
    spec.model.layers = layers;
    spec.model.vocabulary = 3 * plan.tensor + 2;
    // Enough for every rank of both, with more left over on some.
    spec.model.context = plan.context == 1 ? plan.tensor + 3 : plan.context * (plan.tensor + 1) + 1;
    spec.batch.sequence = spec.model.context;
    spec.batch.micro_batch = 2;
    spec.batch.global_batch = spec.batch.micro_batch * micro_batches * batch_shares(plan);
    if (plan.expert > 1) {
        // With a capacity only where whole sequences are on one rank.
        spec.model.experts = {2 * plan.expert, 2, plan.context == 1 ? 1.25 : 0.0};
    }
    const std::int64_t block = 12 * spec.model.channels * spec.model.channels / plan.tensor;
    spec.communication.bucket_bytes = 4 * (block / 2 + 1);
    return spec;
}

std::string describe(const StepSpec& spec) {
    return fmt::format("{} {} chunks={} m={} layers={} [{}] recompute={} overlap={}",
                       to_string(spec.plan), spec.pipeline.schedule, spec.pipeline.chunks,
                       spec.micro_batches(), spec.model.layers,
                       fmt::join(spec.pipeline.layers, ","), to_string(spec.recompute),
                       spec.communication.overlap);
}

}  // namespace shardstone::validation
