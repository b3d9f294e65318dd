// SPDX-License-Identifier: BSD-3-Clause
// The reductions against one element at a time, for every element type and operation.
#include "collectives/reduction/reduction.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "collectives/executors/shared_memory/reduce.hpp"
#include "kernels/base/random.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

constexpr std::array reductions{Reduction::sum, Reduction::max, Reduction::min, Reduction::avg};

template <class Wide>
Wide plain(Reduction reduction, Wide a, Wide b) {
    if (reduction == Reduction::sum || reduction == Reduction::avg) {
        if constexpr (std::is_integral_v<Wide>) {
            Wide result;
            (void)__builtin_add_overflow(a, b, &result);  // wraps
            return result;
        } else {
            return a + b;
        }
    }
    if constexpr (std::is_floating_point_v<Wide>) {
        if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<Wide>::quiet_NaN();
        if (a == 0 && b == 0) {
            const bool either = std::signbit(a) || std::signbit(b);
            const bool both = std::signbit(a) && std::signbit(b);
            return (reduction == Reduction::max ? both : either) ? -Wide{0} : Wide{0};
        }
    }
    return (reduction == Reduction::max) == (a > b) ? a : b;
}

template <class T>
bool is_nan(T value) {
    if constexpr (element_traits<T>::is_integer) return false;
    return std::isnan(static_cast<double>(static_cast<arithmetic_of<T>>(value)));
}

/// The bits are equal; which NaN it is counts only where the type has one NaN for all.
template <class T>
bool same(T a, T b) {
    if (std::is_arithmetic_v<T> && is_nan(a) && is_nan(b)) return true;
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Words at random: every exponent, subnormals, infinities, NaNs, the extremes of integers; and
/// pairs of equal, opposite and zero elements.
template <class T>
std::vector<T> random_words(const char* name, std::size_t count) {
    const RandomStream random(17, name);
    std::vector<T> words(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t bits = random.bits(i) & (i % 9 == 0 ? 0x8080808080808080ULL : ~0ULL);
        std::memcpy(static_cast<void*>(&words[i]), &bits, sizeof(T));
    }
    return words;
}

template <class T>
class ReductionOf : public testing::Test {};
using Types =
    testing::Types<float, double, bf16, fp16, fp8_e4m3, fp8_e5m2, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(ReductionOf, Types);

TYPED_TEST(ReductionOf, GivesTheBitsOfOneElementAtATimeAndCommutes) {
    using T = TypeParam;
    using Wide = arithmetic_of<T>;
    constexpr std::size_t count = 100003;
    const auto a = random_words<T>("a", count);
    const auto b = random_words<T>("b", count);
    for (const Reduction reduction : reductions) {
        auto ab = a;
        auto ba = b;
        const auto reduce = reduce_function(element_traits<T>::type, reduction);
        reduce(ab.data(), b.data(), count);
        reduce(ba.data(), a.data(), count);
        for (std::size_t i = 0; i < count; ++i) {
            const T want(plain(reduction, static_cast<Wide>(a[i]), static_cast<Wide>(b[i])));
            ASSERT_TRUE(same(ab[i], want)) << to_string(reduction) << " " << i;
            ASSERT_TRUE(same(ba[i], ab[i])) << to_string(reduction) << " " << i;
        }
    }
}

// All pairs of codes of the 8-bit types, infinities and NaNs among them: the bits of one at a time,
// and the nearest to the exact sum, which is a double.
template <class T>
void expect_all_pairs() {
    std::vector<T> a;
    std::vector<T> b;
    for (int i = 0; i < 256; ++i) {
        for (int j = 0; j < 256; ++j) {
            a.emplace_back().bits = static_cast<std::uint8_t>(i);
            b.emplace_back().bits = static_cast<std::uint8_t>(j);
        }
    }
    auto sum = a;
    reduce_function(element_traits<T>::type, Reduction::sum)(sum.data(), b.data(), std::ssize(sum));
    for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(sum[i].bits, T(static_cast<float>(a[i]) + static_cast<float>(b[i])).bits)
            << "code " << int{a[i].bits} << " and code " << int{b[i].bits};
        const double exact = static_cast<double>(static_cast<float>(a[i])) +
                             static_cast<double>(static_cast<float>(b[i]));
        const auto got = static_cast<double>(static_cast<float>(sum[i]));
        if (std::isnan(exact)) {
            ASSERT_TRUE(std::isnan(got));
        } else if (std::abs(exact) <= element_traits<T>::largest) {
            // Half a unit in the last place: nothing nearer can be had.
            const double scale = std::max(std::abs(exact), element_traits<T>::smallest_normal);
            const double ulp =
                2 * element_traits<T>::unit_roundoff * std::exp2(std::floor(std::log2(scale)));
            ASSERT_LE(std::abs(got - exact), ulp / 2) << i;
        }
    }
}

TEST(Reduction8Bit, EverySumOfTwoIsTheNearest) {
    expect_all_pairs<fp8_e4m3>();
    expect_all_pairs<fp8_e5m2>();
}

TYPED_TEST(ReductionOf, SourcesAcrossGiveTheSameBitsInOrder) {
    using T = TypeParam;
    using Wide = arithmetic_of<T>;
    constexpr std::size_t count = 2500;
    std::vector<std::vector<T>> sources;
    for (const char* name : {"a", "b", "c", "d"}) sources.push_back(random_words<T>(name, count));
    for (const Reduction reduction : reductions) {
        std::vector<const std::byte*> from;
        for (const auto& s : sources) from.push_back(reinterpret_cast<const std::byte*>(s.data()));
        std::vector<T> got(count);
        const std::vector<std::byte*> to{reinterpret_cast<std::byte*>(got.data())};
        reduce_across_function(element_traits<T>::type, reduction)(from, to, count);
        for (std::size_t i = 0; i < count; ++i) {
            auto want = static_cast<Wide>(sources[0][i]);
            for (std::size_t s = 1; s < sources.size(); ++s) {
                want = plain(reduction, want, static_cast<Wide>(sources[s][i]));
            }
            ASSERT_TRUE(same(got[i], T(want))) << to_string(reduction) << " " << i;
        }
    }
}

TYPED_TEST(ReductionOf, AnAverageDividesOnce) {
    using T = TypeParam;
    using Wide = arithmetic_of<T>;
    const auto words = random_words<T>("a", 5003);
    for (const int ranks : {1, 3, 32}) {
        auto scaled = words;
        scale_function(element_traits<T>::type)(scaled.data(), std::ssize(scaled), ranks);
        for (std::size_t i = 0; i < words.size(); ++i) {
            const T want(static_cast<Wide>(words[i]) / static_cast<Wide>(ranks));
            ASSERT_TRUE(same(scaled[i], want)) << i << " over " << ranks;
        }
    }
}

TEST(Reduction, IntegerAveragesTruncateTowardZero) {
    std::vector<std::int32_t> values{7, -7, 8, -9, std::numeric_limits<std::int32_t>::min()};
    scale_function(ElementType::int32)(values.data(), std::ssize(values), 4);
    EXPECT_EQ(values, (std::vector<std::int32_t>{1, -1, 2, -2, -(1 << 29)}));
}

TEST(Reduction, NamesReadBack) {
    for (const Reduction reduction : reductions) {
        EXPECT_EQ(parse_reduction(to_string(reduction)), reduction);
    }
    EXPECT_THROW(parse_reduction("mean"), Error);
}

}  // namespace
}  // namespace shardstone::validation
