// SPDX-License-Identifier: BSD-3-Clause
// Positions reach their experts' rows and come back: exact, with dropped choices, within bounds.
#include "kernels/transformer/expert_rows.hpp"

#include <limits>

#include "validation/unit/kernels/plain_sums.hpp"

namespace shardstone::validation {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Three positions, two choices each, among three experts; the buffer has five rows, of which row 3
// belongs to nobody. The second choice of position 1 was dropped, and both of position 2. The
// gates are 0.5 and 2, and 4; no dropped choice has one of these.
constexpr Size positions = 3, top_k = 2, buffer_rows = 5;
std::vector<std::int32_t> rows{4, 0, 2, -1, -1, -1};
std::vector<std::int32_t> choices{1, 2, 0, 1, 2, 0};
const Values probabilities{64, 0.5, 2, 4, 64, 64, 64, 64, 64};

template <class S>
class ExpertRows : public testing::Test {
  protected:
    std::vector<compute_t<S>> gates_ = as<compute_t<S>>(probabilities);
    std::vector<S> x_ = as<S>({1, 2, 3, 4, 5, 6});
};
TYPED_TEST_SUITE(ExpertRows, StorageTypes);

TYPED_TEST(ExpertRows, DispatchCopiesToTheRowsAndLeavesOthers) {
    using S = TypeParam;
    std::vector<S> to = as<S>(Values(buffer_rows * 2, 9));
    dispatch_rows<S>(HostQueue(), view(this->x_, positions), view(rows, positions),
                     view(to, buffer_rows));
    EXPECT_EQ(wide_values(to), (Values{1, 2, 9, 9, 3, 4, 9, 9, 1, 2}));
}

TYPED_TEST(ExpertRows, GradientIsDispatchedTimesTheGate) {
    using S = TypeParam;
    std::vector<S> to = as<S>(Values(buffer_rows * 2, 9));
    dispatch_gradient<S>(HostQueue(), view(this->x_, positions), view(rows, positions),
                         view(choices, positions), view(this->gates_, positions),
                         view(to, buffer_rows));
    EXPECT_EQ(wide_values(to), (Values{2, 4, 9, 9, 12, 16, 9, 9, 0.5, 1}));
}

TYPED_TEST(ExpertRows, GateGradientsAreDotProducts) {
    using S = TypeParam;
    std::vector<S> from = as<S>({10, 20, nan, nan, 1, 3, nan, nan, 7, 5});
    std::vector<compute_t<S>> d_gates(positions * top_k, 9);
    gate_gradients<S>(HostQueue(), view(this->x_, positions), view(from, buffer_rows),
                      view(rows, positions), view(d_gates, positions));
    EXPECT_EQ(wide_values(d_gates), (Values{17, 50, 15, 0, 0, 0}));
}

// The buffer's rows are wider than what they hold, as are the outputs'.
TYPED_TEST(ExpertRows, RowsAreFoundByTheirStride) {
    using S = TypeParam;
    std::vector<S> to = as<S>(Values(buffer_rows * 3, 9));
    const Matrix<S> buffer{to.data(), buffer_rows, 2, 3};
    dispatch_rows<S>(HostQueue(), view(this->x_, positions), view(rows, positions), buffer);
    EXPECT_EQ(wide_values(to), (Values{1, 2, 9, 9, 9, 9, 3, 4, 9, 9, 9, 9, 1, 2, 9}));
    auto sums = as<compute_t<S>>(Values(positions * 3, 9));
    sum_rows<S>(HostQueue(), buffer, view(rows, positions),
                Matrix<compute_t<S>>{sums.data(), positions, 2, 3});
    EXPECT_EQ(wide_values(sums), (Values{2, 4, 9, 3, 4, 9, 0, 0, 9}));
}

template <class Types>
class ExpertSums : public testing::Test {
  protected:
    std::vector<compute_t<typename Types::S>> gates_ =
        as<compute_t<typename Types::S>>(probabilities);
    std::vector<typename Types::S> from_ =
        as<typename Types::S>({10, 20, nan, nan, 1, 3, nan, nan, 7, 5});
    std::vector<typename Types::R> out_ = as<typename Types::R>(Values(positions * 2, nan));
};
TYPED_TEST_SUITE(ExpertSums, StreamTypes);

TYPED_TEST(ExpertSums, CombineWeighsByTheGatesOfTheChoices) {
    combine_rows<typename TypeParam::S>(HostQueue(), view(this->from_, buffer_rows),
                                        view(rows, positions), view(choices, positions),
                                        view(this->gates_, positions), view(this->out_, positions));
    EXPECT_EQ(wide_values(this->out_), (Values{23.5, 42.5, 4, 12, 0, 0}));
}

TYPED_TEST(ExpertSums, SumAddsUpTheRowsThatThereAre) {
    sum_rows<typename TypeParam::S>(HostQueue(), view(this->from_, buffer_rows),
                                    view(rows, positions), view(this->out_, positions));
    EXPECT_EQ(wide_values(this->out_), (Values{17, 25, 1, 3, 0, 0}));
}

// 256 + 1 is no number of bf16 and would be rounded to 256, twice.
TYPED_TEST(ExpertSums, SumsAreRoundedOnce) {
    using S = typename TypeParam::S;
    std::vector<std::int32_t> three{0, 1, 2};
    std::vector<compute_t<S>> gates{1, 1, 1};
    auto from = as<S>({256, 1, 1});
    auto out = as<typename TypeParam::R>({0});
    combine_rows<S>(HostQueue(), view(from, 3), view(three, 1), view(three, 1), view(gates, 1),
                    view(out, 1));
    EXPECT_EQ(wide(out[0]), 258.0);
    out = as<typename TypeParam::R>({0});
    sum_rows<S>(HostQueue(), view(from, 3), view(three, 1), view(out, 1));
    EXPECT_EQ(wide(out[0]), 258.0);
}

/// Eleven positions with three choices each among five experts, every fourth of them dropped; two
/// groups of partial results and a rest of channels.
template <class Types>
struct LargeCase {
    using S = typename Types::S;
    using R = typename Types::R;
    using Real = compute_t<S>;
    static constexpr Size positions = 11, top_k = 3, experts = 5, channels = 131;
    static constexpr Size buffer_rows = positions * top_k + 4;
    std::vector<std::int32_t> rows, choices;
    Values from = stored<S>(random_values(buffer_rows * channels, "from"));
    Values gates = stored<Real>(random_values(positions * experts, "gates"));
    Values d_out = stored<S>(random_values(positions * channels, "d_out"));

    LargeCase() {
        for (Size i = 0; i < positions * top_k; ++i) {
            // 10 takes each value modulo 37 once.
            rows.push_back(i % 4 == 2 ? -1 : static_cast<std::int32_t>(10 * i % buffer_rows));
            choices.push_back(static_cast<std::int32_t>((i / top_k + 2 * (i % top_k)) % experts));
        }
    }
    /// Element c of the row of a choice, times `factor`; 0 of one that was dropped.
    double element(Size n, Size k, Size c, double factor) const {
        const Size row = rows[n * top_k + k];
        return row < 0 ? 0.0 : factor * from[row * channels + c];
    }
    double gate(Size n, Size k) const { return gates[n * experts + choices[n * top_k + k]]; }

    std::vector<R> combined(Size first, Size count) {
        auto buffer = as<S>(from);
        auto all_gates = as<Real>(gates);
        std::vector<R> out(count * channels);
        const auto part = [&](auto& values, Size columns) {
            return matrix(values.data() + first * columns, count, columns);
        };
        combine_rows<S>(HostQueue(), view(buffer, buffer_rows), part(rows, top_k),
                        part(choices, top_k), part(all_gates, experts), view(out, count));
        return out;
    }
};

TYPED_TEST(ExpertSums, CombineIsWithinItsBound) {
    LargeCase<TypeParam> of;
    using Real = typename LargeCase<TypeParam>::Real;
    using R = typename TypeParam::R;
    const auto actual = of.combined(0, of.positions);
    const auto share = [&] {
        const PlainSums expected =
            plain_sums(Values(of.positions * of.channels), of.channels, of.top_k,
                       [&](Size n, Size c, Size k) { return of.element(n, k, c, of.gate(n, k)); });
        // Each term as a product and in the additions of all.
        return worst_ratio(actual, expected.sums, expected.template bounds<Real, R>(of.top_k + 1));
    };
    EXPECT_LE(share(), 1.0);
    std::swap(of.choices[3], of.choices[4]);
    EXPECT_GT(share(), 1.0) << "the comparison misses two gates that are swapped";
}

TYPED_TEST(ExpertSums, APositionIsCombinedAlikeInAnyBatch) {
    LargeCase<TypeParam> of;
    auto parts = of.combined(0, 4);
    for (const auto value : of.combined(4, of.positions - 4)) parts.push_back(value);
    EXPECT_EQ(wide_values(parts), wide_values(of.combined(0, of.positions)));
}

TYPED_TEST(ExpertSums, SumOfRowsIsWithinItsBound) {
    LargeCase<TypeParam> of;
    using S = typename TypeParam::S;
    using R = typename TypeParam::R;
    auto buffer = as<S>(of.from);
    std::vector<R> out(of.positions * of.channels);
    sum_rows<S>(HostQueue(), view(buffer, of.buffer_rows), view(of.rows, of.positions),
                view(out, of.positions));
    const PlainSums expected =
        plain_sums(Values(out.size()), of.channels, of.top_k,
                   [&](Size n, Size c, Size k) { return of.element(n, k, c, 1.0); });
    const Values bounds = expected.template bounds<compute_t<S>, R>(of.top_k);
    EXPECT_LE(worst_ratio(out, expected.sums, bounds), 1.0);
}

TYPED_TEST(ExpertSums, GateGradientsAreWithinTheirBound) {
    LargeCase<TypeParam> of;
    using S = typename TypeParam::S;
    using Real = compute_t<S>;
    auto buffer = as<S>(of.from), d_out = as<S>(of.d_out);
    std::vector<Real> d_gates(of.positions * of.top_k);
    gate_gradients<S>(HostQueue(), view(d_out, of.positions), view(buffer, of.buffer_rows),
                      view(of.rows, of.positions), view(d_gates, of.positions));
    const PlainSums expected = plain_sums(
        Values(d_gates.size()), of.top_k, of.channels,
        [&](Size n, Size k, Size c) { return of.element(n, k, c, of.d_out[n * of.channels + c]); });
    // A term is rounded as a product and in channels / 64 + 7 additions (row_reduction.hpp).
    const Values bounds = expected.template bounds<Real, Real>(of.channels / 64 + 8);
    EXPECT_LE(worst_ratio(d_gates, expected.sums, bounds), 1.0);
}

}  // namespace
}  // namespace shardstone::validation
