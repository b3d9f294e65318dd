// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "validation/oracle/adamw.hpp"
#include "validation/oracle/layers.hpp"

namespace shardstone::validation::oracle {

/// One tensor with what an optimizer keeps for it, in double.
struct Tensor {
    Values weights, first_moments, second_moments;
};

/// Euclidean norm; the sum in long double.
double norm(const Values& values);

struct MomentumConstants {
    double learning_rate, momentum, weight_decay;
};

/// Polyak 1964 and Nesterov 1983 as PyTorch's SGD has them, the velocity in first_moments.
Tensor momentum(const MomentumConstants& constants, Tensor tensor, const Values& g, bool nesterov);

/// You, Gitman and Ginsburg 2017, algorithm 1; `trust` is its eta.
Tensor lars(const MomentumConstants& constants, double trust, Tensor tensor, const Values& g);

/// You et al. 2020, algorithm 2, step `step` = 1, 2, ... with phi(x) = x.
Tensor lamb(const AdamwConstants& constants, Tensor tensor, const Values& g, int step);
/// m hat / (sqrt(v hat) + epsilon) + decay w of a tensor whose moments are those of this step.
Values lamb_direction(const AdamwConstants& constants, const Tensor& tensor, int step);

}  // namespace shardstone::validation::oracle
