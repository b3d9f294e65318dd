// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/optimizer/parameter_range.hpp"
#include "kernels/optimizer/update_factors.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"

namespace shardstone {

struct LarsStep {
    double learning_rate = 0.0;  ///< without the tensor's lars_ratio()
    double momentum = 0.9;
    double weight_decay = 0.0;
    FactorsAt factors{};
};

/// LARS (You, Gitman and Ginsburg 2017, algorithm 1): momentum with a separate rate for each
/// tensor,
///   b = momentum b + lr ratio (scale g + decay w);  w -= b
/// element by element: bitwise the same for any split of a tensor, provided that the ratio is that
/// of the whole tensor. b is the range's first moments.
template <class Real>
void lars_update(HostQueue queue, const LarsStep& step, const ParameterRange<Real>& range);
template <class Real>
void lars_update(CudaQueue queue, const LarsStep& step, const ParameterRange<Real, Cuda>& range);

/// trust |w| / (|g| + decay |w|), with the norms of the whole tensor, its gradient already scaled
/// (equation 6 of the paper); 1 if either norm is 0, so that tensors initialised to zero can
/// change. Normalisation parameters and biases have no ratio: it is 1 and they do not decay, as in
/// the implementations with published results (You et al. 2018, "ImageNet Training in Minutes";
/// MLPerf Training).
/// A Number is a double, or one on the GPU that rounds as it does.
template <class Number = double>
constexpr Number lars_ratio(double trust, double weight_decay, double weight_norm,
                            Number gradient_norm) {
    if (weight_norm == 0.0 || gradient_norm == Number(0.0)) return 1.0;
    return Number(trust) * Number(weight_norm) /
           (gradient_norm + Number(weight_decay) * Number(weight_norm));
}

extern template void lars_update(HostQueue, const LarsStep&, const ParameterRange<float>&);
extern template void lars_update(HostQueue, const LarsStep&, const ParameterRange<double>&);

}  // namespace shardstone
