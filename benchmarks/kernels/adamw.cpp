// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/optimizer/adamw.hpp"

#include <cmath>

#include "benchmarks/kernels/comparison.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr const char* name = "adamw";
constexpr AdamwStep step{10, 1e-3, 0.5};

/// Scale g (1), decay w (2), m (3), v (4), then square root, multiply, add, divide, multiply and
/// subtract (6).
constexpr double flop_per_element = 16.0;
/// Reads weight, gradient and both moments, writes all but the gradient.
constexpr double bytes_per_element = 7.0 * 4.0;

Workload prepare(std::int64_t count) {
    const auto weights = normal_numbers("weights", count);
    const auto gradients = normal_numbers("gradients", count);
    const auto first = std::make_shared<Buffer<float>>(count);
    const auto second = std::make_shared<Buffer<float>>(count);
    const auto elements = static_cast<double>(count);
    return {flop_per_element * elements, bytes_per_element * elements, [=] {
                adamw_update<float>(
                    AdamwSettings{}, step,
                    {weights->span(), gradients->span(), first->span(), second->span()});
            }};
}

/// m takes 4 roundings of its two parts' magnitudes, v (positive parts) 5; the step takes half of
/// v's relative error, m's, and 8 roundings with those of the settings that are held in FP32; the
/// decayed weight takes 3.
void expect(double w, double g, double m, double v, Expectation& expected) {
    const AdamwSettings s;
    g *= step.gradient_scale;
    const double m_magnitude = std::abs(s.beta1 * m) + std::abs((1.0 - s.beta1) * g);
    m = s.beta1 * m + (1.0 - s.beta1) * g;
    v = s.beta2 * v + (1.0 - s.beta2) * g * g;
    const double correction1 = 1.0 - std::pow(s.beta1, static_cast<double>(step.step));
    const double correction2 = std::sqrt(1.0 - std::pow(s.beta2, static_cast<double>(step.step)));
    const double scale =
        step.learning_rate / correction1 / (std::sqrt(v) / correction2 + s.epsilon);
    const double decayed = w - step.learning_rate * s.weight_decay * w;
    const double step_error = scale * (4.0 * m_magnitude + (2.5 + 8.0) * std::abs(m));
    expected.add(decayed - scale * m,
                 unit_roundoff * (3.0 * std::abs(w) + std::abs(scale * m) + step_error));
}

results::Check verify() {
    constexpr std::int64_t count = 333;
    const auto weights = normal_numbers("weights", count);
    const auto gradients = normal_numbers("gradients", count);
    const auto first = normal_numbers("first", count);
    const auto second = normal_numbers("second", count);
    Expectation expected;
    for (std::int64_t i = 0; i < count; ++i) {
        second->data()[i] *= second->data()[i];
        expect(weights->data()[i], gradients->data()[i], first->data()[i], second->data()[i],
               expected);
    }
    adamw_update<float>(AdamwSettings{}, step,
                        {weights->span(), gradients->span(), first->span(), second->span()});
    return compare(name, weights->span(), expected);
}

const KernelRegistration registration{{name, "parameters", {16384, 4194304}, prepare, verify}};

}  // namespace

}  // namespace shardstone::benchmarks
