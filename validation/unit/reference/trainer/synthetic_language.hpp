// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/training/run/run.hpp"
#include "reference/data/markov.hpp"
#include "validation/numerics/language.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {

/// Settings that learn a small language fast, on all ranks; sizes are the caller's.
inline reference::TrainOptions language_training() {
    auto options = language_training(reference::gpt_preset("nano"), 100, {}, 1);
    options.plan.data = world().size();
    options.eval_sequences = 512;
    return options;
}

/// Trains, and returns the validation loss over the entropy rate, less one.
inline double excess_over_entropy_rate(const reference::MarkovLanguage& language,
                                       const reference::TrainOptions& options, std::size_t tokens) {
    const auto text = text_in(language, tokens, 100000);
    const auto result = benchmarks::run_training(world(), {.options = options}, text);
    return result.validation_loss().value() / language.entropy_rate_nats() - 1.0;
}

}  // namespace shardstone::validation
