// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "reference/data/dataset.hpp"
#include "reference/data/markov.hpp"
#include "reference/trainer/options.hpp"

namespace shardstone::validation {

/// A text in a random Markov language, with a part held out, in memory.
reference::Dataset text_in(const reference::MarkovLanguage& language, std::size_t tokens,
                           std::size_t held_out);

/// The settings with which a preset learns a small language in a few hundred steps on one rank: 8
/// sequences of 32 tokens per step, AdamW, 50 steps of warm-up, cosine down to nothing.
reference::TrainOptions language_training(const reference::GptConfig& model, std::int64_t steps,
                                          const reference::Precision& precision,
                                          std::uint64_t seed);

/// The loss that the language itself, as a model, has on the held-out tokens that a training with
/// these options evaluates: what its held-out loss tends to. Unlike the entropy rate it carries no
/// sampling error of the text. The language has order 1.
double optimum_on(const reference::MarkovLanguage& language, const reference::Dataset& text,
                  const reference::TrainOptions& options);

}  // namespace shardstone::validation
