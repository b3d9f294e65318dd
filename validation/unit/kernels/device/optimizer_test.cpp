// SPDX-License-Identifier: BSD-3-Clause
// Optimizers on the device: AdamW against the oracle, and all kinds step by step, bitwise as on the
// host, wherever the arrays begin and however a tensor is cut.
#include "kernels/optimizer/optimizer.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "validation/numerics/kernels/located.hpp"
#include "validation/unit/kernels/compare.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

using Kind = OptimizerKind;
using DeviceOptimizers = OnDevice;

constexpr std::size_t padding = 8;
constexpr int steps = 3;

/// Where an array begins behind the start of its memory.
struct Starts {
    std::size_t weights, gradients, first, second;
};
struct Case {
    OptimizerSettings settings;
    Size count = 0;
    Starts starts{};
    std::vector<std::size_t> ends;  ///< of the pieces
    bool skips = false;
};

/// Everything that a case leaves behind, with what lies before and behind the arrays.
template <class Real>
struct Left {
    std::vector<Real> weights, first, second;
    std::vector<SquareSum::Limbs> squares;
    std::vector<double> ratios;

    bool operator==(const Left&) const = default;
};

/// Among the gradients are some whose squares are subnormal or vanish.
template <class Real>
std::vector<Real> gradients_of(Size count) {
    Values values = random_values(count, "gradients");
    for (std::size_t i = 0; i < values.size(); i += 5) values[i] = i % 2 == 0 ? 3e-21 : 0.0;
    return as<Real>(values);
}

template <class Real, class Space>
class Tensor {
  public:
    explicit Tensor(const Case& of)
        : case_(of),
          weights_(as<Real>(random_values(memory(of.count), "weights"))),
          gradients_(gradients_of<Real>(memory(of.count * steps))),
          first_(memory(of.count), Real(0)),
          second_(memory(of.count), Real(0)) {}

    void update(int step) {
        const typename Space::Queue queue;
        OptimizerStep now{step, 0.5, 0.25, FactorsAt(factors_.data())};
        const bool adapts = traits_of(case_.settings.kind).adapts;
        Located<TensorSquares, Space> squares(1);
        each_piece(step, [&](const auto& range) {
            prepare_update(queue, case_.settings, now, range);
            if (adapts) add_squares(queue, case_.settings, now, range, *squares.data());
        });
        if (adapts) {
            const TensorSquares sums = squares.read().front();
            trust_ratios(queue, case_.settings, now, std::as_const(squares).span(), ratio_.span());
            now.factors = FactorsAt(factors_.data(), ratio_.data());
            left_ratios_.push_back(ratio_.read().front());
            left_squares_.push_back(sums.weights);
            left_squares_.push_back(sums.updates);
        }
        each_piece(step,
                   [&](const auto& range) { update_range(queue, case_.settings, now, range); });
    }

    Left<Real> left() const {
        return {weights_.read(), first_.read(), second_.read(), left_squares_, left_ratios_};
    }

  private:
    static Size memory(Size count) { return count + static_cast<Size>(padding); }

    template <class F>
    void each_piece(int step, const F& f) {
        const auto& [w, g, m, v] = case_.starts;
        const std::size_t of_step =
            static_cast<std::size_t>(case_.count) * static_cast<std::size_t>(step - 1);
        const int moments = traits_of(case_.settings.kind).moments;
        std::size_t begin = 0;
        for (const std::size_t end : case_.ends) {
            const auto part = [&](auto& array, std::size_t start) {
                return array.span().subspan(start + begin, end - begin);
            };
            ParameterRange<Real, Space> range{
                part(weights_, w), part(gradients_, g + of_step), {}, {}};
            if (moments > 0) range.first_moments = part(first_, m);
            if (moments > 1) range.second_moments = part(second_, v);
            f(range);
            begin = end;
        }
    }

    Case case_;
    Located<Real, Space> weights_, gradients_, first_, second_;
    Located<UpdateFactors, Space> factors_{1, {.gradient_scale = 0.75, .skips = case_.skips}};
    Located<double, Space> ratio_{1};
    std::vector<SquareSum::Limbs> left_squares_;
    std::vector<double> left_ratios_;
};

template <class Real, class Space>
Left<Real> after_steps(const Case& of) {
    Tensor<Real, Space> tensor(of);
    for (int step = 1; step <= steps; ++step) tensor.update(step);
    return tensor.left();
}

template <class Real>
void expect_bits_of_host(const Case& of, const std::string& what) {
    const auto host = after_steps<Real, Host>(of);
    const auto device = after_steps<Real, Cuda>(of);
    EXPECT_TRUE(device.weights == host.weights) << what << ", weights";
    EXPECT_TRUE(device.first == host.first) << what << ", first moments";
    EXPECT_TRUE(device.second == host.second) << what << ", second moments";
    EXPECT_EQ(device.squares, host.squares) << what;
    EXPECT_EQ(device.ratios, host.ratios) << what;
}

const std::vector<Starts> all_starts{
    {0, 0, 0, 0}, {3, 3, 3, 3}, {1, 5, 1, 5}, {1, 2, 3, 0}, {0, 0, 0, 1}};

TEST_F(DeviceOptimizers, HaveTheBitsOfTheHost) {
    for (const Kind kind :
         {Kind::adamw, Kind::sgd, Kind::momentum, Kind::nesterov, Kind::lamb, Kind::lars}) {
        for (const std::size_t count : {1, 3, 7, 8, 1003, 5000}) {
            for (const Starts& starts : all_starts) {
                const Case one{{.kind = kind}, static_cast<Size>(count), starts, {count}};
                const std::string what = to_string(kind) + " of " + std::to_string(count);
                expect_bits_of_host<float>(one, what);
                if (count == 1003) expect_bits_of_host<double>(one, what + " in FP64");
            }
        }
    }
}

TEST_F(DeviceOptimizers, LeaveTheSameBitsInPieces) {
    for (const Kind kind : {Kind::adamw, Kind::lamb, Kind::lars}) {
        const Case whole{{.kind = kind}, 4003, {0, 0, 0, 0}, {4003}};
        Case pieces = whole;
        pieces.ends = {0, 1, 500, 517, 4003};
        EXPECT_TRUE((after_steps<float, Cuda>(whole) == after_steps<float, Cuda>(pieces)))
            << to_string(kind);
    }
}

TEST_F(DeviceOptimizers, ChangeNothingInAStepThatIsSkipped) {
    for (const Kind kind :
         {Kind::adamw, Kind::sgd, Kind::momentum, Kind::nesterov, Kind::lamb, Kind::lars}) {
        Case skipped{{.kind = kind}, 1003, {3, 3, 3, 3}, {1003}, true};
        const auto left = after_steps<float, Cuda>(skipped);
        const Tensor<float, Cuda> untouched(skipped);
        EXPECT_TRUE(left.weights == untouched.left().weights) << to_string(kind);
        EXPECT_TRUE(left.first == untouched.left().first) << to_string(kind);
        EXPECT_TRUE(left.second == untouched.left().second) << to_string(kind);
        expect_bits_of_host<float>(skipped, to_string(kind) + ", skipped");
    }
}

/// Equal, or both no numbers.
bool same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

TEST_F(DeviceOptimizers, FindTheFactorsOfTheHost) {
    for (const double size : {1e-9, 1.0, 3e5, 2e6, HUGE_VAL}) {
        auto values = random_values(1003, "gradients");
        for (double& value : values) value *= size;
        SquareSum::Limbs squares{};
        add_squares<double>(HostQueue(), values, squares);
        for (const bool skips : {false, true}) {
            const GradientLimits limits{0.7, skips};
            const Located<SquareSum::Limbs, Cuda> sum(1, squares);
            Located<UpdateFactors, Cuda> device(1);
            find_factors(CudaQueue(), *sum.data(), limits, *device.data());
            UpdateFactors host;
            find_factors(HostQueue(), squares, limits, host);
            const UpdateFactors found = device.read().front();
            EXPECT_TRUE(same(found.gradient_norm, host.gradient_norm)) << size;
            EXPECT_TRUE(same(found.gradient_scale, host.gradient_scale)) << size;
            EXPECT_EQ(found.skips, host.skips);
            EXPECT_EQ(found.skips, skips && size > 1e6);
        }
    }
}

TEST_F(DeviceOptimizers, DoNothingToNothing) {
    const Case none{{.kind = Kind::lamb}, 0, {1, 1, 1, 1}, {0}};
    expect_bits_of_host<float>(none, "nothing");
}

// More elements than a grid has threads for.
TEST_F(DeviceOptimizers, GoThroughLargeTensors) {
    constexpr Size count = 8'500'003;
    const std::vector<float> pattern = as<float>(random_values(10007, "weights"));
    std::vector<float> values;
    while (std::ssize(values) < count) {
        values.insert(values.end(), pattern.begin(), pattern.end());
    }
    const OptimizerSettings settings{.kind = Kind::sgd};
    const OptimizerStep step{1, 0.5, 0.25, {}};
    Located<float, Cuda> weights(values);
    const Located<float, Cuda> gradients(values);
    const auto first = static_cast<std::size_t>(values.size() - count);
    update_range<float>(
        CudaQueue(), settings, step,
        {weights.span().subspan(first, count), gradients.span().subspan(first, count), {}, {}});
    std::vector<float> expected = values;
    update_range<float>(
        HostQueue(), settings, step,
        {std::span(expected).subspan(first), std::span(values).subspan(first), {}, {}});
    EXPECT_TRUE(weights.read() == expected);
}

TEST_F(DeviceOptimizers, AdamwEqualsOracle) {
    for (const ElementType type : {ElementType::fp32, ElementType::fp64}) {
        expect_equal_to_oracle(adamw_outputs<Cuda>(type));
    }
}

}  // namespace
}  // namespace shardstone::validation
