// SPDX-License-Identifier: BSD-3-Clause
// A GPU that multiplies wrong and says nothing has no rate: the first product is held against FP64,
// the last of each call against the first.
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/gemm/gemm.hpp"
#include "kernels/roofline/device_roofline.hpp"
#include "kernels/roofline/square_product.hpp"
#include "kernels/tensor/arrays.hpp"
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

/// A product whose sums are all `right`, with one element wrong.
template <class S>
struct OneWrong {
    Buffer<S, Cuda> a{rows * rows}, b{rows * rows}, c{rows * rows};

    OneWrong(float of_a, float right) {
        fill(a, of_a);
        fill(b, 1.0F);
        fill(c, right);
    }
    void fill(Buffer<S, Cuda>& to, float value) const {
        const std::vector<S> values(static_cast<std::size_t>(to.size()), S(value));
        write_array(queue, values.data(), to.data(), to.size());
    }
    std::string complaint_of(std::int64_t row, float wrong) {
        S* const element = c.data() + row * rows + rows - 1 - row;
        const S right = read_array(queue, element, 1).front();
        const S value(wrong);
        write_array(queue, &value, element, 1);
        const std::string said =
            complaint([&] { require_sums_of_fp64<S>(queue, rows, a.data(), b.data(), c.data()); });
        write_array(queue, &right, element, 1);
        return said;
    }

    CudaQueue queue;
};

// The rows that are looked at: i n / 64 + i for i below 64, n = 128, beyond the last from the
// first.
TEST(SumsOfProducts, EachElementThatIsLookedAtCounts) {
    OneWrong<float> product(1.0F, 128.0F);
    for (std::int64_t i = 0; i < 64; ++i) {
        const std::int64_t row = 3 * i % rows;
        EXPECT_NE(product.complaint_of(row, 129.0F)
                      .find(fmt::format("has 129 in row {}, column {}, which is 128 within ", row,
                                        rows - 1 - row)),
                  std::string::npos);
    }
    EXPECT_EQ(product.complaint_of(2, 129.0F), "") << "of others nothing is known";
}

// 128 terms of 1: 2 * 2^-24 * 128 * 128 = 2^-9 for the sum, 2^-24 * 128 for its rounding.
TEST(SumsOfProducts, InFp32AreAsCloseAsTheyCanBe) {
    OneWrong<float> product(1.0F, 128.0F);
    EXPECT_EQ(product.complaint_of(3, 128.0F + 0x1p-9F), "");
    EXPECT_NE(product.complaint_of(3, 128.0F + 0x1.02p-9F), "");
    EXPECT_NE(product.complaint_of(3, 128.0F - 0x1.02p-9F), "");
    EXPECT_NE(product.complaint_of(3, NAN), "");
}

/// While it lives.
struct WithTf32 {
    WithTf32() { set_tf32(true); }
    WithTf32(const WithTf32&) = delete;
    WithTf32& operator=(const WithTf32&) = delete;
    ~WithTf32() { set_tf32(false); }
};

// 2^-9 of the factors' magnitudes besides: 128 * 0x1.01p-9 = 0x1.01p-2.
TEST(SumsOfProducts, InTf32MayBeFurther) {
    OneWrong<float> product(1.0F, 128.0F);
    const WithTf32 allowed;
    EXPECT_EQ(product.complaint_of(3, 128.0F + 0x1.01p-2F), "");
    EXPECT_NE(product.complaint_of(3, 128.0F + 0x1.05p-2F), "");
}

// 128 terms of 1 + 2^-7, the next above 1 in BF16, make 129; its numbers there are 1 apart, so that
// a half, and no more, may be lost.
TEST(SumsOfProducts, InBf16AreRounded) {
    OneWrong<bf16> product(1.0F + 0x1p-7F, 129.0F);
    EXPECT_EQ(product.complaint_of(3, 129.0F), "");
    EXPECT_NE(product.complaint_of(3, 130.0F), "");
    EXPECT_NE(product.complaint_of(3, 128.0F), "");
}

// 128 terms of 1 and -1: zero within 2^-9, where TF32 might be a quarter off.
TEST(SumsOfProducts, InBf16KnowNothingOfTf32) {
    const WithTf32 allowed;
    OneWrong<bf16> product(1.0F, 0.0F);
    std::vector<bf16> signs(rows * rows);
    for (std::size_t i = 0; i < signs.size(); ++i) signs[i] = bf16(i % 2 == 0 ? 1.0F : -1.0F);
    write_array(product.queue, signs.data(), product.b.data(), product.b.size());
    EXPECT_EQ(product.complaint_of(3, 0.0F), "");
    EXPECT_EQ(product.complaint_of(3, 0x1p-10F), "");
    EXPECT_NE(product.complaint_of(3, 0.1F), "");
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
