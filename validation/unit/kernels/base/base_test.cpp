// SPDX-License-Identifier: BSD-3-Clause
// Element types, random numbers, error messages and units: what every other part is built on.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "kernels/base/element_type.hpp"
#include "kernels/base/random.hpp"
#include "kernels/base/units.hpp"

namespace shardstone {
namespace {

// Every one of the 65536 halves and bfloat16s survives the trip through FP32 (NaNs stay NaNs).
template <class T>
void expect_round_trip() {
    for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
        T value;
        value.bits = static_cast<std::uint16_t>(bits);
        const auto wide = static_cast<float>(value);
        const T back(wide);
        if (std::isnan(wide)) {
            ASSERT_TRUE(std::isnan(static_cast<float>(back))) << bits;
        } else {
            ASSERT_EQ(back.bits, value.bits) << wide;
        }
    }
}

TEST(Error, IsOneLineWhateverItRepeats) {
    EXPECT_STREQ(Error("no\nsuch\tfile").what(), "no?such?file");
    const std::string what = Error(std::string(100'000, 'a') + ": give less").what();
    EXPECT_LT(what.size(), 5000U);
    EXPECT_TRUE(what.ends_with(": give less"));
}

TEST(ElementType, Fp16RoundTripsExactly) {
    expect_round_trip<fp16>();
}
TEST(ElementType, Bf16RoundTripsExactly) {
    expect_round_trip<bf16>();
}

TEST(ElementType, TiesGoToEven) {
    EXPECT_EQ(static_cast<float>(bf16(1.0F + 0x1p-8F)), 1.0F);
    EXPECT_EQ(static_cast<float>(bf16(1.0F + 3 * 0x1p-8F)), 1.0F + 0x1p-6F);
    EXPECT_EQ(static_cast<float>(fp16(1.0F + 0x1p-11F)), 1.0F);
    EXPECT_EQ(static_cast<float>(fp16(0x1p-25F)), 0.0F);
    EXPECT_EQ(static_cast<float>(fp16(0x1.8p-24F)), 0x1p-23F);
    EXPECT_EQ(static_cast<float>(fp16(65519.0F)), 65504.0F);
    EXPECT_TRUE(std::isinf(static_cast<float>(fp16(65520.0F))));
}

TEST(ElementType, UnknownNameIsRefusedWithTheChoices) {
    EXPECT_THROW(parse_element_type("fp12"), Error);
    EXPECT_EQ(parse_element_type("half"), ElementType::fp16);
}

// Known answers of Random123's own test vectors for philox4x32-10.
TEST(Random, PhiloxKnownAnswers) {
    const std::array<std::uint32_t, 4> zeros{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    EXPECT_EQ(philox(0, 0, 0), zeros);
    const std::array<std::uint32_t, 4> ones{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
    EXPECT_EQ(philox(~0ULL, ~0ULL, ~0ULL), ones);
}

TEST(Random, NormalHasUnitMoments) {
    const RandomStream stream(7, "weights");
    constexpr int n = 100000;
    double sum = 0.0;
    double squares = 0.0;
    for (int i = 0; i < n; ++i) {
        const double x = stream.normal(static_cast<std::uint64_t>(i));
        sum += x;
        squares += x * x;
    }
    // Standard errors are 1/sqrt(n) and sqrt(2/n); five of them.
    EXPECT_NEAR(sum / n, 0.0, 5.0 / std::sqrt(n));
    EXPECT_NEAR(squares / n, 1.0, 5.0 * std::sqrt(2.0 / n));
}

TEST(Units, CountsInWords) {
    EXPECT_EQ(counted(1, "rank"), "1 rank");
    EXPECT_EQ(counted(0, "rank"), "0 ranks");
    EXPECT_EQ(counted(1, "micro-batch"), "1 micro-batch");
    EXPECT_EQ(counted(4, "micro-batch"), "4 micro-batches");
}

TEST(Units, SizesReadAsNcclTestsReadsThem) {
    EXPECT_EQ(parse_size_bytes("4"), 4);
    EXPECT_EQ(parse_size_bytes("4K"), 4096);
    EXPECT_EQ(parse_size_bytes("4MiB"), 4 << 20);
    EXPECT_EQ(parse_size_bytes("2g"), 2LL << 30);
    for (const char* bad : {"", "x", "-4", "4X", "4KK", "99999999999T", "4.5M"}) {
        EXPECT_THROW(parse_size_bytes(bad), Error) << bad;
    }
    EXPECT_EQ(format_size(3 << 19), "1.5 MiB");
    EXPECT_EQ(format_time(1.234e-5), "12.3 us");
    EXPECT_EQ(format_time(999999.0), "999999 s");
    EXPECT_EQ(format_time(1.234e300), "1.23e+300 s");
}

TEST(Units, WhatRoundsToZeroHasNoSign) {
    EXPECT_EQ(format_time(-0.0), "0.000 us");
    EXPECT_EQ(format_time(-1e-19), "0.000 us");
    EXPECT_EQ(format_time(-1.234e-5), "-12.3 us");
    EXPECT_EQ(format_fixed(-0.04, 1), "0.0");
    EXPECT_EQ(format_fixed(-0.06, 1), "-0.1");
    EXPECT_EQ(format_fixed(-0.4, 0), "0");
    EXPECT_EQ(format_fixed(-10.0, 0), "-10");
    EXPECT_EQ(format_fixed(12.5, 2), "12.50");
    EXPECT_EQ(format_fixed(-std::numeric_limits<double>::infinity(), 1), "-inf");
}

}  // namespace
}  // namespace shardstone
