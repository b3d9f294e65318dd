// SPDX-License-Identifier: BSD-3-Clause
// A GPU that multiplies wrong and says nothing has no rate: the first product is held against FP64,
// the last of each call against the first.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

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
    } catch (const WrongProduct& wrong) {
        EXPECT_EQ(wrong.code(), ExitCode::check_failed);
        return wrong.what();
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
        EXPECT_TRUE(said.starts_with(
            "GPU 0000:01:00.0 computes wrong: a product of 128 x 128 matrices in "))
            << said;
        EXPECT_NE(said.find("in row 0, column 127, which is "), std::string::npos) << said;
    }
    plant(1);
    EXPECT_NE(complaint([] { measured_device_product_flop_s<TypeParam>(rows); }), "");
}

TYPED_TEST(WrongProducts, OfWhichALaterIsOne) {
    SquareProduct<TypeParam> product(rows);
    product.times_s(2);
    EXPECT_EQ(complaint([&] { product.require_bits_of_first(); }), "");
    plant(2);
    product.times_s(2);
    // None of them is zero, which twice is the same.
    EXPECT_NE(complaint([&] {
                  product.require_bits_of_first();
              }).find("made again by the same algorithm, differs in 16384 of its 16384 elements"),
              std::string::npos);
    product.times_s(1);
    EXPECT_EQ(complaint([&] { product.require_bits_of_first(); }), "") << "the next is right";
}

TEST(DeviceTimes, CallWhatIsToBeDoneWhileTheWorkRuns) {
    const CudaQueue queue;
    SquareProduct<float> product(rows);
    int calls = 0;
    product.times_s(3, [&] {
        ++calls;
        EXPECT_EQ(cudaStreamQuery(queue.stream()), cudaErrorNotReady);
    });
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(cudaStreamQuery(queue.stream()), cudaSuccess);
}

}  // namespace
}  // namespace shardstone::validation
