// SPDX-License-Identifier: BSD-3-Clause
// Factors of updates that follow from the gradients of the whole model, kept where the kernels run
// that make them and need them: the host of a GPU waits for none.
#pragma once

#include "kernels/optimizer/gradient_norm.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"

namespace shardstone {

/// Common to all updates of a step.
struct UpdateFactors {
    double gradient_norm = 0.0;   ///< before clipping
    double gradient_scale = 1.0;  ///< multiplies every gradient first: clipping_factor()
    bool skips = false;           ///< weights and moments stay as they are
};

/// How they follow from the norm.
struct GradientLimits {
    double clip = 0.0;            ///< clipping_factor()'s limit
    bool skips_overflow = false;  ///< no update by a norm that is not finite
};

constexpr UpdateFactors factors_of(double gradient_norm, const GradientLimits& limits) {
    return {gradient_norm, clipping_factor(gradient_norm, limits.clip),
            limits.skips_overflow && !is_finite_norm(gradient_norm)};
}

/// factors_of() the root of a sum over all ranks. Both are in the queue's memory space.
void find_factors(HostQueue queue, const SquareSum::Limbs& squares, const GradientLimits& limits,
                  UpdateFactors& factors);
void find_factors(CudaQueue queue, const SquareSum::Limbs& squares, const GradientLimits& limits,
                  UpdateFactors& factors);

/// Where the factors of an update are, in the memory space of its queue: it reads them when it
/// runs. Without addresses they are 1, and nothing is skipped.
class FactorsAt {
  public:
    FactorsAt() = default;
    explicit FactorsAt(const UpdateFactors* common, const double* ratio = nullptr)
        : common_(common), ratio_(ratio) {}

    // To be called where the memory is.
    constexpr bool skips() const { return common_ != nullptr && common_->skips; }
    constexpr double gradient_scale() const {
        return common_ != nullptr ? common_->gradient_scale : 1.0;
    }
    /// trust_ratio() of the tensor.
    constexpr double ratio() const { return ratio_ != nullptr ? *ratio_ : 1.0; }

  private:
    const UpdateFactors* common_ = nullptr;
    const double* ratio_ = nullptr;
};

}  // namespace shardstone
