// SPDX-License-Identifier: BSD-3-Clause
// Linear layers and their three gradients in FP64, as nested loops.
#include "validation/oracle/layers.hpp"

namespace shardstone::validation::oracle {

Values linear(const Values& x, const Values& weight, const Values& bias, Size n, Size outputs) {
    const Size inputs = static_cast<Size>(x.size()) / n;
    Values out(n * outputs);
    for (Size r = 0; r < n; ++r) {
        for (Size o = 0; o < outputs; ++o) {
            double sum = bias.empty() ? 0.0 : bias[o];
            for (Size i = 0; i < inputs; ++i) sum += x[r * inputs + i] * weight[o * inputs + i];
            out[r * outputs + o] = sum;
        }
    }
    return out;
}

LinearGradient linear_gradient(const Values& x, const Values& weight, const Values& d_out, Size n,
                               Size outputs, Planted bug) {
    const Size inputs = static_cast<Size>(x.size()) / n;
    LinearGradient gradient{Values(x.size()), Values(weight.size()), Values(outputs)};
    for (Size r = 0; r < n; ++r) {
        for (Size o = 0; o < outputs; ++o) {
            const double d = d_out[r * outputs + o];
            for (Size i = 0; i < inputs; ++i) {
                gradient.x[r * inputs + i] += d * weight[o * inputs + i];
                gradient.weight[o * inputs + i] += d * x[r * inputs + i];
            }
            if (bug != Planted::no_bias_gradient) gradient.bias[o] += d;
        }
    }
    return gradient;
}

}  // namespace shardstone::validation::oracle
