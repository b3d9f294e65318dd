// SPDX-License-Identifier: BSD-3-Clause
// A training's options translated into the oracle's rules for learning rate and update.
#include "validation/equivalence/serial_rules.hpp"

#include <algorithm>
#include <cmath>

namespace shardstone::validation {

using namespace reference;

namespace {

oracle::Method method_of(OptimizerKind kind) {
    switch (kind) {
        case OptimizerKind::adamw:
            return oracle::Method::adamw;
        case OptimizerKind::sgd:
            return oracle::Method::sgd;
        case OptimizerKind::momentum:
            return oracle::Method::momentum;
        case OptimizerKind::nesterov:
            return oracle::Method::nesterov;
        case OptimizerKind::lamb:
            return oracle::Method::lamb;
        case OptimizerKind::lars:
            return oracle::Method::lars;
    }
    return {};
}

}  // namespace

oracle::RateRule rate_rule(const TrainOptions& options) {
    const OptimizerOptions& how = options.optimizer;
    double factor = 1.0;
    if (how.rate_scaling != RateScaling::none) {
        factor =
            static_cast<double>(options.batch.global_batch) / static_cast<double>(how.base_batch);
    }
    if (how.rate_scaling == RateScaling::square_root) factor = std::sqrt(factor);
    return {.peak = factor * how.learning_rate,
            .least = factor * how.least_rate,
            .warmup = std::min(how.warmup_steps, options.steps),
            .steps = options.steps,
            .falls = how.rate_shape == LearningRate::Shape::cosine};
}

oracle::UpdateRule update_rule(const TrainOptions& options, std::int64_t step, double norm) {
    const OptimizerOptions& how = options.optimizer;
    return {.method = method_of(how.kind),
            .step = step,
            .rate = oracle::rate_at(rate_rule(options), step),
            .clip = oracle::clipping(norm, how.clip),
            .beta1 = how.beta1,
            .beta2 = how.beta2,
            .momentum = how.momentum,
            .trust = how.trust};
}

int moments_of(OptimizerKind kind) {
    if (kind == OptimizerKind::sgd) return 0;
    return kind == OptimizerKind::adamw || kind == OptimizerKind::lamb ? 2 : 1;
}

}  // namespace shardstone::validation
