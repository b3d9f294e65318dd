// SPDX-License-Identifier: BSD-3-Clause
// Rounding to FP8 and a product of rounded factors, within bounds derived from the two formats.
#include "kernels/gemm/gemm.hpp"
#include "kernels/transformer/fp8_rows.hpp"
#include "validation/numerics/kernels/kernel_error.hpp"

namespace shardstone::validation {

namespace {

constexpr Size n = 17, inputs = 96, outputs = 40;

/// What rounding moves a number by: half a unit in its last place, or half of the even spacing
/// below the smallest normal number; all divided by the scale, whose power of two is exact.
template <class F>
double rounding_error(double value, double scale) {
    using Traits = element_traits<F>;
    return Traits::unit_roundoff * std::max(std::abs(value), Traits::smallest_normal / scale);
}

template <class F>
struct Rounded {
    explicit Rounded(const Values& exact, Size rows) : values(as<bf16>(exact)), to(values.size()) {
        const float amax = static_cast<float>(largest(exact.data(), std::ssize(exact)));
        scale = static_cast<double>(fp8_scale<F>(amax));
        float seen = 0.0F;
        round_to_fp8<F>(HostQueue(), view(values, rows), static_cast<float>(scale), view(to, rows),
                        &seen);
    }
    std::vector<bf16> values, to;
    double scale;
};

template <class F>
KernelOutput rounding_output(const char* name, const Values& exact, const Rounded<F>& rounded) {
    Values bound;
    for (const double value : exact) bound.push_back(rounding_error<F>(value, rounded.scale));
    auto output = output_of<bf16>("fp8 rounding", name, rounded.to, exact, bound);
    output.storage = output.type = element_traits<F>::type;
    return output;
}

}  // namespace

/// x W^T with x and W rounded to e4m3: each of `inputs` terms is off by what its factors are off
/// by, to first order; the sum in FP32 adds its own roundings.
std::vector<KernelOutput> fp8_product_outputs(ElementType storage, Planted) {
    if (storage != ElementType::fp8_e4m3) return {};
    const Values x = stored<bf16>(random_values(n * inputs, "x", 3.0));
    const Values weight = stored<bf16>(random_values(outputs * inputs, "weight", 0.02));
    const Values gradient = stored<bf16>(random_values(n * outputs, "gradient", 1e-4));
    Rounded<fp8_e4m3> left(x, n), right(weight, outputs);
    const Rounded<fp8_e5m2> coarse(gradient, n);
    std::vector<float> out(n * outputs);
    gemm<bf16>(HostQueue(), 1, view(left.to, n), transpose(view(right.to, outputs)), 0,
               view(out, n));
    Values expected(n * outputs, 0.0), bound(n * outputs, 0.0);
    for (Size i = 0; i < n * outputs; ++i) {
        for (Size k = 0; k < inputs; ++k) {
            const double a = x[i / outputs * inputs + k], b = weight[i % outputs * inputs + k];
            expected[i] += a * b;
            bound[i] +=
                std::abs(a) * rounding_error<fp8_e4m3>(b, right.scale) +
                std::abs(b) * rounding_error<fp8_e4m3>(a, left.scale) +
                rounding_error<fp8_e4m3>(a, left.scale) * rounding_error<fp8_e4m3>(b, right.scale) +
                higher_orders * inputs * roundoff<float> * std::abs(a * b);
        }
    }
    auto product = output_of<bf16>("fp8 product", "out", out, expected, bound);
    product.storage = ElementType::fp8_e4m3;
    auto gradients = rounding_output("gradients", gradient, coarse);
    gradients.storage = ElementType::fp8_e4m3;  // which gradients go with
    return {rounding_output("activations", x, left), rounding_output("weights", weight, right),
            gradients, product};
}

}  // namespace shardstone::validation
