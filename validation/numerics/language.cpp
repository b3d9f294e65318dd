// SPDX-License-Identifier: BSD-3-Clause
// Synthetic text whose optimal loss is known, and the training settings with which it is learnt.
#include "validation/numerics/language.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/base/error.hpp"
#include "reference/data/sampler.hpp"

namespace shardstone::validation {

using namespace reference;

Dataset text_in(const MarkovLanguage& language, std::size_t tokens, std::size_t held_out) {
    std::vector<Token> train(tokens);
    std::vector<Token> validation(held_out);
    language.generate(RandomStream(1, "train"), 0, 0, train);
    language.generate(RandomStream(1, "held out"), 0, 0, validation);
    return Dataset::from_tokens("synthetic", language.symbols(), std::move(train),
                                std::move(validation));
}

TrainOptions language_training(const GptConfig& model, std::int64_t steps,
                               const Precision& precision, std::uint64_t seed) {
    TrainOptions options;
    options.model = model;
    options.batch = {.global_batch = 8, .micro_batch = 8, .sequence = 32};
    options.precision = precision;
    options.steps = steps;
    options.seed = seed;
    // Wide models want smaller steps: in proportion to 1 / channels, 5e-3 at 32 (Yang et al. 2022,
    // "Tensor Programs V": the learning rate of hidden matrices under AdamW).
    options.optimizer.learning_rate = 5e-3 * 32.0 / static_cast<double>(model.channels);
    options.optimizer.least_rate = 0.0;
    options.optimizer.warmup_steps = 50;
    options.optimizer.weight_decay = 0.01;
    options.eval_sequences = 1024;
    return options;
}

double optimum_on(const MarkovLanguage& language, const Dataset& text,
                  const TrainOptions& options) {
    SHARDSTONE_EXPECTS(language.contexts() == language.symbols());
    const ValidationWindows windows(text.validation(), options.batch.sequence);
    // The trainer evaluates whole micro-batches.
    const std::int64_t count = std::min(options.eval_sequences, windows.count()) /
                               options.batch.micro_batch * options.batch.micro_batch;
    std::vector<Token> inputs(static_cast<std::size_t>(options.batch.sequence));
    std::vector<Target> targets(inputs.size());
    double loss = 0.0;
    for (std::int64_t window = 0; window < count; ++window) {
        windows.fill(window, count, inputs, targets);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            loss -= std::log(language.next(inputs[i])[static_cast<std::size_t>(targets[i])]);
        }
    }
    return loss / static_cast<double>(count * options.batch.sequence);
}

}  // namespace shardstone::validation
