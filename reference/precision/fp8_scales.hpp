// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/tensor/buffer.hpp"
#include "kernels/tensor/cuda.hpp"

namespace shardstone::reference {

/// One factor of a product in FP8: its layer, product and role.
struct Fp8Tensor {
    enum class Product : std::uint8_t { qkv, attention_projection, mlp_expansion, mlp_projection };
    enum class Role : std::uint8_t { activations, weights, gradients };
    static constexpr std::size_t products = 4;
    static constexpr std::size_t roles = 3;
    /// Number of FP8 tensors of a model with this many layers.
    static constexpr std::int64_t count(std::int64_t layers) {
        return layers * static_cast<std::int64_t>(products * roles);
    }

    std::int64_t layer = 0;
    Product product = Product::qkv;
    Role role = Role::activations;
};

/// The scales of a whole model's FP8 tensors, the same on all ranks: delayed scaling (P.
/// Micikevicius et al., "FP8 Formats for Deep Learning", 2022; NVIDIA Transformer Engine). The
/// factor of a tensor before rounding follows from its largest magnitude ("amax") in the last
/// steps, so that it is known before the tensor is computed. All passes of a step round
/// identically, on any rank and however often they run.
///
/// e4m3 for activations and weights, which need precision; e5m2 for gradients, which need range.
/// Scales are the largest powers of two for which the scaled amax is still in range (fp8_scale()):
/// the headroom for later growth is a factor between one and two, and values beyond it become the
/// largest number. Between the smallest normal number and the largest, a power of two does not
/// affect the rounding of a number, so that a scale from an outdated amax matters only at the two
/// ends of the range.
///
/// A tensor without history, like all in the first step, has scale 0: it is not rounded, and its
/// product is in BF16.
///
/// Amaxes stay in the memory space of the tensors until the step ends; scales are in the program's
/// memory. On a GPU, whose matrix units read FP8 itself, their inverses are in the GPU's.
template <class Space = Host>
class Fp8Scales {
    using Queue = typename Space::Queue;

  public:
    static constexpr std::size_t history_steps = 16;

    explicit Fp8Scales(std::int64_t layers);

    float of(const Fp8Tensor& tensor) const { return scales_[place(tensor)]; }
    /// Whether every tensor is rounded.
    bool complete() const;
    /// 1 over that of one, in the memory of a GPU (Fp8Factor::unit); not with scale 0.
    const float* unit(const Fp8Tensor& tensor) const requires(std::is_same_v<Space, Cuda>) {
        return units_.data() + place(tensor);
    }
    /// To be raised to the amax of each part of the tensor; processing a part twice is harmless.
    float* amax(const Fp8Tensor& tensor) { return amaxes_.data() + place(tensor); }

    /// Discards the amaxes since the last step, e.g. those of an evaluation.
    void begin_step(Queue queue);
    /// The amaxes of this step, by place; to be replaced by the maximum over all ranks before
    /// end_step().
    float* amaxes() noexcept { return amaxes_.data(); }
    /// Computes the scales of the next step. An amax that is not finite is ignored.
    void end_step(Queue queue);

  private:
    static std::size_t place(const Fp8Tensor& tensor);

    Buffer<float, Space> amaxes_;
    Buffer<float, Space> units_;  ///< empty but on a GPU
    std::vector<float> scales_;
    std::vector<std::array<float, history_steps>> histories_;
    std::size_t next_ = 0;  ///< place of the next step in each history
};

extern template class Fp8Scales<Host>;

}  // namespace shardstone::reference
