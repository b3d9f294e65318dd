// SPDX-License-Identifier: BSD-3-Clause
// Errors of AdamW updates against the FP64 oracle, with a rounding bound for each weight.
#include "kernels/optimizer/adamw.hpp"

#include "validation/numerics/kernels/kernel_error.hpp"
#include "validation/numerics/kernels/located.hpp"
#include "validation/oracle/adamw.hpp"

namespace shardstone::validation {

namespace {

constexpr Size count = 10007;
constexpr AdamwSettings settings{0.9, 0.95, 1e-8, 0.1};
constexpr double learning_rate = 1e-2;

template <class Real>
struct State {
    std::vector<Real> weights = as<Real>(random_values(count, "weights"));
    std::vector<Real> first = std::vector<Real>(count), second = std::vector<Real>(count);
};

/// A step starts from the state as the type holds it, so errors do not pile up. With constants
/// rounded to the type (1 u each): m is off by 4 u (b1 |m| + (1 - b1) |g|), v relatively by 5 u,
/// the denominator by (5/2 + 4) u, their quotient by that and 3 u more for step size, product and
/// quotient; then the weight by 3 u |w| (constant, product, difference).
template <class Space, class Real>
KernelOutput step_from(State<Real>& state, int step) {
    const auto g = as<Real>(random_values(count, "gradients " + std::to_string(step)));
    const State<Real> before = state;
    const Located<Real, Space> gradients(g);
    Located<Real, Space> weights(before.weights), first(before.first), second(before.second);
    adamw_update<Real>(typename Space::Queue(), settings, {step, learning_rate, {}},
                       {weights.span(), gradients.span(), first.span(), second.span()});
    state = {weights.read(), first.read(), second.read()};
    const oracle::AdamwConstants constants{learning_rate, settings.beta1, settings.beta2,
                                           settings.epsilon, settings.weight_decay};
    Values expected(count), bound(count);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto after = oracle::adamw(
            constants, {before.weights[i], before.first[i], before.second[i]}, g[i], step);
        const double m_size =
            settings.beta1 * std::abs(before.first[i]) + (1.0 - settings.beta1) * std::abs(g[i]);
        const double denominator =
            (1.0 - std::pow(settings.beta1, step)) *
            (std::sqrt(after.second_moment / (1.0 - std::pow(settings.beta2, step))) +
             settings.epsilon);
        expected[i] = after.weight;
        bound[i] = higher_orders * roundoff<Real> *
                   (3.0 * std::abs(before.weights[i]) +
                    learning_rate * (4.0 + 9.5) * m_size / denominator);
    }
    return output_of<Real>("AdamW, step " + std::to_string(step), "weights", state.weights,
                           expected, bound);
}

}  // namespace

/// Master weights and moments are in FP32 under every policy, so there is nothing in narrow types.
template <class Space>
std::vector<KernelOutput> adamw_outputs(ElementType storage, Planted) {
    return in_storage(storage, [](auto zero) {
        std::vector<KernelOutput> all;
        if constexpr (!is_narrow<decltype(zero)>) {
            State<decltype(zero)> state;
            for (int step = 1; step <= 3; ++step) all.push_back(step_from<Space>(state, step));
        }
        return all;
    });
}

template std::vector<KernelOutput> adamw_outputs<Host>(ElementType, Planted);

}  // namespace shardstone::validation
