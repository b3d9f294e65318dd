// SPDX-License-Identifier: BSD-3-Clause
// A GPU that multiplies wrong and says nothing has no rate: the first product is held against FP64,
// the last of each call against the first.
#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "kernels/roofline/device_roofline.hpp"
#include "kernels/roofline/square_product.hpp"
#include "validation/emulated_device/calls.hpp"

namespace shardstone::validation {
namespace {

constexpr std::int64_t rows = 128;

/// The number-th product from now on is twice what it should be.
void plant(int number) {
    emulated::order_failure("product", number, cudaErrorUnknown);
}

template <class F>
std::string complaint(const F& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

template <class S>
class WrongProducts : public ::testing::Test {};
using Types = ::testing::Types<float, bf16, fp16, fp8_e4m3>;
TYPED_TEST_SUITE(WrongProducts, Types);

TYPED_TEST(WrongProducts, OfWhichTheFirstIsOne) {
    plant(1);
    const std::string said = complaint([] { SquareProduct<TypeParam> product(rows); });
    if constexpr (std::is_same_v<TypeParam, fp8_e4m3>) {
        EXPECT_EQ(said, "") << "only with itself";
    } else {
        EXPECT_TRUE(said.starts_with("the GPU computes wrong: a product of 128 x 128 matrices in "))
            << said;
        EXPECT_NE(said.find("in row 0, column 127, which is "), std::string::npos) << said;
    }
    plant(1);
    EXPECT_NE(complaint([] { measured_device_product_flop_s<TypeParam>(rows); }), "");
}

TYPED_TEST(WrongProducts, OfWhichALaterIsOne) {
    SquareProduct<TypeParam> product(rows);
    EXPECT_EQ(complaint([&] { product.times_s(2); }), "");
    plant(2);
    const std::string said = complaint([&] { product.times_s(2); });
    EXPECT_NE(said.find("made again by the same algorithm, differs in "), std::string::npos)
        << said;
    EXPECT_NE(said.find(" of its 16384 elements"), std::string::npos) << said;
    EXPECT_EQ(complaint([&] { product.times_s(1); }), "") << "the next is right";
}

}  // namespace
}  // namespace shardstone::validation
