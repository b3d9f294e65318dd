// SPDX-License-Identifier: BSD-3-Clause
// GELU (tanh form) and its derivative in FP64; one of its planted errors drops the cubic term.
#include <cmath>
#include <numbers>

#include "validation/oracle/layers.hpp"

namespace shardstone::validation::oracle {

namespace {

const double root = std::sqrt(2.0 / std::numbers::pi);

double inner(double x) {
    return root * (x + 0.044715 * x * x * x);
}

/// (1 + tanh z) / 2, written so that nothing cancels for z << 0.
double half_of_one_plus_tanh(double z) {
    return std::exp(z) / (2.0 * std::cosh(z));
}

}  // namespace

Values gelu(const Values& x) {
    Values out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] * half_of_one_plus_tanh(inner(x[i]));
    return out;
}

Values gelu_gradient(const Values& x, const Values& d_out, Planted bug) {
    Values gradient(x.size());
    const double cubic = bug == Planted::gelu_without_cubic_term ? 0.0 : 3.0 * 0.044715;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double z = inner(x[i]);
        const double d_inner = root * (1.0 + cubic * x[i] * x[i]);
        const double d_tanh = 1.0 / (std::cosh(z) * std::cosh(z));
        gradient[i] = d_out[i] * (half_of_one_plus_tanh(z) + 0.5 * x[i] * d_tanh * d_inner);
    }
    return gradient;
}

}  // namespace shardstone::validation::oracle
