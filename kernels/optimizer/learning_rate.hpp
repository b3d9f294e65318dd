// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace shardstone {

/// Learning rate as a function of the step: linear warm-up to `peak`, then a half cosine down to
/// `floor` at `total_steps` (Loshchilov and Hutter 2017, without restarts), `floor` afterwards.
/// floor = peak is a constant rate after the warm-up.
struct LearningRate {
    double peak = 3e-4;
    double floor = 0.0;
    std::int64_t warmup_steps = 0;
    std::int64_t total_steps = 1;

    /// Rate of step 1, 2, ...: peak * step / warmup_steps during the warm-up, peak at its end.
    double at(std::int64_t step) const;
    /// Throws Error naming rates or steps that do not fit together.
    void validate() const;
};

}  // namespace shardstone
