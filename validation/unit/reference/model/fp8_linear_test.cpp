// SPDX-License-Identifier: BSD-3-Clause
// A linear layer in FP8 over many steps, against FP64 products of factors that are scaled by a
// history written down here and converted one by one. What remains is the rounding of FP32 sums.
#include <deque>

#include "reference/model/linear_layer.hpp"
#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

using reference::Fp8Buffers;
using reference::Fp8Scales;
using reference::LinearLayer;
using reference::LinearView;

enum class Bug : std::uint8_t { none, stale_scale, short_history, swapped_formats, saturated_less };

/// One factor as the definition has it: amaxes of the steps before this one, newest last.
class Factor64 {
  public:
    explicit Factor64(bool gradients, Bug bug) : bug_(bug) {
        is_e5m2_ = gradients != (bug == Bug::swapped_formats);
    }

    Values rounded(const Values& values) {
        const double scale = scale_now();
        double amax = 0.0;
        for (const double v : values) amax = std::max(amax, std::abs(v));
        amaxes_.push_back(amax);
        if (scale == 0.0) return values;
        Values result;
        for (const double v : values) {
            result.push_back(is_e5m2_ ? converted<fp8_e5m2>(v * scale) / scale
                                      : converted<fp8_e4m3>(v * scale) / scale);
        }
        return result;
    }

  private:
    double scale_now() const {
        const auto known = std::ssize(amaxes_) - (bug_ == Bug::stale_scale ? 1 : 0);
        const Size steps = bug_ == Bug::short_history ? 15 : 16;
        double amax = 0.0;
        for (Size i = std::max<Size>(0, known - steps); i < known; ++i) {
            amax = std::max(amax, amaxes_[static_cast<std::size_t>(i)]);
        }
        if (amax == 0.0) return 0.0;
        const double largest = is_e5m2_ ? 57344.0 : 448.0;
        double scale = 0x1p60;
        while (amax * scale > largest) scale /= 2.0;
        return scale;
    }
    template <class F>
    double converted(double scaled) const {
        double largest = element_traits<F>::largest;
        if (bug_ == Bug::saturated_less) largest *= 4.0;  // beyond: no saturation to be seen
        if (std::abs(scaled) > element_traits<F>::largest) {
            return std::copysign(std::min(std::abs(scaled), largest), scaled);
        }
        return wide(F(static_cast<float>(scaled)));
    }

    Bug bug_;
    bool is_e5m2_;
    std::deque<double> amaxes_;
};

Values stored_values(const std::vector<bf16>& numbers) {
    Values values;
    for (const bf16 number : numbers) values.push_back(wide(number));
    return values;
}

/// Grows and shrinks, after one jump that is forgotten in step 20.
double size_in(int step) {
    if (step == 3) return 2000.0;
    return step < 10 ? std::pow(1.7, step) : std::pow(0.6, step - 14);
}

/// Largest error over its bound, of all three products in all steps.
double worst_over_steps(Bug bug) {
    constexpr Size n = 9, inputs = 33, outputs = 20;
    Fp8Scales<> scales(1);
    std::vector<bf16> left(n * inputs), right(inputs * outputs);
    auto weight = as<bf16>(random_values(outputs * inputs, "weight", 0.1));
    std::vector<float> d_weight(weight.size());
    const LinearLayer<bf16> layer(
        HostQueue(), LinearView<bf16>(view(weight, outputs), view(d_weight, outputs)),
        {&scales, 0, reference::Fp8Tensor::Product::qkv, Fp8Buffers{left.data(), right.data()}});
    Factor64 x_64(false, bug), weight_64(false, bug), d_out_64(true, bug);
    double worst = 0.0;
    for (int step = 0; step < 24; ++step) {
        const double size = size_in(step);
        auto x = as<bf16>(random_values(n * inputs, "x" + std::to_string(step), size));
        auto d_out = as<bf16>(random_values(n * outputs, "d" + std::to_string(step), 1e-6 * size));
        std::vector<float> out(n * outputs), d_x(n * inputs);
        std::ranges::fill(d_weight, 0.0F);
        scales.begin_step(HostQueue());
        layer.forward(view(x, n), nullptr, view(out, n));
        layer.backward_input(view(d_out, n), view(d_x, n));
        layer.backward_weight(view(d_out, n), view(x, n));
        scales.end_step(HostQueue());

        const Values a = x_64.rounded(stored_values(x)),
                     w = weight_64.rounded(stored_values(weight)),
                     d = d_out_64.rounded(stored_values(d_out));
        const auto gradient = oracle::linear_gradient(a, w, d, n, outputs);
        const auto magnitude =
            oracle::linear_gradient(absolute(a), absolute(w), absolute(d), n, outputs);
        const auto bound = [&](Values sums, Size terms) {
            for (double& v : sums) v *= higher_orders * static_cast<double>(terms) * 0x1p-24;
            return sums;
        };
        worst = std::max(
            {worst,
             worst_ratio(out, oracle::linear(a, w, {}, n, outputs),
                         bound(oracle::linear(absolute(a), absolute(w), {}, n, outputs), inputs)),
             worst_ratio(d_x, gradient.x, bound(magnitude.x, outputs)),
             worst_ratio(d_weight, gradient.weight, bound(magnitude.weight, n))});
    }
    return worst;
}

TEST(Fp8Linear, EqualsTheDefinition) {
    EXPECT_LE(worst_over_steps(Bug::none), 1.0);
}

TEST(Fp8Linear, PlantedBugsAreSeen) {
    EXPECT_GT(worst_over_steps(Bug::stale_scale), 1.0);
    EXPECT_GT(worst_over_steps(Bug::short_history), 1.0);
    EXPECT_GT(worst_over_steps(Bug::swapped_formats), 1.0);
    EXPECT_GT(worst_over_steps(Bug::saturated_less), 1.0);
}

/// A step whose numbers are no numbers leaves no trace in the scales.
TEST(Fp8Scales, IgnoreWhatIsNotFinite) {
    const reference::Fp8Tensor tensor{1, reference::Fp8Tensor::Product::mlp_expansion,
                                      reference::Fp8Tensor::Role::gradients};
    Fp8Scales<> scales(2);
    for (const float amax : {7.0F, std::numeric_limits<float>::infinity()}) {
        scales.begin_step(HostQueue());
        *scales.amax(tensor) = amax;
        scales.end_step(HostQueue());
        EXPECT_EQ(scales.of(tensor), 8192.0F);  // 7 * 8192 = 57344
    }
    EXPECT_EQ(scales.of({0, tensor.product, tensor.role}), 0.0F);
}

}  // namespace
}  // namespace shardstone::validation
