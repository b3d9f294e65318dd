// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "kernels/base/random.hpp"
#include "reference/data/markov.hpp"
#include "reference/trainer/run.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {

/// A text in a random Markov language, with a part held out, in memory.
inline reference::Dataset text_in(const reference::MarkovLanguage& language, std::size_t tokens,
                                  std::size_t held_out) {
    std::vector<reference::Token> train(tokens);
    std::vector<reference::Token> validation(held_out);
    language.generate(RandomStream(1, "train"), 0, 0, train);
    language.generate(RandomStream(1, "held out"), 0, 0, validation);
    return reference::Dataset::from_tokens("synthetic", language.symbols(), std::move(train),
                                           std::move(validation));
}

/// Settings that learn a small language fast, on all ranks; sizes are the caller's.
inline reference::TrainOptions language_training() {
    reference::TrainOptions options;
    options.model = reference::gpt_preset("nano");
    options.plan.data = world().size();
    options.optimizer.learning_rate = 5e-3;
    options.optimizer.least_rate = 0.0;
    options.optimizer.warmup_steps = 50;
    options.optimizer.weight_decay = 0.01;
    options.eval_sequences = 512;
    return options;
}

/// Trains, and returns the validation loss over the entropy rate, less one.
inline double excess_over_entropy_rate(const reference::MarkovLanguage& language,
                                       const reference::TrainOptions& options, std::size_t tokens) {
    const auto text = text_in(language, tokens, 100000);
    const auto result = reference::run_training(world(), {options}, text);
    return result.validation_loss().value() / language.entropy_rate_nats() - 1.0;
}

}  // namespace shardstone::validation
