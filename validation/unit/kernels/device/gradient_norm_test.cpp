// SPDX-License-Identifier: BSD-3-Clause
// Sums of squares on the device have the host's limbs, whatever was added when, and the first
// number that is not finite is found.
#include "kernels/optimizer/gradient_norm.hpp"

#include <limits>

#include "validation/numerics/kernels/located.hpp"
#include "validation/unit/kernels/compare.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

template <class Real>
class DeviceSquares : public OnDevice {};
TYPED_TEST_SUITE(DeviceSquares, RealTypes);
using DeviceLargeSums = OnDevice;
template <class Real>
class DeviceNotFinite : public OnDevice {};
TYPED_TEST_SUITE(DeviceNotFinite, RealTypes);

/// Numbers of all magnitudes from 2^-50 to 2^10, of both signs, the same again from `period` on.
template <class Real>
std::vector<Real> wild_values(std::size_t count, std::size_t period = 20011) {
    const RandomStream random(11, "gradients");
    std::vector<Real> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (i >= period) {
            values[i] = values[i - period];
            continue;
        }
        const auto exponent = static_cast<int>(random.below(58, 2 * i)) - 50;
        values[i] = static_cast<Real>(std::ldexp(random.normal(2 * i + 1), exponent));
    }
    return values;
}

template <class Real>
SquareSum::Limbs limbs_on_host(const std::vector<Real>& values) {
    SquareSum sum;
    sum.add(std::span<const Real>(values));
    return sum.limbs();
}

/// Of the values from `ends` to `ends`, one kernel each.
template <class Real>
SquareSum::Limbs limbs_on_device(const std::vector<Real>& values,
                                 const std::vector<std::size_t>& ends) {
    const Located<Real, Cuda> located(values);
    Located<SquareSum::Limbs, Cuda> sum(1);
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        add_squares<Real>(CudaQueue(), located.span().subspan(begin, end - begin), *sum.data());
        begin = end;
    }
    return sum.read().front();
}

TYPED_TEST(DeviceSquares, HaveTheLimbsOfTheHost) {
    for (const std::size_t count : {0, 1, 2, 3, 5, 1024, 20011}) {
        const auto values = wild_values<TypeParam>(count);
        EXPECT_EQ(limbs_on_device(values, {count}), limbs_on_host(values)) << count;
    }
}

TYPED_TEST(DeviceSquares, DoNotDependOnTheCalls) {
    const auto values = wild_values<TypeParam>(20011);
    EXPECT_EQ(limbs_on_device(values, {0, 1, 2, 6, 11, 4097, 4100, 20011}), limbs_on_host(values));
}

// Every thread goes through its loop more than once.
TEST_F(DeviceLargeSums, OfManyNumbersAreThoseOfTheHost) {
    const auto values = wild_values<float>(4'400'001);
    EXPECT_EQ(limbs_on_device(values, {4'400'001}), limbs_on_host(values));
}

// The largest numbers, and those with the largest remainders on the grids 2^10 and 2^-40: every
// block carries.
TYPED_TEST(DeviceSquares, StayExactAtTheLimit) {
    for (const double value : {-SquareSum::limit, 0x1.6ap4, 0x1.6ap-21, 0x1p-45, 0x1p-46}) {
        const std::vector<TypeParam> values(20'011, static_cast<TypeParam>(value));
        EXPECT_EQ(limbs_on_device(values, {299, 20'011}), limbs_on_host(values)) << value;
    }
}

TYPED_TEST(DeviceSquares, BeyondTheLimitAreCounted) {
    const double infinity = std::numeric_limits<double>::infinity();
    const double above = SquareSum::limit * (1.0 + 2.0 * roundoff<TypeParam>);
    for (const double bad : {above, -above, 1e30, -infinity, std::nan("")}) {
        auto values = wild_values<TypeParam>(9000), others = values;
        for (const std::size_t place : {0, 5000, 5001, 5002, 8999}) {
            values[place] = static_cast<TypeParam>(bad);
            others[place] = TypeParam(0);
        }
        SquareSum::Limbs expected = limbs_on_host(others);
        expected[3] = 5;
        const SquareSum::Limbs limbs = limbs_on_device(values, {1, 9000});
        EXPECT_EQ(limbs, expected) << bad;
        EXPECT_TRUE(std::isnan(SquareSum(limbs).value())) << bad;
    }
}

// On a GPU alone: so many that a thread has to carry before its last number.
TEST_F(DeviceLargeSums, OfBillionsAreExact) {
    if (collectives::list_devices().devices.front().name == "emulated device") {
        GTEST_SKIP() << "for a GPU with 18 GB";
    }
    constexpr std::int64_t count = (std::int64_t{1} << 32) + 5;
    constexpr float value = 0x1.6ap4F;
    const CudaQueue queue;
    Buffer<float, Cuda> values(count);
    fill_array(queue, values.data(), count, value);
    Located<SquareSum::Limbs, Cuda> sum(1);
    add_squares<float>(queue, values.span(), *sum.data());
    // Limbs under 2^50 times 2^32: what is above 2^50 belongs to the next one.
    __extension__ typedef __int128 wide;
    constexpr wide limb = wide{1} << 50;
    const auto one = limbs_on_host(std::vector<float>(1, value));
    const wide low = wide{one[2]} * count, middle = wide{one[1]} * count + low / limb;
    const SquareSum::Limbs expected{static_cast<std::int64_t>(wide{one[0]} * count + middle / limb),
                                    static_cast<std::int64_t>(middle % limb),
                                    static_cast<std::int64_t>(low % limb), 0};
    EXPECT_EQ(sum.read().front(), expected);
}

template <class Real>
NotFinite found_on_device(const std::vector<Real>& values, std::size_t begin, std::int64_t first,
                          const NotFinite& before = {}) {
    const Located<Real, Cuda> located(values);
    Located<NotFinite, Cuda> found(1, before);
    find_not_finite<Real>(CudaQueue(), located.span().subspan(begin, values.size() - begin), first,
                          *found.data());
    return found.read().front();
}

TYPED_TEST(DeviceNotFinite, NothingIsFoundAmongTheLargestNumbers) {
    for (const std::size_t count : {1, 201, 5'000}) {
        std::vector<TypeParam> values(count, std::numeric_limits<TypeParam>::max());
        values.back() = std::numeric_limits<TypeParam>::denorm_min();
        EXPECT_FALSE(found_on_device(values, 0, 1000).is_there) << count;
        EXPECT_FALSE(found_on_device(values, count, 1000).is_there);
    }
}

TYPED_TEST(DeviceNotFinite, TheFirstOfManyIsFound) {
    using Limits = std::numeric_limits<TypeParam>;
    constexpr std::size_t count = 5'001;
    for (const std::size_t place : {0, 1, 3, 4, 63, 4097, 4'999, 5'000}) {
        for (const TypeParam bad : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
            std::vector<TypeParam> values(count, TypeParam(1));
            for (std::size_t i = place; i < count; i += 1 + i % 7) values[i] = Limits::quiet_NaN();
            values[place] = bad;
            for (const std::size_t begin : {std::size_t{0}, std::min<std::size_t>(place, 3)}) {
                const NotFinite found = found_on_device(values, begin, 1000);
                EXPECT_TRUE(found.is_there);
                EXPECT_EQ(found.place, static_cast<std::int64_t>(1000 + place - begin));
                EXPECT_EQ(std::isnan(found.value), std::isnan(bad));
                EXPECT_EQ(std::isnan(bad) || found.value == static_cast<double>(bad), true);
            }
        }
    }
}

// Every thread goes through its loop more than once.
TEST_F(DeviceLargeSums, OneOfManyIsFoundNotFinite) {
    std::vector<float> values(4'400'001, 1.0F);
    for (const std::size_t place : {4'399'999UL, 2'200'000UL}) {
        values[place] = std::numeric_limits<float>::infinity();
        EXPECT_EQ(found_on_device(values, 0, 7).place, static_cast<std::int64_t>(7 + place));
    }
}

TYPED_TEST(DeviceNotFinite, WhatWasFoundFirstStays) {
    const std::vector<TypeParam> values(201, std::numeric_limits<TypeParam>::infinity());
    const NotFinite found = found_on_device(values, 0, 2000, {true, 5000, -7.0});
    EXPECT_EQ(found.place, 5000);
    EXPECT_EQ(found.value, -7.0);
}

}  // namespace
}  // namespace shardstone::validation
