// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace shardstone {

/// Learning rate as a function of the step: linear warm-up to `peak`, then a half cosine down to
/// `floor` at `total_steps` (Loshchilov and Hutter 2017, without restarts), `floor` afterwards; or
/// constant at `peak` after the warm-up.
struct LearningRate {
    enum class Shape : std::uint8_t { cosine, constant };

    double peak = 3e-4;
    double floor = 0.0;  ///< of a cosine
    std::int64_t warmup_steps = 0;
    std::int64_t total_steps = 1;
    Shape shape = Shape::cosine;

    /// Rate of step 1, 2, ...: peak * step / warmup_steps during the warm-up, peak at its end.
    double at(std::int64_t step) const;
    /// Throws Error naming inconsistent rates or steps.
    void validate() const;
};

/// "cosine" or "constant"; throws Error naming anything else.
LearningRate::Shape parse_rate_shape(const std::string& name);
std::string to_string(LearningRate::Shape shape);

/// Scaling of a learning rate from one batch size to another: none, linear (Goyal et al. 2017: one
/// step with k times the batch covers the distance of k steps), or with the square root (Krizhevsky
/// 2014; Hoffer, Hubara and Soudry 2017: preserves the variance of the steps).
enum class RateScaling : std::uint8_t { none, linear, square_root };

/// "none", "linear" or "sqrt"; throws Error naming anything else.
RateScaling parse_rate_scaling(const std::string& name);
std::string to_string(RateScaling scaling);

/// Factor from a rate for `base_batch` to one for `batch`; both positive unless `scaling` is none.
double rate_factor(RateScaling scaling, std::int64_t batch, std::int64_t base_batch);

}  // namespace shardstone
