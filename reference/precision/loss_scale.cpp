// SPDX-License-Identifier: BSD-3-Clause
// Halves the loss scale and skips the step on overflow; doubles it again after enough good steps.
#include "reference/precision/loss_scale.hpp"

#include <algorithm>

namespace shardstone::reference {

bool LossScale::skips(bool finite) {
    using Kind = LossScaling::Kind;
    if (how_.kind == Kind::none) return false;
    skipped_ += finite ? 0 : 1;
    if (how_.kind == Kind::constant) return !finite;
    ++good_steps_;
    if (!finite) {
        value_ = std::max(value_ / 2.0, 1.0);
        good_steps_ = 0;
    } else if (good_steps_ >= how_.growth_interval) {
        value_ = std::min(value_ * 2.0, how_.largest);
        good_steps_ = 0;
    }
    return !finite;
}

}  // namespace shardstone::reference
