// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "reference/model/gpt_part.hpp"
#include "reference/precision/precision.hpp"

namespace shardstone::reference {

/// Bytes held, by class.
struct ModelMemory {
    std::int64_t weights_bytes = 0;
    std::int64_t gradients_bytes = 0;
    std::int64_t activations_bytes = 0;
};

/// A whole GPT on one rank: weights, gradients and activations of one micro-batch of (B, T) tokens.
/// What splits nothing wants; GptPart is the same for those who do. Real is float or double.
template <class Real>
class Gpt {
  public:
    /// Weights are zero until initialize() or set_weights(). micro_batch = B, sequence = T <=
    /// config.context. Of the precision only what the model itself goes by: storage, stream,
    /// fp8_products.
    Gpt(const GptConfig& config, std::int64_t micro_batch, std::int64_t sequence,
        const Precision& precision = {});
    Gpt(Gpt&&) noexcept;
    ~Gpt();

    /// The initial weights of initial_weights.hpp, rounded to the storage type.
    void initialize(std::uint64_t seed);
    /// All weights in the order of weights(), rounded to the storage type.
    void set_weights(std::span<const Real> values);

    const GptConfig& config() const noexcept;
    /// Where each tensor is in the flat buffers weights() and gradients(); see ParameterLayout.
    const std::vector<ParameterInfo>& parameters() const noexcept;
    /// weights() only where the storage is Storage::full.
    std::span<Real> weights() noexcept;
    std::span<Real> gradients() noexcept;

    /// Forward pass; tokens and targets are (B, T). Returns the SUM over the positions that count
    /// of the cross-entropy in nats (not the mean: whoever sees the global batch divides, exactly
    /// once).
    double forward(std::span<const Token> tokens, std::span<const Target> targets);

    /// Backward pass of the last forward(); ADDS gradient_scale * d(sum of losses)/d(weights) to
    /// gradients(). gradient_scale is 1 / (targets of the global batch that count).
    void backward(double gradient_scale);

    /// With FP8 products: what the passes so far have seen scales those to come (Fp8Scales).
    void end_step();

    /// (B*T, V) probabilities of the last forward(), row-major; only until backward(). Computed on
    /// demand, for tests and evaluation.
    std::vector<Real> probabilities() const;

    ModelMemory memory() const noexcept;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

extern template class Gpt<float>;
extern template class Gpt<double>;

}  // namespace shardstone::reference
