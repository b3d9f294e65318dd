// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace shardstone::reference {

/// Scaling of the loss before the backward pass, so that gradients do not underflow in FP16; the
/// scale is divided out before the norm is computed (Micikevicius et al. 2018, section 3.2). Scales
/// are powers of two, hence exact.
struct LossScaling {
    enum class Kind : std::uint8_t { none, constant, dynamic };

    Kind kind = Kind::none;
    double initial = 65536.0;  ///< a power of two; used unless none
    /// Dynamic: steps without overflow after which the scale doubles. An overflow halves it.
    std::int64_t growth_interval = 200;
    double largest = 16777216.0;  ///< dynamic: upper limit
};

/// The scale of each step. All ranks see the same overflows and so have the same scale.
class LossScale {
  public:
    explicit LossScale(const LossScaling& how)
        : how_(how), value_(how.kind == LossScaling::Kind::none ? 1.0 : how.initial) {}

    /// Factor on the loss of the next step.
    double value() const noexcept { return value_; }
    /// Steps skipped so far because a gradient was not finite.
    std::int64_t skipped() const noexcept { return skipped_; }

    /// Whether steps are skipped at all.
    bool may_skip() const noexcept { return how_.kind != LossScaling::Kind::none; }
    /// To be called for every step with whether its gradients were finite; returns whether to skip
    /// its update. Without loss scaling nothing is skipped, so that the user sees values that are
    /// not finite.
    bool skips(bool finite);

  private:
    LossScaling how_;
    double value_;
    std::int64_t good_steps_ = 0;  ///< since the scale last changed
    std::int64_t skipped_ = 0;
};

}  // namespace shardstone::reference
