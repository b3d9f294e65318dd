// SPDX-License-Identifier: BSD-3-Clause
// The router's products: exact on whole numbers, within bounds, the same in any batch.
#include "kernels/transformer/router.hpp"

#include <cmath>

#include "validation/unit/kernels/plain_sums.hpp"

namespace shardstone::validation {
namespace {

// Channels: two groups of partial results and a rest.
constexpr Size rows = 7, experts = 5, channels = 131;

/// logits (N, E) of x (N, C) and weight (E, C), both numbers of S.
PlainSums plain_logits(const Values& x, const Values& weight) {
    return plain_sums(Values(rows * experts), experts, channels, [&](Size n, Size e, Size c) {
        return x[n * channels + c] * weight[e * channels + c];
    });
}

/// past (E, columns) + d_logits^T x.
PlainSums plain_weight_gradient(const Values& past, const Values& d_logits, const Values& x) {
    const Size columns = static_cast<Size>(past.size()) / experts;
    return plain_sums(past, columns, rows, [&](Size e, Size c, Size n) {
        return d_logits[n * experts + e] * x[n * columns + c];
    });
}

/// past (N, columns) + d_logits W.
PlainSums plain_input_gradient(const Values& past, const Values& d_logits, const Values& weight) {
    const Size columns = static_cast<Size>(past.size()) / rows;
    return plain_sums(past, columns, experts, [&](Size n, Size c, Size e) {
        return d_logits[n * experts + e] * weight[e * columns + c];
    });
}

template <class S>
std::vector<compute_t<S>> logits_of(const Values& x, const Values& weight) {
    auto from = as<S>(x), by = as<S>(weight);
    std::vector<compute_t<S>> logits(rows * experts, 99);
    router_logits<S>(HostQueue(), view(from, rows), view(by, experts), view(logits, rows));
    return logits;
}

template <class S>
class Router : public testing::Test {};
TYPED_TEST_SUITE(Router, StorageTypes);

TYPED_TEST(Router, LogitsAreExactOnWholeNumbers) {
    const Values x = whole_numbers(rows * channels, "x");
    const Values weight = whole_numbers(experts * channels, "weight");
    EXPECT_EQ(wide_values(logits_of<TypeParam>(x, weight)), plain_logits(x, weight).sums);
}

TYPED_TEST(Router, LogitsAreWithinTheirBound) {
    using S = TypeParam;
    using Real = compute_t<S>;
    const Values x = stored<S>(random_values(rows * channels, "x"));
    Values weight = stored<S>(random_values(experts * channels, "weight"));
    const auto logits = logits_of<S>(x, weight);
    // A term is rounded as a product and in channels / 64 + 7 additions (row_reduction.hpp).
    constexpr double roundings = channels / 64 + 8;
    const auto share = [&] {
        const PlainSums expected = plain_logits(x, weight);
        return worst_ratio(logits, expected.sums, expected.bounds<Real, Real>(roundings));
    };
    EXPECT_LE(share(), 1.0);
    std::swap(weight[5], weight[6]);
    EXPECT_GT(share(), 1.0) << "the comparison misses two weights that are swapped";
}

TYPED_TEST(Router, ViewsOfWiderMatricesAreReadByTheirStride) {
    using S = TypeParam;
    auto x = as<S>({1, 2, 90, 3, 4, 90}), weight = as<S>({5, 6, 90, 7, 8, 90});
    std::vector<compute_t<S>> logits(6, 1);
    router_logits<S>(HostQueue(), Matrix<S>{x.data(), 2, 2, 3}, Matrix<S>{weight.data(), 2, 2, 3},
                     {logits.data(), 2, 2, 3});
    EXPECT_EQ(wide_values(logits), (Values{17, 23, 1, 39, 53, 1}));
}

TYPED_TEST(Router, ARowIsRoutedAlikeInAnyBatch) {
    using S = TypeParam;
    using Real = compute_t<S>;
    auto x = as<S>(random_values(rows * channels, "x"));
    auto weight = as<S>(random_values(experts * channels, "weight"));
    std::vector<Real> whole(rows * experts), parts(rows * experts), sums(rows), part_sums(rows);
    std::vector<std::int32_t> choices(rows * 2), part_choices(rows * 2);
    router_logits<S>(HostQueue(), view(x, rows), view(weight, experts), view(whole, rows));
    route(HostQueue(), view(whole, rows), sums.data(), view(choices, rows));
    for (Size r = 0; r < rows; ++r) {
        const auto part = matrix(parts.data() + r * experts, 1, experts);
        router_logits<S>(HostQueue(), matrix(x.data() + r * channels, 1, channels),
                         view(weight, experts), part);
        route(HostQueue(), part, part_sums.data() + r, matrix(part_choices.data() + r * 2, 1, 2));
    }
    EXPECT_EQ(parts, whole);
    EXPECT_EQ(part_sums, sums);
    EXPECT_EQ(part_choices, choices);
}

// More channels than there are in a block of columns.
TYPED_TEST(Router, WeightGradientIsExactOnWholeNumbersAndAdds) {
    using S = TypeParam;
    constexpr Size many = 2100;
    const Values past = whole_numbers(experts * many, "past");
    const Values d = whole_numbers(rows * experts, "d"), from = whole_numbers(rows * many, "x");
    auto d_weight = as<compute_t<S>>(past), d_logits = as<compute_t<S>>(d);
    auto x = as<S>(from);
    router_backward_weight<S>(HostQueue(), view(d_logits, rows), view(x, rows),
                              view(d_weight, experts));
    EXPECT_EQ(wide_values(d_weight), plain_weight_gradient(past, d, from).sums);
}

TYPED_TEST(Router, WeightGradientIsWithinItsBoundAndTheSameFromPartsOfTheRows) {
    using S = TypeParam;
    using Real = compute_t<S>;
    const Values past = stored<Real>(random_values(experts * channels, "past"));
    const Values d = stored<Real>(random_values(rows * experts, "d"));
    const Values from = stored<S>(random_values(rows * channels, "x"));
    auto whole = as<Real>(past), parts = as<Real>(past), d_logits = as<Real>(d);
    auto x = as<S>(from);
    router_backward_weight<S>(HostQueue(), view(d_logits, rows), view(x, rows),
                              view(whole, experts));
    for (const auto& [first, count] : {std::pair<Size, Size>{0, 3}, {3, 4}}) {
        router_backward_weight<S>(
            HostQueue(), matrix(d_logits.data() + first * experts, count, experts),
            matrix(x.data() + first * channels, count, channels), view(parts, experts));
    }
    EXPECT_EQ(parts, whole);
    // Each term as a product and in all additions, one per row.
    const PlainSums expected = plain_weight_gradient(past, d, from);
    EXPECT_LE(worst_ratio(whole, expected.sums, expected.bounds<Real, Real>(rows + 1)), 1.0);
}

template <class Types>
class RouterInput : public testing::Test {};
TYPED_TEST_SUITE(RouterInput, StreamTypes);

TYPED_TEST(RouterInput, GradientIsExactOnWholeNumbersAndAdds) {
    using S = typename TypeParam::S;
    using R = typename TypeParam::R;
    const Values d = whole_numbers(rows * experts, "d");
    auto d_logits = as<compute_t<S>>(d);
    for (const Size columns : {1, 63, 64, 65, 128, 131}) {  // about a group of columns
        const Values past = whole_numbers(rows * columns, "past");
        const Values by = whole_numbers(experts * columns, "weight");
        auto d_x = as<R>(past);
        auto weight = as<S>(by);
        router_backward_input<S, R>(HostQueue(), view(d_logits, rows), view(weight, experts),
                                    view(d_x, rows));
        EXPECT_EQ(wide_values(d_x), plain_input_gradient(past, d, by).sums) << columns;
    }
}

TYPED_TEST(RouterInput, GradientIsWithinItsBound) {
    using S = typename TypeParam::S;
    using R = typename TypeParam::R;
    using Real = compute_t<S>;
    const Values past = stored<R>(random_values(rows * channels, "past"));
    const Values d = stored<Real>(random_values(rows * experts, "d"));
    const Values by = stored<S>(random_values(experts * channels, "weight"));
    auto d_x = as<R>(past);
    auto d_logits = as<Real>(d);
    auto weight = as<S>(by);
    router_backward_input<S, R>(HostQueue(), view(d_logits, rows), view(weight, experts),
                                view(d_x, rows));
    // Each term as a product, in the additions of the others, and with what was there.
    const PlainSums expected = plain_input_gradient(past, d, by);
    EXPECT_LE(worst_ratio(d_x, expected.sums, expected.bounds<Real, R>(experts + 2)), 1.0);
}

// 256 + 1 is no number of bf16 and would be rounded to 256, twice.
TYPED_TEST(RouterInput, GradientIsRoundedOnce) {
    using S = typename TypeParam::S;
    auto d_x = as<typename TypeParam::R>({256});
    std::vector<compute_t<S>> d_logits{1, 1};
    auto weight = as<S>({1, 1});
    router_backward_input<S>(HostQueue(), view(d_logits, 1), view(weight, 2), view(d_x, 1));
    EXPECT_EQ(wide(d_x[0]), 258.0);
}

}  // namespace
}  // namespace shardstone::validation
