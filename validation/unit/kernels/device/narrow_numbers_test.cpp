// SPDX-License-Identifier: BSD-3-Clause
// Rounding to FP8 and stochastic rounding to bf16 on the device, bitwise as on the host.
#include <limits>

#include "kernels/optimizer/stochastic_store.hpp"
#include "kernels/transformer/fp8_rows.hpp"
#include "validation/numerics/kernels/located.hpp"
#include "validation/unit/kernels/compare.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

template <class F>
class DeviceFp8Rows : public OnDevice {};
using Formats = testing::Types<fp8_e4m3, fp8_e5m2>;
TYPED_TEST_SUITE(DeviceFp8Rows, Formats);
using DeviceStochasticStore = OnDevice;

std::vector<bf16> every_bf16() {
    std::vector<bf16> all(1 << 16);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].bits = static_cast<std::uint16_t>(i);
    return all;
}

bool is_nan(bf16 value) {
    return (value.bits & 0x7fffU) > 0x7f80U;
}

/// The sign and payload of a NaN are left open.
void expect_bits(const std::vector<bf16>& actual, const std::vector<bf16>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
        if (is_nan(actual[i]) && is_nan(expected[i])) continue;
        ASSERT_EQ(actual[i].bits, expected[i].bits) << i;
    }
}

/// Part of a matrix.
struct Part {
    Size rows, columns, leading, first = 0;

    template <class T>
    auto of(T& located) const {
        auto whole = located.view(1);
        whole.data += first;
        whole.rows = rows;
        whole.columns = columns;
        whole.leading = leading;
        return whole;
    }
};

struct Rounded {
    std::vector<bf16> to;
    float amax = 0.0F, amax_alone = 0.0F;
};

template <class F, class Space>
Rounded rounded(const std::vector<bf16>& values, const Part& from_part, const Part& to_part,
                float scale, float amax) {
    const typename Space::Queue queue;
    const Located<bf16, Space> from(values);
    Located<bf16, Space> to(std::ssize(values) + 64, bf16(-3.0F));
    Located<float, Space> amaxes(std::vector<float>{amax, amax});
    round_to_fp8<F>(queue, from_part.of(from), scale, to_part.of(to), amaxes.data());
    largest_magnitude(queue, from_part.of(from), amaxes.data() + 1);
    return {to.read(), amaxes.read()[0], amaxes.read()[1]};
}

template <class F>
void expect_as_on_host(const std::vector<bf16>& values, const Part& from, const Part& to,
                       float scale, float amax = 0.0F) {
    const auto host = rounded<F, Host>(values, from, to, scale, amax);
    const auto device = rounded<F, Cuda>(values, from, to, scale, amax);
    expect_bits(device.to, host.to);
    EXPECT_EQ(device.amax, host.amax);
    EXPECT_EQ(device.amax_alone, host.amax_alone);
}

TYPED_TEST(DeviceFp8Rows, EveryNumberIsConverted) {
    for (const int exponent : {-80, -9, 0, 6, 80}) {
        const Part all{64, 1024, 1024};
        expect_as_on_host<TypeParam>(every_bf16(), all, all, std::ldexp(1.0F, exponent));
    }
}

// Rows that are no whole packs, or do not begin where one may; one row, none; more packs than a
// warp takes at once; more rows than a grid's warps.
TYPED_TEST(DeviceFp8Rows, AreThoseOfTheHostInAnyMatrix) {
    const auto values = as<bf16>(random_values(70'000, "from", 20.0));
    for (const Part& part : std::vector<Part>{{5, 37, 40},
                                              {5, 37, 41},
                                              {5, 40, 48, 8},
                                              {5, 40, 48, 3},
                                              {1, 1, 1},
                                              {0, 8, 8},
                                              {1, 50'257, 50'257},
                                              {2000, 33, 34},
                                              {67, 1000, 1000},
                                              {3, 3080, 3080},
                                              {33'000, 2, 2}}) {
        const Part dense{part.rows, part.columns, part.columns};
        expect_as_on_host<TypeParam>(values, part, part, 16.0F);
        expect_as_on_host<TypeParam>(values, part, dense, 16.0F, 1.0F);
    }
}

TYPED_TEST(DeviceFp8Rows, TheLargestMagnitudeIsRaisedAlone) {
    auto values = as<bf16>(random_values(5 * 40, "from"));
    const Part part{5, 37, 40};
    for (Size r = 0; r < 5; ++r) values[r * 40 + 37] = bf16(1e9F);  // in a gap
    values[3 * 40 + 36] = bf16(-77.0F);
    EXPECT_EQ((rounded<TypeParam, Cuda>(values, part, part, 1.0F, 1.0F).amax), 77.0F);
    EXPECT_EQ((rounded<TypeParam, Cuda>(values, part, part, 1.0F, 78.0F).amax_alone), 78.0F);
    values[1] = bf16(std::numeric_limits<float>::quiet_NaN());
    EXPECT_TRUE(std::isinf(rounded<TypeParam, Cuda>(values, part, part, 1.0F, 1.0F).amax));
    EXPECT_TRUE(std::isinf(rounded<TypeParam, Cuda>(values, part, part, 1.0F, 1.0F).amax_alone));
}

template <class Space>
std::vector<bf16> stored(const std::vector<float>& values, std::int64_t first,
                         std::size_t from_start, std::size_t to_start, std::size_t count,
                         bool skips = false) {
    const Located<float, Space> from(values);
    Located<bf16, Space> to(std::ssize(values), bf16(-3.0F));
    const Located<UpdateFactors, Space> factors(1, {.skips = skips});
    store_stochastically(typename Space::Queue(),
                         RoundingNumbers{7, std::uint64_t{11} << 40, first},
                         FactorsAt(factors.data()), from.span().subspan(from_start, count),
                         to.span().subspan(to_start, count));
    return to.read();
}

TEST_F(DeviceStochasticStore, LeavesWhatASkippedStepWouldRoundAnew) {
    const auto values = as<float>(random_values(100, "values"));
    const std::vector<bf16> before(100, bf16(-3.0F));
    expect_bits(stored<Cuda>(values, 0, 0, 0, 100, true), before);
    expect_bits(stored<Host>(values, 0, 0, 0, 100, true), before);
}

TEST_F(DeviceStochasticStore, RoundsAsTheHost) {
    auto values = as<float>(random_values(20'000, "values"));
    values[40] = std::numeric_limits<float>::infinity();
    values[41] = -std::numeric_limits<float>::max();
    values[42] = std::nan("");
    values[43] = 1e-40F;
    const std::int64_t far = (std::int64_t{1} << 35) + 5;  // past 2^32 counters
    for (const std::int64_t first : {std::int64_t{0}, std::int64_t{3}, std::int64_t{8}, far}) {
        for (const std::size_t start : {0, 3, 5, 8}) {
            for (const std::size_t count : {0, 1, 4, 13, 19'000}) {
                expect_bits(stored<Cuda>(values, first, start, start, count),
                            stored<Host>(values, first, start, start, count));
                expect_bits(stored<Cuda>(values, first, start, 1, count),
                            stored<Host>(values, first, start, 1, count));
            }
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
