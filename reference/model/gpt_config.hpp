// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardstone::reference {

/// Experts in place of the MLP of every block, of which a router picks a few for each position
/// (Shazeer et al. 2017; Fedus et al. 2021, Switch Transformer). With p the softmax over all E of
/// the router's logits W norm(x), position t gets the sum over the K largest of p_e MLP_e(norm(x)).
struct ExpertOptions {
    std::int64_t count = 1;  ///< E; 1: a plain MLP, to which nothing else here applies
    std::int64_t top_k = 1;  ///< K; of equal ones the first
    /// An expert takes, of each sequence of T positions, the first ceil(capacity K T / E) that want
    /// it, at most T; the others do without. 0: all.
    double capacity = 0.0;
    /// Factors on what is added to the training's loss, of each block the mean over sequences of
    /// E sum_e f_e P_e, f the share of the T K choices that fall on e, before any are dropped, and
    /// P the mean of p (Switch Transformer, section 2.2); and over positions of the square of the
    /// log-sum-exp of the logits (Zoph et al. 2022, ST-MoE, section 3.1). Positions without a
    /// target that counts are routed too and in these sums, which are divided by the targets that
    /// count as the loss is, of which they are no part in reports.
    double balance = 0.01;
    double z = 0.001;

    constexpr bool any() const { return count > 1; }
    /// Positions of a sequence of so many that an expert takes, where it does not take all.
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
    /// Throws Error naming the sizes that do not fit together.
    void validate() const;
};

/// What is added to a model's name: "-moe8k2", with a capacity "-moe8k2c1.25".
std::string name_of(const ExpertOptions& experts);

/// The named presets, smallest first: tiny, ..., gpt2-124m, gpt2-350m, gpt2-774m, gpt2-1558m.
const std::vector<GptConfig>& gpt_presets();

/// Throws Error naming an unknown preset and the choices.
GptConfig gpt_preset(std::string_view name);

/// N of the model FLOP: all parameters that a token meets, of experts K, but those of the position
/// embedding, which is added to the tokens' and never multiplied with. The tied token embedding
/// counts once, as the head.
/// `dropped`: the share of choices of experts that none has taken.
double flop_parameters(const GptConfig& config, double dropped = 0.0);

/// Model FLOP of forward and backward per token at sequence length T: 6 N + 6 L C T (Kaplan et al.
/// 2020, table 1). Of attention only what the causal mask leaves counts; PaLM (Chowdhery et al.
/// 2022, appendix B) counts all of it, 12 L C T.
double training_flop_per_token(const GptConfig& config, std::int64_t sequence,
                               double dropped = 0.0);

}  // namespace shardstone::reference
