// SPDX-License-Identifier: BSD-3-Clause
// Linear layers, both passes, against the FP64 oracle; bounds grow with the terms of each sum.
#include "kernels/transformer/linear.hpp"

#include "validation/numerics/kernels/kernel_error.hpp"
#include "validation/numerics/kernels/located.hpp"

namespace shardstone::validation {

namespace {

constexpr Size n = 37, inputs = 29, outputs = 300;

Values scaled(Values values, double factor) {
    for (double& v : values) v *= factor;
    return values;
}

// The bounds hold for matrix units, too, which sum 16 products and the sum so far at once: each is
// cut off at no less than 24 bits below the largest (Fasi, Higham, Mikaitis, Pranesh, "Numerical
// behavior of NVIDIA tensor cores", 2021, and one bit more than theirs since), so that a term
// counts for 17/16 u and the rounding of each result, towards zero, for 2/16 u: less than the 2 u
// below.
template <class S, class Space>
struct Case {
    using Real = compute_t<S>;
    static constexpr double per_term = higher_orders * roundoff<Real>;
    const typename Space::Queue queue;
    const Values x_ = stored<S>(random_values(n * inputs, "x"));
    const Values weight_ = stored<S>(random_values(outputs * inputs, "weight"));
    const Values bias_ = stored<S>(random_values(outputs, "bias"));
    const Values d_out_ = stored<S>(random_values(n * outputs, "d_out"));
    const Located<S, Space> x{as<S>(x_)}, weight{as<S>(weight_)}, bias{as<S>(bias_)},
        d_out{as<S>(d_out_)};

    /// A sum of `inputs` products and the bias.
    void forward(std::vector<KernelOutput>& to) {
        Located<S, Space> out(n * outputs);
        Located<Real, Space> out_in_real(n * outputs);
        linear_forward<S>(queue, x.view(n), weight.view(outputs), bias.data(), out.view(n));
        linear_forward<S>(queue, x.view(n), weight.view(outputs), bias.data(), out_in_real.view(n));
        const Values expected = oracle::linear(x_, weight_, bias_, n, outputs);
        Values bound =
            scaled(oracle::linear(absolute(x_), absolute(weight_), absolute(bias_), n, outputs),
                   (inputs + 1) * per_term);
        to.push_back(output_of<S>("linear forward", "sums", out_in_real.read(), expected, bound));
        add_storage_error<S>(expected, bound);
        to.push_back(output_of<S>("linear forward", "out", out.read(), expected, bound));
    }

    /// Sums of `outputs` (d_x) and n (parameters) products, the latter added to a first value.
    void backward(Planted bug, std::vector<KernelOutput>& to) {
        Located<S, Space> d_x(n * inputs, S(Real(7)));             // overwritten
        Located<Real, Space> d_weight(outputs * inputs, Real(1));  // added to
        Located<Real, Space> d_bias(outputs, Real(1));
        linear_backward_input<S>(queue, d_out.view(n), weight.view(outputs), d_x.view(n));
        linear_backward_parameters<S>(queue, d_out.view(n), x.view(n), d_weight.view(outputs),
                                      d_bias.data());
        auto gradient = oracle::linear_gradient(x_, weight_, d_out_, n, outputs, bug);
        auto bound =
            oracle::linear_gradient(absolute(x_), absolute(weight_), absolute(d_out_), n, outputs);
        for (auto* values : {&gradient.weight, &gradient.bias, &bound.weight, &bound.bias}) {
            for (double& v : *values) v += 1.0;
        }
        Values d_x_bound = scaled(bound.x, outputs * per_term);
        add_storage_error<S>(gradient.x, d_x_bound);
        to.push_back(output_of<S>("linear backward", "d_x", d_x.read(), gradient.x, d_x_bound));
        to.push_back(output_of<S>("linear backward", "d_weight", d_weight.read(), gradient.weight,
                                  scaled(bound.weight, (n + 1) * per_term)));
        to.push_back(output_of<S>("linear backward", "d_bias", d_bias.read(), gradient.bias,
                                  scaled(bound.bias, (n + 1) * per_term)));
    }
};

}  // namespace

template <class Space>
std::vector<KernelOutput> linear_outputs(ElementType storage, Planted bug) {
    return in_storage(storage, [&](auto zero) {
        using S = decltype(zero);
        std::vector<KernelOutput> all;
        if constexpr (has_kernels<S, Space>) {
            Case<S, Space> of;
            of.forward(all);
            of.backward(bug, all);
        }
        return all;
    });
}

template std::vector<KernelOutput> linear_outputs<Host>(ElementType, Planted);

}  // namespace shardstone::validation
