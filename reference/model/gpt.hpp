// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/tensor/host.hpp"
#include "reference/model/gpt_part.hpp"
#include "reference/precision/precision.hpp"

namespace shardstone::reference {

/// Bytes held, by class.
struct ModelMemory {
    std::int64_t weights_bytes = 0;
    std::int64_t gradients_bytes = 0;
    std::int64_t activations_bytes = 0;
};

/// A whole GPT on one rank: weights, gradients and activations of one micro-batch of (B, T) tokens,
/// in one memory space (kernels/tensor/host.hpp). For callers that split nothing; GptPart is the
/// same for those that do. Real is float or double.
template <class Real, class Space = Host>
class Gpt {
    template <class T>
    using Span = typename Space::template Span<T>;

  public:
    /// Weights are zero until initialize() or set_weights(). micro_batch = B, sequence = T <=
    /// config.context. Of the precision only the members that concern the model itself: storage,
    /// stream, fp8_products.
    Gpt(const GptConfig& config, std::int64_t micro_batch, std::int64_t sequence,
        const Precision& precision = {});
    Gpt(Gpt&&) noexcept;
    ~Gpt();

    /// The initial weights of initial_weights.hpp, rounded to the storage type.
    void initialize(std::uint64_t seed);
    /// All weights in the order of weights(), rounded to the storage type.
    void set_weights(std::span<const Real> values);
    /// The same from values in the memory space.
    void store_weights(Span<const Real> values);

    const GptConfig& config() const noexcept;
    /// The location of each tensor in the flat buffers weights() and gradients(); see
    /// ParameterLayout.
    const std::vector<ParameterInfo>& parameters() const noexcept;
    /// weights() only if the storage is Storage::full.
    Span<Real> weights() noexcept;
    Span<Real> gradients() noexcept;

    /// Forward pass; tokens and targets are (B, T). Returns the SUM of the cross-entropy in nats
    /// over the positions with a target (not the mean: the division, exactly once, is left to the
    /// caller that knows the global batch).
    double forward(std::span<const Token> tokens, std::span<const Target> targets);
    /// The same without waiting for it, and what it returns, for which this waits.
    void enqueue_forward(std::span<const Token> tokens, std::span<const Target> targets);
    double loss();

    /// Backward pass of the last forward(); ADDS gradient_scale * d(sum of losses)/d(weights) to
    /// gradients(). gradient_scale is 1 / (number of targets of the global batch, without ignored
    /// ones).
    void backward(double gradient_scale);

    /// With FP8 products: the amaxes of the passes so far determine the scales of the following
    /// ones (Fp8Scales).
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
