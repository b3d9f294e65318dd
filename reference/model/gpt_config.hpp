// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardstone::reference {

/// Experts in place of the MLP of every block, of which a router picks a few for each position
/// (Shazeer et al. 2017; Fedus et al. 2021, Switch Transformer). With p the softmax over all E of
/// the router's logits W norm(x), the output for position t is the sum over the K largest of p_e
/// MLP_e(norm(x)).
struct ExpertOptions {
    std::int64_t count = 1;  ///< E; 1: a plain MLP, and nothing else here applies
    std::int64_t top_k = 1;  ///< K; ties go to the first
    /// Of each sequence of T positions, an expert processes the first ceil(capacity K T / E) that
    /// pick it, at most T; the others are dropped. 0: all.
    double capacity = 0.0;
    /// Factors on the terms added to the training loss, for each block: the mean over sequences of
    /// E sum_e f_e P_e, f the share of the T K choices that fall on e, before any are dropped, and
    /// P the mean of p (Switch Transformer, section 2.2); and the mean over positions of the square
    /// of the log-sum-exp of the logits (Zoph et al. 2022, ST-MoE, section 3.1). Positions with an
    /// ignored target are routed too and included in these sums, which are divided by the number of
    /// targets that are not ignored, like the loss; reports show them separately from the loss.
    double balance = 0.01;
    double z = 0.001;

    constexpr bool any() const { return count > 1; }
    /// Positions that an expert processes of a sequence of `length`, if it does not process all.
    std::int64_t slots(std::int64_t length) const;
};

/// Sizes of a GPT-2 (Radford et al. 2019): pre-norm blocks, learned positions, GELU, tied head.
struct GptConfig {
    std::string name = "custom";
    std::int64_t vocabulary = 256;  ///< V, rows of the token embedding and of the tied head
    std::int64_t context = 128;     ///< largest sequence length T
    std::int64_t layers = 4;        ///< L
    std::int64_t heads = 4;         ///< H, divides channels
    std::int64_t channels = 128;    ///< C
    ExpertOptions experts = {};

    std::int64_t head_size() const { return channels / heads; }
    /// Exact number of trainable parameters; the tied head counted once.
    std::int64_t parameter_count() const;
    /// Throws Error naming the inconsistent sizes.
    void validate() const;
};

/// Suffix of a model's name: "-moe8k2", with a capacity "-moe8k2c1.25".
std::string name_of(const ExpertOptions& experts);

/// The named presets, smallest first: tiny, ..., gpt2-124m, gpt2-350m, gpt2-774m, gpt2-1558m.
const std::vector<GptConfig>& gpt_presets();

/// Throws Error naming an unknown preset and the choices.
GptConfig gpt_preset(std::string_view name);

/// N of the model FLOP: all parameters used by a token (K experts of each block), except those of
/// the position embedding, which is added to the tokens' and never multiplied. The tied token
/// embedding counts once, as the head.
/// `dropped`: the fraction of choices of experts that were dropped.
double flop_parameters(const GptConfig& config, double dropped = 0.0);

/// Model FLOP of forward and backward per token at sequence length T: 6 N + 6 L C T (Kaplan et al.
/// 2020, table 1). Attention counts only the pairs not masked; PaLM (Chowdhery et al. 2022,
/// appendix B) counts all of it, 12 L C T.
double training_flop_per_token(const GptConfig& config, std::int64_t sequence,
                               double dropped = 0.0);

}  // namespace shardstone::reference
