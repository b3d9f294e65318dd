// SPDX-License-Identifier: BSD-3-Clause
// Momentum, LARS and LAMB against the oracle, step by step from the state as the type holds it, and
// in pieces against the whole. Bounds are sums of the roundings of the formulas in the headers,
// each constant, product and sum 1 u; S |x| stands for sums of magnitudes.
#include "validation/oracle/optimizers.hpp"

#include <array>

#include "kernels/base/error.hpp"
#include "kernels/optimizer/optimizer.hpp"
#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

using Kind = OptimizerKind;

constexpr Size count = 1003;
constexpr double rate = 0.5, decay = 0.25, scale = 0.75;

/// A tensor and its optimizer.
template <class Real>
struct State {
    OptimizerSettings settings;
    double size = 1.0;  ///< of weights
    std::vector<Real> weights = as<Real>(random_values(count, "weights", size));
    std::vector<Real> first = std::vector<Real>(count), second = std::vector<Real>(count);

    ParameterRange<Real> range(const std::vector<Real>& gradients, std::size_t begin,
                               std::size_t end) {
        const auto part = [&](auto& values) {
            return std::span(values).subspan(begin, end - begin);
        };
        return {part(weights), part(gradients), part(first), part(second)};
    }

    /// In pieces that end where `ends` say; the norms are those of the whole, or of each piece.
    void update(int step, const std::vector<Real>& gradients, std::span<const std::size_t> ends,
                bool norms_of_pieces = false) {
        const UpdateFactors factors{.gradient_scale = scale};
        OptimizerStep now{step, rate, decay, FactorsAt(&factors)};
        std::vector<ParameterRange<Real>> pieces;
        std::size_t begin = 0;
        for (const std::size_t end : ends) {
            pieces.push_back(range(gradients, begin, end));
            begin = end;
        }
        TensorSquares all;
        for (const auto& piece : pieces) {
            prepare_update(HostQueue(), settings, now, piece);
            if (traits_of(settings.kind).adapts)
                add_squares(HostQueue(), settings, now, piece, all);
        }
        for (const auto& piece : pieces) {
            double ratio = 1.0;
            if (traits_of(settings.kind).adapts) {
                TensorSquares own;
                add_squares(HostQueue(), settings, now, piece, own);
                trust_ratios(HostQueue(), settings, now, {norms_of_pieces ? &own : &all, 1},
                             {&ratio, 1});
                now.factors = FactorsAt(&factors, &ratio);
            }
            update_range(HostQueue(), settings, now, piece);
        }
    }

    oracle::Tensor wide() const {
        return {Values(weights.begin(), weights.end()), Values(first.begin(), first.end()),
                Values(second.begin(), second.end())};
    }
};

constexpr std::array<std::size_t, 1> whole{count};
constexpr std::array<std::size_t, 4> pieces{1, 500, 517, count};

template <class Real>
class Optimizers : public testing::Test {
  protected:
    static std::vector<Real> gradients(int step) {
        return as<Real>(random_values(count, "gradients " + std::to_string(step)));
    }
    static Values scaled(const std::vector<Real>& gradients) {
        Values values(gradients.begin(), gradients.end());
        for (double& value : values) value *= scale;
        return values;
    }

    /// |scale g| + decay |w|: d of momentum and LARS is off by 3 u of it.
    static double size_of_d(const State<Real>& state, const std::vector<Real>& g, std::size_t i) {
        return std::abs(scale * g[i]) + decay * std::abs(state.weights[i]);
    }
};
TYPED_TEST_SUITE(Optimizers, RealTypes);

// b: 4 u (momentum |b| + |d|) = 4 u B; heavy ball: (4 + 3) u lr B + u |w|. Nesterov: d + momentum b
// is off by 3 u D, 4 + 2 more for the product, and 1; then 3 more for rate, product, difference.
TYPED_TEST(Optimizers, MomentumEqualsOracle) {
    using Real = TypeParam;
    constexpr double u = roundoff<Real>;
    for (const Kind kind : {Kind::momentum, Kind::nesterov}) {
        State<Real> state{{.kind = kind, .momentum = 0.9}};
        for (int step = 1; step <= 3; ++step) {
            const auto g = TestFixture::gradients(step);
            const auto before = state;
            state.update(step, g, whole);
            const bool nesterov = kind == Kind::nesterov;
            const auto expected = oracle::momentum({rate, 0.9, decay}, before.wide(),
                                                   TestFixture::scaled(g), nesterov);
            Values bound(count);
            for (std::size_t i = 0; i < bound.size(); ++i) {
                const double d = TestFixture::size_of_d(before, g, i);
                const double b = 0.9 * std::abs(before.first[i]) + d;
                const double sizes = nesterov ? 10.0 * (d + 0.9 * b) : 7.0 * b;
                bound[i] = higher_orders * u * (std::abs(before.weights[i]) + rate * sizes);
            }
            EXPECT_LE(worst_ratio(state.weights, expected.weights, bound), 1.0)
                << to_string(kind) << " step " << step;
        }
    }
}

/// The ratio, in double from exact sums of rounded squares (gradient_norm.hpp), is off by 3 u of a
/// double per norm and 4 for its own operations: 10 u at most, all of it only where u is a
/// double's. Rate: 1 u; product with d (3 u): 1 u; so 15 u of it. b: 3 u |b|, 16 u |rate d|.
template <class Real>
Values lars_bound(const State<Real>& before, const std::vector<Real>& g, double local_rate) {
    Values bound(count);
    for (std::size_t i = 0; i < bound.size(); ++i) {
        const double d = std::abs(scale * g[i]) + decay * std::abs(before.weights[i]);
        const double kept = 0.9 * std::abs(before.first[i]);
        bound[i] = higher_orders * roundoff<Real> *
                   (std::abs(before.weights[i]) + 4.0 * kept + 17.0 * rate * local_rate * d);
    }
    return bound;
}

constexpr double trust = 0.125;

TYPED_TEST(Optimizers, LarsEqualsOracle) {
    State<TypeParam> state{{.kind = Kind::lars, .momentum = 0.9, .trust = trust}};
    for (int step = 1; step <= 3; ++step) {
        const auto g = TestFixture::gradients(step);
        const auto before = state;
        state.update(step, g, whole);
        const Values scaled = TestFixture::scaled(g);
        const double w = oracle::norm(before.wide().weights);
        const double local_rate = trust * w / (oracle::norm(scaled) + decay * w);
        const auto expected = oracle::lars({rate, 0.9, decay}, trust, before.wide(), scaled);
        const Values bound = lars_bound(before, g, local_rate);
        EXPECT_LE(worst_ratio(state.weights, expected.weights, bound), 1.0) << "step " << step;
    }
}

/// m is off by 5 u S|m|, v by 8 u; m hat by 7; the denominator by 9 (half of v's, root, constant,
/// product, epsilon, sum); so u by 18 u of U = S|m hat| / (sqrt(v hat) + eps) + decay |w|, its norm
/// by as much of |U|, and 3 u for its squares; the ratio by 4 more; step, product, difference by 3.
template <class Real>
Values lamb_bound(const oracle::AdamwConstants& constants, const State<Real>& before,
                  const std::vector<Real>& g, const oracle::Tensor& after, int step) {
    oracle::Tensor sizes = after;
    for (std::size_t i = 0; i < sizes.weights.size(); ++i) {
        sizes.weights[i] = std::abs(before.weights[i]);
        sizes.first_moments[i] = constants.beta1 * std::abs(before.first[i]) +
                                 (1.0 - constants.beta1) * std::abs(scale * g[i]);
    }
    oracle::Tensor exact = after;
    exact.weights = before.wide().weights;
    const Values u = oracle::lamb_direction(constants, exact, step);
    const Values most = oracle::lamb_direction(constants, sizes, step);
    const double length = constants.learning_rate * oracle::norm(exact.weights) / oracle::norm(u);
    const double relative = 18.0 * oracle::norm(most) / oracle::norm(u) + 3.0 + 4.0 + 3.0;
    Values bound(count);
    for (std::size_t i = 0; i < bound.size(); ++i) {
        bound[i] =
            higher_orders * roundoff<Real> *
            (std::abs(before.weights[i]) + length * (18.0 * most[i] + relative * std::abs(u[i])));
    }
    return bound;
}

constexpr oracle::AdamwConstants lamb_constants{rate, 0.9, 0.95, 1e-6, decay};

TYPED_TEST(Optimizers, LambEqualsOracle) {
    State<TypeParam> state{{.kind = Kind::lamb}};
    for (int step = 1; step <= 3; ++step) {
        const auto g = TestFixture::gradients(step);
        const auto before = state;
        state.update(step, g, whole);
        const auto expected =
            oracle::lamb(lamb_constants, before.wide(), TestFixture::scaled(g), step);
        const Values bound = lamb_bound(lamb_constants, before, g, expected, step);
        EXPECT_LE(worst_ratio(state.weights, expected.weights, bound), 1.0) << "step " << step;
    }
}

/// The bug that shards invite: each scales by the norms of what it holds.
TYPED_TEST(Optimizers, NormsOfPiecesAreSeen) {
    const auto g = TestFixture::gradients(1);
    State<TypeParam> lamb{{.kind = Kind::lamb}};
    State<TypeParam> lars{{.kind = Kind::lars, .momentum = 0.9, .trust = trust}};
    const auto before = lamb;
    const Values scaled = TestFixture::scaled(g);
    const auto of_lamb = oracle::lamb(lamb_constants, before.wide(), scaled, 1);
    const auto of_lars = oracle::lars({rate, 0.9, decay}, trust, before.wide(), scaled);
    lamb.update(1, g, pieces, true);
    lars.update(1, g, pieces, true);
    const double w = oracle::norm(before.wide().weights);
    const double local_rate = trust * w / (oracle::norm(scaled) + decay * w);
    EXPECT_GT(worst_ratio(lamb.weights, of_lamb.weights,
                          lamb_bound(lamb_constants, before, g, of_lamb, 1)),
              100.0);
    EXPECT_GT(worst_ratio(lars.weights, of_lars.weights, lars_bound(before, g, local_rate)), 100.0);
}

TYPED_TEST(Optimizers, AnySplitOfATensorGivesTheSameBits) {
    for (const Kind kind :
         {Kind::adamw, Kind::sgd, Kind::momentum, Kind::nesterov, Kind::lamb, Kind::lars}) {
        State<TypeParam> one{{.kind = kind}}, split{{.kind = kind}};
        for (int step = 1; step <= 2; ++step) {
            const auto g = TestFixture::gradients(step);
            one.update(step, g, whole);
            split.update(step, g, pieces);
        }
        EXPECT_EQ(one.weights, split.weights) << to_string(kind);
        EXPECT_EQ(one.first, split.first) << to_string(kind);
        EXPECT_EQ(one.second, split.second) << to_string(kind);
    }
}

TEST(TrustRatio, IsOneWhereANormIsZero) {
    const auto ratio = [](Kind kind, double weight, double gradient) {
        const OptimizerSettings settings{.kind = kind};
        const OptimizerStep step{.step = 1, .learning_rate = 1.0};
        std::vector<double> w{weight}, m(1), v(1);
        const std::vector<double> g{gradient};
        const ParameterRange<double> range{w, g, m, v};
        TensorSquares squares;
        prepare_update(HostQueue(), settings, step, range);
        add_squares(HostQueue(), settings, step, range, squares);
        double result = 0.0;
        trust_ratios(HostQueue(), settings, step, {&squares, 1}, {&result, 1});
        return result;
    };
    for (const Kind kind : {Kind::lamb, Kind::lars}) {
        EXPECT_EQ(ratio(kind, 0.0, 1.0), 1.0);
        EXPECT_EQ(ratio(kind, 1.0, 0.0), 1.0);
        EXPECT_TRUE(std::isnan(ratio(kind, std::nan(""), 1.0)));
        EXPECT_TRUE(std::isnan(ratio(kind, 1.0, std::nan(""))));
    }
    EXPECT_NEAR(ratio(Kind::lamb, 3.0, 2.0), 3.0, 1e-5);  // the first step's direction is a sign
    EXPECT_DOUBLE_EQ(ratio(Kind::lars, 3.0, 2.0), 0.001 * 3.0 / 2.0);
}

TEST(OptimizerKind, HasOneNameEach) {
    for (const Kind kind :
         {Kind::adamw, Kind::sgd, Kind::momentum, Kind::nesterov, Kind::lamb, Kind::lars}) {
        EXPECT_EQ(parse_optimizer(to_string(kind)), kind);
    }
    EXPECT_EQ(to_string(Kind::lars), "lars");
    EXPECT_THROW(parse_optimizer("adam"), Error);
}

}  // namespace
}  // namespace shardstone::validation
