// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "reference/model/gpt_config.hpp"

namespace shardstone::reference {

using Token = std::uint16_t;

/// One named tensor inside the model's flat parameter buffer.
struct ParameterInfo {
    std::string name;                 ///< e.g. "blocks.3.attention.qkv.weight"
    std::vector<std::int64_t> shape;  ///< e.g. (3C, C)
    std::int64_t offset = 0;          ///< first element in the flat buffer
    std::int64_t count = 0;           ///< elements
    bool decay = false;               ///< weight decay applies (matrices yes; biases and norms no)
};

/// Bytes held, by class; `measured` sums what is allocated, the trainer sets it beside a formula.
struct ModelMemory {
    std::int64_t weights_bytes = 0;
    std::int64_t gradients_bytes = 0;
    std::int64_t activations_bytes = 0;
};

/// A GPT on one rank: weights, gradients and activations of one micro-batch of (B, T) tokens.
///
/// Parameters lie in one flat buffer in the order in which backward() *finishes* their gradients,
/// the last layers first and the token embedding, which the tied head and the input share, at the
/// end; so the gradients that are ready are always a growing prefix [0, n) of the flat buffer, and
/// a bucket of data parallelism is a contiguous piece. Real is float or double.
template <class Real>
class Gpt {
  public:
    /// Weights are zero until initialize(). micro_batch = B, sequence = T <= config.context.
    Gpt(const GptConfig& config, std::int64_t micro_batch, std::int64_t sequence);
    Gpt(Gpt&&) noexcept;
    ~Gpt();

    /// GPT-2's initial weights: normal(0, 0.02), residual projections scaled by 1/sqrt(2 L), norms
    /// 1, biases 0. Each element is a function of (seed, parameter name, element index) alone.
    void initialize(std::uint64_t seed);

    const GptConfig& config() const noexcept;
    const std::vector<ParameterInfo>& parameters() const noexcept;
    std::span<Real> weights() noexcept;
    std::span<Real> gradients() noexcept;

    /// Forward pass; tokens and targets are (B, T). Returns the SUM over the B*T positions of the
    /// cross-entropy in nats (not the mean: whoever sees the global batch divides, exactly once).
    double forward(std::span<const Token> tokens, std::span<const Token> targets);

    /// Called during backward with n whenever the gradients [0, n) of the flat buffer are final
    /// for this micro-batch; lets buckets leave while the pass goes on. Also called between layers
    /// with an unchanged n, so that communication in flight can be moved along.
    using Ready = std::function<void(std::int64_t)>;

    /// Backward pass of the last forward(); ADDS gradient_scale * d(sum of losses)/d(weights) to
    /// gradients(). gradient_scale is 1 / (tokens of the global batch).
    void backward(double gradient_scale, const Ready& ready = {});

    /// (B*T, V) probabilities of the last forward(), row-major; valid until backward().
    /// For tests and evaluation; may be computed on demand.
    std::vector<Real> probabilities() const;

    ModelMemory memory() const noexcept;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

extern template class Gpt<float>;
extern template class Gpt<double>;

}  // namespace shardstone::reference
