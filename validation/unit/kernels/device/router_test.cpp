// SPDX-License-Identifier: BSD-3-Clause
// The router on the device: logits and weight gradients within their bounds, all else as on the
// host.
#include "kernels/transformer/router.hpp"

#include <algorithm>
#include <limits>

#include "validation/numerics/kernels/located.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"
#include "validation/unit/kernels/device/same_as_host.hpp"
#include "validation/unit/kernels/plain_sums.hpp"

namespace shardstone::validation {
namespace {

using DeviceRouting = OnDevice;
template <class S>
class DeviceRouter : public OnDevice {};
TYPED_TEST_SUITE(DeviceRouter, DeviceStorageTypes);
template <class Types>
class DeviceRouterInput : public OnDevice {};
TYPED_TEST_SUITE(DeviceRouterInput, DeviceStreamTypes);

// Rows: more than a block's, and a rest. Channels: whole and broken packs, below and above a
// warp's.
struct Shape {
    Size rows, experts, channels;
};
const std::vector<Shape> shapes{{1, 1, 1}, {7, 5, 131}, {37, 8, 776}, {35, 17, 258}};

/// logits (N, E) of x (N, C) and weight (E, C), both numbers of S.
PlainSums plain_logits(const Shape& of, const Values& x, const Values& weight) {
    return plain_sums(Values(of.rows * of.experts), of.experts, of.channels,
                      [&](Size n, Size e, Size c) {
                          return x[n * of.channels + c] * weight[e * of.channels + c];
                      });
}

template <class S>
std::vector<float> device_logits(const Shape& of, const Values& x, const Values& weight) {
    const Located<S, Cuda> from(as<S>(x)), by(as<S>(weight));
    Located<float, Cuda> logits(of.rows * of.experts, 99.0F);
    router_logits<S>(CudaQueue(), from.view(of.rows), by.view(of.experts), logits.view(of.rows));
    return logits.read();
}

TYPED_TEST(DeviceRouter, LogitsAreWithinTheirBound) {
    using S = TypeParam;
    for (const Shape& of : shapes) {
        const Values x = stored<S>(random_values(of.rows * of.channels, "x"));
        Values weight = stored<S>(random_values(of.experts * of.channels, "weight"));
        const auto logits = device_logits<S>(of, x, weight);
        // A lane adds its packs of 16 B one by one, fused with the products; then the 32 lanes.
        constexpr Size pack = 16 / sizeof(S);
        const auto roundings =
            static_cast<double>((of.channels + 32 * pack - 1) / (32 * pack) * pack + 5);
        const auto share = [&] {
            const PlainSums expected = plain_logits(of, x, weight);
            return worst_ratio(logits, expected.sums, expected.bounds<float, float>(roundings));
        };
        EXPECT_LE(share(), 1.0) << of.channels;
        if (of.channels < 7) continue;
        std::swap(weight[5], weight[6]);
        EXPECT_GT(share(), 1.0) << "the comparison misses two weights that are swapped";
    }
}

TYPED_TEST(DeviceRouter, LogitsOfARowAreTheSameInAnyBatchAndAtAnyAddress) {
    using S = TypeParam;
    const Shape of{37, 9, 520};
    const Values x = random_values(of.rows * of.channels, "x");
    const Values by = random_values(of.experts * of.channels, "weight");
    const auto whole = device_logits<S>(of, x, by);
    // From the second element on, where no load of a pack is aligned, and with rows of 521.
    std::vector<S> shifted(static_cast<std::size_t>(of.rows * 521 + 1));
    const auto x_in_s = as<S>(x);
    for (Size i = 0; i < of.rows * of.channels; ++i) {
        shifted[i / of.channels * 521 + i % of.channels + 1] = x_in_s[i];
    }
    Located<S, Cuda> from(shifted);
    const Located<S, Cuda> weight(as<S>(by));
    Located<float, Cuda> logits(of.rows * of.experts, 99.0F);
    for (const auto& [first, count] : {std::pair<Size, Size>{0, 1}, {1, 33}, {34, 3}}) {
        const Matrix<const S, Cuda> part{from.data() + 1 + first * 521, count, of.channels, 521};
        router_logits<S>(CudaQueue(), part, weight.view(of.experts),
                         logits.view(of.rows).rows_from(first, count));
    }
    EXPECT_EQ(logits.read(), whole);
}

/// Logits as they come, tied, far apart, and not finite.
Values odd_logits(Size rows, Size experts) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Values logits = random_values(rows * experts, "logits", 3.0);
    for (Size i = 0; i < rows * experts; ++i) {
        const Size n = i / experts, e = i % experts;
        if (n % 7 == 1) logits[i] = std::floor(logits[i] / 4.0);
        if (n % 7 == 2) logits[i] = e % 3 == 0 ? 10000.0 : -10000.0;
        if (n % 7 == 3 && e == experts / 2) logits[i] = std::nan("");
        if (n % 7 == 4 && e == experts / 2) logits[i] = infinity;
        if (n % 7 == 5 && e != experts / 2) logits[i] = -infinity;
        if (n % 7 == 6) logits[i] = 2.0;
    }
    return logits;
}

TEST_F(DeviceRouting, ProbabilitiesAndChoicesAreTheHosts) {
    if (!host_fuses) GTEST_SKIP() << "the host rounds products before it adds";
    constexpr Size rows = 21;
    for (const Size experts : {1, 4, 8, 31, 64, 70, 128, 2000}) {
        for (const Size top_k : {Size{1}, std::min<Size>(experts, 2), std::min<Size>(experts, 8)}) {
            auto expected = as<float>(odd_logits(rows, experts));
            Located<float, Cuda> p(expected), sums(rows);
            Located<std::int32_t, Cuda> choices(rows * top_k, -7);
            std::vector<float> log_sum_exp(rows);
            std::vector<std::int32_t> expected_choices(rows * top_k);
            route<float>(CudaQueue(), p.view(rows), sums.data(), choices.view(rows));
            route(HostQueue(), view(expected, rows), log_sum_exp.data(),
                  view(expected_choices, rows));
            EXPECT_EQ(choices.read(), expected_choices) << top_k << " of " << experts;
            expect_same_as_host(p.read(), expected);
            // The device's logarithm and the host's are each off by a unit in the last place, and
            // the sum with the largest logit is rounded.
            const auto device_sums = sums.read();
            for (std::size_t n = 0; n < log_sum_exp.size(); ++n) {
                if (std::isnan(log_sum_exp[n])) {
                    EXPECT_TRUE(std::isnan(device_sums[n])) << n;
                    continue;
                }
                const double bound = 4.0 * std::log(experts) + 2.0 * std::abs(log_sum_exp[n]);
                EXPECT_LE(std::abs(device_sums[n] - log_sum_exp[n]), bound * roundoff<float>) << n;
            }
        }
    }
}

TEST_F(DeviceRouting, GradientIsTheHosts) {
    constexpr Size rows = 19;
    for (const Size experts : {4, 33, 70, 128}) {
        for (const Size top_k : {Size{1}, Size{3}}) {
            auto p = as<float>(random_values(rows * experts, "logits"));
            auto d_gates = as<float>(random_values(rows * top_k, "d_gates"));
            auto picks = as<float>(random_values(experts, "picks"));
            std::vector<float> sums(rows), expected(rows * experts);
            std::vector<std::int32_t> choices(rows * top_k);
            route(HostQueue(), view(p, rows), sums.data(), view(choices, rows));
            const Located<float, Cuda> device_p(p), device_d(d_gates), device_picks(picks),
                device_sums(sums);
            const Located<std::int32_t, Cuda> device_choices(choices);
            Located<float, Cuda> d_logits(rows * experts, 99.0F);
            router_backward<float>(CudaQueue(), device_p.view(rows), device_choices.view(rows),
                                   device_d.view(rows), device_sums.data(), device_picks.data(),
                                   0.3F, 0.7F, d_logits.view(rows));
            router_backward<float>(HostQueue(), view(p, rows), view(choices, rows),
                                   view(d_gates, rows), sums.data(), picks.data(), 0.3F, 0.7F,
                                   view(expected, rows));
            EXPECT_EQ(d_logits.read(), expected) << top_k << " of " << experts;
        }
    }
}

// More rows than warps of the largest grid, in three sequences; twice, since both are added to.
TEST_F(DeviceRouting, LossesAreWithinTheirBound) {
    for (const auto& [rows, experts] : {std::pair<Size, Size>{6, 40}, {3 * 700, 4}}) {
        const auto p = as<float>(random_values(rows * experts, "p"));
        const auto picks = as<float>(random_values(3 * experts, "picks"));
        const auto sums = as<float>(random_values(rows, "sums"));
        const Located<float, Cuda> device_p(p), device_picks(picks), device_sums(sums);
        Located<double, Cuda> losses(std::vector<double>{100.0, 1000.0});
        for (int i = 0; i < 2; ++i) {
            router_losses<float>(CudaQueue(), device_p.view(rows), device_picks.view(3),
                                 device_sums.data(), 0.25, losses.data(), losses.data() + 1);
        }
        Values expected{100.0, 1000.0}, sizes = expected;
        for (Size i = 0; i < rows * experts; ++i) {
            const Size b = i / experts / (rows / 3);
            const double term = 0.5 * p[i] * picks[b * experts + i % experts];
            expected[0] += term;
            sizes[0] += std::abs(term);
        }
        for (const double sum : sums) expected[1] += 2.0 * sum * sum;
        sizes[1] = expected[1];
        // Products are exact; as many additions here as terms, fewer there.
        const auto roundings = static_cast<double>(rows * experts + 4);
        const Values bounds{higher_orders * roundings * roundoff<double> * sizes[0],
                            higher_orders * roundings * roundoff<double> * sizes[1]};
        EXPECT_LE(worst_ratio(losses.read(), expected, bounds), 1.0) << rows;
    }
}

TYPED_TEST(DeviceRouter, WeightGradientIsWithinItsBoundAndAdds) {
    using S = TypeParam;
    for (const Shape& of :
         std::vector<Shape>{{1, 1, 1}, {7, 5, 131}, {300, 8, 40}, {129, 12, 50}}) {
        const Values past = stored<float>(random_values(of.experts * of.channels, "past"));
        const Values d = stored<float>(random_values(of.rows * of.experts, "d"));
        Values from = stored<S>(random_values(of.rows * of.channels, "x"));
        const Located<float, Cuda> d_logits(as<float>(d));
        const Located<S, Cuda> x(as<S>(from));
        Located<float, Cuda> d_weight(as<float>(past));
        router_backward_weight<S>(CudaQueue(), d_logits.view(of.rows), x.view(of.rows),
                                  d_weight.view(of.experts));
        const auto actual = d_weight.read();
        // Every 128th row, fused with the product; three additions in a warp, one for each of the
        // 16 warps, and what was there.
        const auto roundings = static_cast<double>((of.rows + 127) / 128 + 3 + 16 + 1);
        const auto share = [&] {
            const PlainSums expected =
                plain_sums(past, of.channels, of.rows, [&](Size e, Size c, Size n) {
                    return d[n * of.experts + e] * from[n * of.channels + c];
                });
            return worst_ratio(actual, expected.sums, expected.bounds<float, float>(roundings));
        };
        EXPECT_LE(share(), 1.0) << of.rows;
        from.back() += 1.0;
        EXPECT_GT(share(), 1.0) << "the comparison misses a number that is off by one";
    }
}

TYPED_TEST(DeviceRouterInput, GradientIsTheHosts) {
    if (!host_fuses) GTEST_SKIP() << "the host rounds products before it adds";
    using S = typename TypeParam::S;
    using R = typename TypeParam::R;
    for (const Shape& of :
         std::vector<Shape>{{1, 1, 1}, {7, 5, 131}, {33, 8, 776}, {37, 70, 260}}) {
        auto d = as<float>(random_values(of.rows * of.experts, "d"));
        auto by = as<S>(random_values(of.experts * of.channels, "weight"));
        auto expected = as<R>(random_values(of.rows * of.channels, "past"));
        const Located<float, Cuda> d_logits(d);
        const Located<S, Cuda> weight(by);
        Located<R, Cuda> d_x(expected);
        router_backward_input<S, R>(CudaQueue(), d_logits.view(of.rows), weight.view(of.experts),
                                    d_x.view(of.rows));
        router_backward_input<S, R>(HostQueue(), view(d, of.rows), view(by, of.experts),
                                    view(expected, of.rows));
        expect_same_as_host(d_x.read(), expected);
    }
}

// Nothing is written, nor read.
TEST_F(DeviceRouting, OfNoRowsDoesNothing) {
    Located<float, Cuda> numbers(8, 1.0F);
    Located<std::int32_t, Cuda> choices(8, 0);
    Located<double, Cuda> losses(2, 5.0);
    const Matrix<float, Cuda> none{numbers.data(), 0, 4, 4}, some{numbers.data(), 2, 4, 4};
    const CudaQueue queue;
    router_logits<float>(queue, none, some, none);
    route<float>(queue, none, numbers.data(), {choices.data(), 0, 2, 2});
    router_backward<float>(queue, none, {choices.data(), 0, 2, 2}, none, numbers.data(),
                           numbers.data(), 1.0F, 1.0F, none);
    router_backward_input<float, float>(queue, none, some, none);
    router_backward_weight<float>(queue, none, none, some);
    router_losses<float>(queue, none, none, numbers.data(), 1.0, losses.data(), losses.data() + 1);
    EXPECT_EQ(numbers.read(), std::vector<float>(8, 1.0F));
    EXPECT_EQ(choices.read(), std::vector<std::int32_t>(8, 0));
    EXPECT_EQ(losses.read(), std::vector<double>(2, 5.0));
}

}  // namespace
}  // namespace shardstone::validation
