// SPDX-License-Identifier: BSD-3-Clause
// The oracle's backward passes against central differences of its forward passes, and the planted
// errors against the same check.
#include <functional>

#include "validation/oracle/adamw.hpp"
#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

using Function = std::function<double(const Values&)>;

/// Largest disagreement between `gradient` and (f(x + h) - f(x - h)) / 2h, over its bound. With
/// h = 2^-15 truncation is h^2 |f'''| / 6 and rounding about m u |f| / h, where m counts the
/// additions behind one value of f. For the functions below, built from O(1) numbers, |f'''| and
/// |f| stay under `size`, the number of terms summed: together (1.6e-10 + 3.6e-12 m) size, m <= 50.
double worst_difference(const Function& f, Values x, const Values& gradient, double size) {
    constexpr double h = 0x1p-15;
    const double bound = (h * h / 6.0 + 50.0 * 0x1p-53 / h) * size;
    double worst = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double kept = x[i];
        x[i] = kept + h;
        const double above = f(x);
        x[i] = kept - h;
        const double below = f(x);
        x[i] = kept;
        worst = std::max(worst, std::abs((above - below) / (2.0 * h) - gradient[i]) / bound);
    }
    return worst;
}

double dot(const Values& a, const Values& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

TEST(Oracle, LinearGradient) {
    const Size n = 3, inputs = 4, outputs = 5;
    const Values x = random_values(n * inputs, "x"), weight = random_values(outputs * inputs, "w");
    const Values bias = random_values(outputs, "b"), d = random_values(n * outputs, "d");
    const auto g = oracle::linear_gradient(x, weight, d, n, outputs);
    const auto loss = [&](const Values& a, const Values& b, const Values& c) {
        return dot(oracle::linear(a, b, c, n, outputs), d);
    };
    const double size = n * outputs * inputs;
    EXPECT_LE(
        worst_difference([&](const Values& v) { return loss(v, weight, bias); }, x, g.x, size),
        1.0);
    EXPECT_LE(
        worst_difference([&](const Values& v) { return loss(x, v, bias); }, weight, g.weight, size),
        1.0);
    const auto of_bias = [&](const Values& v) { return loss(x, weight, v); };
    EXPECT_LE(worst_difference(of_bias, bias, g.bias, size), 1.0);
    const auto planted =
        oracle::linear_gradient(x, weight, d, n, outputs, Planted::no_bias_gradient);
    EXPECT_GT(worst_difference(of_bias, bias, planted.bias, size), 1.0);
}

TEST(Oracle, LayernormGradient) {
    const Size n = 2, channels = 6;
    const Values x = random_values(n * channels, "x"), weight = random_values(channels, "w");
    const Values bias = random_values(channels, "b"), d = random_values(n * channels, "d");
    const auto of_x = [&](const Values& v) {
        return dot(oracle::layernorm(v, weight, bias, n), d);
    };
    const auto of_weight = [&](const Values& v) {
        return dot(oracle::layernorm(x, v, bias, n), d);
    };
    const auto of_bias = [&](const Values& v) {
        return dot(oracle::layernorm(x, weight, v, n), d);
    };
    const auto g = oracle::layernorm_gradient(x, weight, d, n);
    const double size = 10.0 * n * channels;  // third derivatives of 1/sigma are larger
    EXPECT_LE(worst_difference(of_x, x, g.x, size), 1.0);
    EXPECT_LE(worst_difference(of_weight, weight, g.weight, size), 1.0);
    EXPECT_LE(worst_difference(of_bias, bias, g.bias, size), 1.0);
    for (const auto bug :
         {Planted::layernorm_without_mean_term, Planted::layernorm_without_variance_term}) {
        const auto planted = oracle::layernorm_gradient(x, weight, d, n, bug);
        EXPECT_GT(worst_difference(of_x, x, planted.x, size), 1.0);
    }
}

TEST(Oracle, GeluGradient) {
    const Values x = random_values(40, "x", 2.0), d = random_values(40, "d");
    const auto f = [&](const Values& v) { return dot(oracle::gelu(v), d); };
    EXPECT_LE(worst_difference(f, x, oracle::gelu_gradient(x, d), 40.0), 1.0);
    const auto planted = oracle::gelu_gradient(x, d, Planted::gelu_without_cubic_term);
    EXPECT_GT(worst_difference(f, x, planted, 40.0), 1.0);
}

TEST(Oracle, AttentionGradient) {
    const oracle::AttentionSizes sizes{2, 5, 2, 3};
    const Size count = sizes.batch * sizes.sequence * sizes.heads * sizes.head_size;
    const Values qkv = random_values(3 * count, "qkv"), d = random_values(count, "d");
    const auto f = [&](const Values& v) { return dot(oracle::attention(sizes, v), d); };
    const auto size = static_cast<double>(count);
    EXPECT_LE(worst_difference(f, qkv, oracle::attention_gradient(sizes, qkv, d), size), 1.0);
    const auto planted = oracle::attention_gradient(sizes, qkv, d, Planted::mask_off_by_one);
    EXPECT_GT(worst_difference(f, qkv, planted, size), 1.0);
}

TEST(Oracle, CrossEntropyGradient) {
    const std::vector<std::int32_t> targets{1, -1, 4, 0};
    const Values logits = random_values(20, "logits");
    const auto f = [&](const Values& v) { return oracle::cross_entropy(v, targets); };
    EXPECT_LE(
        worst_difference(f, logits, oracle::cross_entropy_gradient(logits, targets, 1.0), 20.0),
        1.0);
}

// The first step of Adam moves by the learning rate against the gradient's sign; decay is apart.
TEST(Oracle, FirstAdamwStepIsTheSignOfTheGradient) {
    const oracle::AdamwConstants constants{0.1, 0.9, 0.999, 0.0, 0.5};
    const auto moved = oracle::adamw(constants, {2.0, 0.0, 0.0}, -3.0, 1);
    EXPECT_NEAR(moved.weight, 2.0 - 0.1 * 0.5 * 2.0 + 0.1, 8 * 0x1p-53 * 2.0);
}

}  // namespace
}  // namespace shardstone::validation
