// SPDX-License-Identifier: BSD-3-Clause
// Linear layers, both passes, against the FP64 oracle; bounds grow with the terms of each sum.
#include "kernels/transformer/linear.hpp"

#include "validation/numerics/kernels/kernel_error.hpp"

namespace shardstone::validation {

namespace {

constexpr Size n = 37, inputs = 29, outputs = 300;

Values scaled(Values values, double factor) {
    for (double& v : values) v *= factor;
    return values;
}

template <class S>
struct Case {
    using Real = compute_t<S>;
    static constexpr double per_term = higher_orders * roundoff<Real>;
    const Values x_ = stored<S>(random_values(n * inputs, "x"));
    const Values weight_ = stored<S>(random_values(outputs * inputs, "weight"));
    const Values bias_ = stored<S>(random_values(outputs, "bias"));
    const Values d_out_ = stored<S>(random_values(n * outputs, "d_out"));
    std::vector<S> x = as<S>(x_), weight = as<S>(weight_), bias = as<S>(bias_),
                   d_out = as<S>(d_out_);

    /// A sum of `inputs` products and the bias.
    void forward(std::vector<KernelOutput>& to) {
        std::vector<S> out(n * outputs);
        std::vector<Real> out_in_real(n * outputs);
        linear_forward<S>(HostQueue(), view(x, n), view(weight, outputs), bias.data(),
                          view(out, n));
        linear_forward<S>(HostQueue(), view(x, n), view(weight, outputs), bias.data(),
                          view(out_in_real, n));
        const Values expected = oracle::linear(x_, weight_, bias_, n, outputs);
        Values bound =
            scaled(oracle::linear(absolute(x_), absolute(weight_), absolute(bias_), n, outputs),
                   (inputs + 1) * per_term);
        to.push_back(output_of<S>("linear forward", "sums", out_in_real, expected, bound));
        add_storage_error<S>(expected, bound);
        to.push_back(output_of<S>("linear forward", "out", out, expected, bound));
    }

    /// Sums of `outputs` (d_x) and n (parameters) products, the latter added to a first value.
    void backward(Planted bug, std::vector<KernelOutput>& to) {
        std::vector<S> d_x(x.size(), S(Real(7)));            // overwritten
        std::vector<Real> d_weight(weight.size(), Real(1));  // added to
        std::vector<Real> d_bias(outputs, Real(1));
        linear_backward_input<S>(HostQueue(), view(d_out, n), view(weight, outputs), view(d_x, n));
        linear_backward_parameters<S>(HostQueue(), view(d_out, n), view(x, n),
                                      view(d_weight, outputs), d_bias.data());
        auto gradient = oracle::linear_gradient(x_, weight_, d_out_, n, outputs, bug);
        auto bound =
            oracle::linear_gradient(absolute(x_), absolute(weight_), absolute(d_out_), n, outputs);
        for (auto* values : {&gradient.weight, &gradient.bias, &bound.weight, &bound.bias}) {
            for (double& v : *values) v += 1.0;
        }
        Values d_x_bound = scaled(bound.x, outputs * per_term);
        add_storage_error<S>(gradient.x, d_x_bound);
        to.push_back(output_of<S>("linear backward", "d_x", d_x, gradient.x, d_x_bound));
        to.push_back(output_of<S>("linear backward", "d_weight", d_weight, gradient.weight,
                                  scaled(bound.weight, (n + 1) * per_term)));
        to.push_back(output_of<S>("linear backward", "d_bias", d_bias, gradient.bias,
                                  scaled(bound.bias, (n + 1) * per_term)));
    }
};

}  // namespace

std::vector<KernelOutput> linear_outputs(ElementType storage, Planted bug) {
    return in_storage(storage, [&](auto zero) {
        Case<decltype(zero)> of;
        std::vector<KernelOutput> all;
        of.forward(all);
        of.backward(bug, all);
        return all;
    });
}

}  // namespace shardstone::validation
