// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "kernels/base/statistics.hpp"

namespace shardstone::benchmarks {

/// Squared lengths of gradients at the same weights: the mean over several small batches, and that
/// of the batch composed of them.
struct GradientLengths {
    double small_square = 0.0;
    double big_square = 0.0;
};

/// The gradient noise scale of McCandlish, Kaplan, Amodei et al. 2018 ("An Empirical Model of
/// Large-Batch Training", equation 2.9 and appendix A.1): the batch at which noise and gradient
/// have equal length, in the unit of the batch sizes. For one pair,
///   |G|^2 = (b_big big - b_small small) / (b_big - b_small),
///   tr(S) = (small - big) / (1 / b_small - 1 / b_big)
/// are unbiased; the scale is the ratio of their means over all pairs.
struct NoiseScale {
    double gradient_square = 0.0;  ///< |G|^2 of the gradient without noise
    double trace = 0.0;            ///< tr(S) of the covariance of one sample's gradient
    double scale = 0.0;
    /// 95 %: Student's t with the jackknife's standard error over the pairs (Efron and Stein 1981).
    Interval interval;
};

/// At least two pairs; 0 < b_small < b_big.
NoiseScale noise_scale(std::span<const GradientLengths> pairs, double small_batch,
                       double big_batch);

/// Number of steps to a target at a batch size (the same paper, equation 2.7, solved for steps):
///   steps(B) = least_steps + least_samples / B.
struct TradeOff {
    double least_steps = 0.0;    ///< with an unlimited batch
    double least_samples = 0.0;  ///< with the smallest batch

    double steps(double batch) const { return least_steps + least_samples / batch; }
    /// The batch at which both steps and samples are twice their minimum.
    double critical_batch() const { return least_samples / least_steps; }
};

/// Least squares of relative deviations; at least two different batches, as many steps.
TradeOff fit_trade_off(std::span<const double> batches, std::span<const double> steps);

}  // namespace shardstone::benchmarks
