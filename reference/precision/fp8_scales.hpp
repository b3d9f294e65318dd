// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/tensor/buffer.hpp"

namespace shardstone::reference {

/// One factor of a product in FP8: of which layer's which product, and what it is there.
struct Fp8Tensor {
    enum class Product : std::uint8_t { qkv, attention_projection, mlp_expansion, mlp_projection };
    enum class Role : std::uint8_t { activations, weights, gradients };
    static constexpr std::size_t products = 4;
    static constexpr std::size_t roles = 3;
    /// Of a model of so many layers.
    static constexpr std::int64_t count(std::int64_t layers) {
        return layers * static_cast<std::int64_t>(products * roles);
    }

    std::int64_t layer = 0;
    Product product = Product::qkv;
    Role role = Role::activations;
};

/// The scales of a whole model's FP8 tensors, the same on all ranks: delayed scaling (P.
/// Micikevicius et al., "FP8 Formats for Deep Learning", 2022; NVIDIA Transformer Engine). What a
/// tensor is multiplied by before it is rounded follows from the largest magnitude ("amax") that it
/// had in the last steps, so that it is known before the tensor is. All passes of a step round
/// alike, whichever rank runs them and however often.
///
/// e4m3 for activations and weights, which need precision; e5m2 for gradients, which need range.
/// Scales are the largest powers of two with which the amax still fits (fp8_scale()): between none
/// and a factor of two is left for growth since, and what is beyond becomes the largest number.
/// Between the smallest normal number and the largest, a power of two does not change how a number
/// is rounded, so that a scale one step off shows at the two ends only.
///
/// A tensor without history, as all are in the first step, has scale 0: it is not rounded, and its
/// product is one of BF16.
///
/// Amaxes stay in the memory space of the tensors until the step ends; scales are the program's.
template <class Space = Host>
class Fp8Scales {
    using Queue = typename Space::Queue;

  public:
    static constexpr std::size_t history_steps = 16;

    explicit Fp8Scales(std::int64_t layers);

    float of(const Fp8Tensor& tensor) const { return scales_[place(tensor)]; }
    /// To be raised to that of each part of the tensor; the same part twice does no harm.
    float* amax(const Fp8Tensor& tensor) { return amaxes_.data() + place(tensor); }

    /// Forgets what was seen since the last step, such as an evaluation.
    void begin_step(Queue queue);
    /// By place, those of this step; the maximum over all ranks is to take their place before
    /// end_step().
    float* amaxes() noexcept { return amaxes_.data(); }
    /// The scales of the next step. An amax that is not finite counts for nothing.
    void end_step(Queue queue);

  private:
    static std::size_t place(const Fp8Tensor& tensor);

    Buffer<float, Space> amaxes_;
    std::vector<float> scales_;
    std::vector<std::array<float, history_steps>> histories_;
    std::size_t next_ = 0;  ///< place of the next step in each history
};

extern template class Fp8Scales<Host>;

}  // namespace shardstone::reference
