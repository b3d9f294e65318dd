// SPDX-License-Identifier: BSD-3-Clause
// Aligned buffers, blocks that cover each element once, and normal initial weights in any slice.
#include <algorithm>
#include <cstdint>
#include <numeric>

#include "kernels/base/error.hpp"
#include "kernels/base/fill_normal.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/tensor/buffer.hpp"
#include "kernels/tensor/for_each.hpp"
#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

TEST(Tensor, BufferIsZeroedAndAligned) {
    for (const std::int64_t size : {0, 1, 17, 3 << 20}) {
        const Buffer<float> buffer(size);
        EXPECT_EQ(buffer.size_bytes(), 4 * size);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U);
        EXPECT_TRUE(std::ranges::all_of(buffer.span(), [](float v) { return v == 0.0F; }));
    }
#if !defined(__SANITIZE_ADDRESS__)  // whose allocator ends the process instead
    EXPECT_THROW(Buffer<double>(std::int64_t{1} << 55), Error);
#endif
}

TEST(Tensor, BlocksCoverEveryElementOnce) {
    for (const std::int64_t size : {std::int64_t{0}, std::int64_t{1}, elements_per_block,
                                    elements_per_block + 1, 5 * elements_per_block - 3}) {
        std::vector<int> visits(static_cast<std::size_t>(size));
        for_each_block(HostQueue(), size, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
        });
        EXPECT_EQ(std::accumulate(visits.begin(), visits.end(), std::int64_t{0}), size);
        EXPECT_TRUE(std::ranges::all_of(visits, [](int v) { return v == 1; }));
    }
}

TEST(Tensor, SameProductTwiceGivesTheSameBits) {
    auto a = as<float>(random_values(130 * 77, "a")), b = as<float>(random_values(50 * 77, "b"));
    std::vector<float> first(130 * 50), second(130 * 50);
    gemm<float>(HostQueue(), 1, view(a, 130), transpose(view(b, 50)), 0, view(first, 130));
    gemm<float>(HostQueue(), 1, view(a, 130), transpose(view(b, 50)), 0, view(second, 130));
    EXPECT_EQ(first, second);
}

TEST(FillNormal, ElementDependsOnSeedNameAndIndexAlone) {
    std::vector<float> longer(5000), shorter(1234), other_seed(64), other_name(64);
    fill_normal(7, "weight", 0, 0.5F, longer);
    fill_normal(7, "weight", 0, 0.5F, shorter);
    fill_normal(8, "weight", 0, 0.5F, other_seed);
    fill_normal(7, "bias", 0, 0.5F, other_name);
    EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
    EXPECT_FALSE(std::equal(other_seed.begin(), other_seed.end(), longer.begin()));
    EXPECT_FALSE(std::equal(other_name.begin(), other_name.end(), longer.begin()));
}

// Odd offsets, within and across the counters (4 numbers) and blocks (512) that are drawn at a
// time.
TEST(FillNormal, SlicesAreThoseOfTheWhole) {
    std::vector<float> whole(3000), slice;
    fill_normal(7, "weight", 0, 0.5F, whole);
    for (const std::size_t first : {0U, 1U, 2U, 3U, 4U, 5U, 511U, 512U, 513U, 1027U, 2999U}) {
        for (const std::size_t count : {0U, 1U, 3U, 509U, 512U, 1025U}) {
            slice.assign(std::min(count, whole.size() - first), -1.0F);
            fill_normal(7, "weight", static_cast<std::int64_t>(first), 0.5F, slice);
            EXPECT_TRUE(std::equal(slice.begin(), slice.end(), whole.begin() + first))
                << count << " from " << first;
        }
    }
    slice.assign(100, -1.0F);
    fill_normal(7, "weight", 8, 0.5F, slice);  // a planted bug: the offset rounded to a counter
    EXPECT_FALSE(std::equal(slice.begin(), slice.end(), whole.begin() + 9));
    fill_normal(7, "weight", std::int64_t{1} << 40, 0.5F, slice);  // far behind what is in memory
    EXPECT_NE(slice.front(), slice.back());
}

// Moments of n samples of N(0, 1): standard errors 1/sqrt(n), sqrt(2/n), sqrt(15/n), sqrt(96/n)
// (the variances of x, x^2, x^3 and x^4 are 1, 2, 15 and 96); five of each. Neighbours, which share
// a Philox counter, must not be correlated.
TEST(FillNormal, MomentsAreNormal) {
    constexpr int n = 1 << 20;
    std::vector<float> values(n);
    fill_normal(3, "moments", 0, 1.0F, values);
    double sums[4] = {}, neighbours[3] = {};
    for (int i = 0; i < n; ++i) {
        double power = 1.0;
        for (double& sum : sums) sum += (power *= values[i]);
        for (int lag = 1; lag <= 3 && i + lag < n; ++lag) {
            neighbours[lag - 1] += static_cast<double>(values[i]) * values[i + lag];
        }
    }
    const double root = std::sqrt(n);
    EXPECT_NEAR(sums[0] / n, 0.0, 5.0 / root);
    EXPECT_NEAR(sums[1] / n, 1.0, 5.0 * std::sqrt(2.0) / root);
    EXPECT_NEAR(sums[2] / n, 0.0, 5.0 * std::sqrt(15.0) / root);
    EXPECT_NEAR(sums[3] / n, 3.0, 5.0 * std::sqrt(96.0) / root);
    for (const double sum : neighbours) EXPECT_NEAR(sum / n, 0.0, 5.0 / root);
}

}  // namespace
}  // namespace shardstone::validation
