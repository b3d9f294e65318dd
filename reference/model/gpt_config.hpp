// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardstone::reference {

/// Sizes of a GPT-2 (Radford et al. 2019): pre-norm blocks, learned positions, GELU, tied head.
struct GptConfig {
    std::string name = "custom";
    std::int64_t vocabulary = 256;  ///< V, rows of the token embedding and of the tied head
    std::int64_t context = 128;     ///< largest sequence length T
    std::int64_t layers = 4;        ///< L
    std::int64_t heads = 4;         ///< H, divides channels
    std::int64_t channels = 128;    ///< C

    std::int64_t head_size() const { return channels / heads; }
    /// Exact number of trainable parameters; the tied head counted once.
    std::int64_t parameter_count() const;
    /// Throws Error naming the sizes that do not fit together.
    void validate() const;
};

/// The named presets, smallest first: tiny, ..., gpt2-124m, gpt2-350m, gpt2-774m, gpt2-1558m.
const std::vector<GptConfig>& gpt_presets();

/// Throws Error naming an unknown preset and the choices.
GptConfig gpt_preset(std::string_view name);

/// N of the model FLOP: all parameters but those of the position embedding, which is added to the
/// tokens' and never multiplied with. The tied token embedding counts once, as the head.
double flop_parameters(const GptConfig& config);

/// Model FLOP of forward and backward per token at sequence length T: 6 N + 6 L C T (Kaplan et al.
/// 2020, table 1). Of attention only what the causal mask leaves counts; PaLM (Chowdhery et al.
/// 2022, appendix B) counts all of it, 12 L C T.
double training_flop_per_token(const GptConfig& config, std::int64_t sequence);

}  // namespace shardstone::reference
