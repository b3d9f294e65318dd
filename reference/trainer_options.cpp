// SPDX-License-Identifier: BSD-3-Clause
#include "reference/trainer_options.hpp"

#include <fmt/format.h>

#include "kernels/base/error.hpp"
#include "kernels/optimizer/learning_rate.hpp"

namespace shardstone::reference {

namespace {

void validate_optimizer(const OptimizerOptions& optimizer) {
    const auto in_unit = [](double beta) { return beta >= 0.0 && beta < 1.0; };
    require(in_unit(optimizer.beta1) && in_unit(optimizer.beta2), [&] {
        return fmt::format("--beta1 {} and --beta2 {} must be at least 0 and below 1",
                           optimizer.beta1, optimizer.beta2);
    });
    require(optimizer.weight_decay >= 0.0 && optimizer.clip >= 0.0, [&] {
        return fmt::format("--weight-decay {} and --clip {} must not be negative",
                           optimizer.weight_decay, optimizer.clip);
    });
}

}  // namespace

OptimizerKind parse_optimizer(const std::string& name) {
    if (name == "adamw") return OptimizerKind::adamw;
    if (name == "sgd") return OptimizerKind::sgd;
    fail(fmt::format("unknown optimizer '{}': use adamw or sgd", name));
}

std::string to_string(OptimizerKind kind) {
    return kind == OptimizerKind::adamw ? "adamw" : "sgd";
}

void validate(const TrainOptions& options, int ranks, std::int64_t data_vocabulary) {
    options.model.validate();
    require_fits(options.plan, ranks);
    require_divides(options.batch, options.plan);
    require(options.batch.sequence <= options.model.context, [&] {
        return fmt::format("--sequence {} is longer than the context of {} of model '{}'",
                           options.batch.sequence, options.model.context, options.model.name);
    });
    require(data_vocabulary <= options.model.vocabulary, [&] {
        return fmt::format(
            "the data has a vocabulary of {}, model '{}' one of {}: use "
            "--vocabulary {}",
            data_vocabulary, options.model.name, options.model.vocabulary, data_vocabulary);
    });
    require(options.steps > 0 && options.eval_every >= 0 && options.eval_sequences >= 0, [&] {
        return fmt::format(
            "--steps {} must be positive; --eval-every {} and --eval-sequences {} "
            "must not be negative",
            options.steps, options.eval_every, options.eval_sequences);
    });
    const std::int64_t bucket = options.communication.bucket_bytes;
    require(bucket == 0 || bucket >= static_cast<std::int64_t>(sizeof(float)), [&] {
        return fmt::format("--bucket-size {} does not hold one gradient of 4 bytes", bucket);
    });
    validate_optimizer(options.optimizer);
}

}  // namespace shardstone::reference
