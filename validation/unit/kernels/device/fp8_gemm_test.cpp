// SPDX-License-Identifier: BSD-3-Clause
// Products of FP8 matrices on the device: exact where the sums fit the matrix unit, within its
// bound of FP64 elsewhere, scaled by the units, and refused where Hopper cannot read them.
#include "kernels/gemm/gemm.hpp"
#include "validation/numerics/kernels/compare.hpp"
#include "validation/numerics/kernels/located.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

constexpr Size m = 21, n = 48, k = 96;
constexpr float unit_a = 0.5F, unit_b = 0.25F, first = 3.0F;

struct Exact {
    Values sums, magnitudes;
};
Exact exact_product(const Values& a, const Values& b) {
    Exact result{Values(m * n), Values(m * n)};
    for (Size i = 0; i < m * n; ++i) {
        for (Size p = 0; p < k; ++p) {
            const double term =
                static_cast<double>(unit_a * unit_b) * a[i / n * k + p] * b[i % n * k + p];
            result.sums[i] += term;
            result.magnitudes[i] += std::abs(term);
        }
    }
    return result;
}

template <class F, class Out>
std::vector<Out> product(const Values& a, const Values& b, float beta,
                         const std::vector<bf16>& bias = {}) {
    const Located<F, Cuda> left(as<F>(a));
    const Located<fp8_e4m3, Cuda> right(as<fp8_e4m3>(b));
    const Located<float, Cuda> left_unit(1, unit_a), right_unit(1, unit_b);
    const Located<bf16, Cuda> added(bias);
    Located<Out, Cuda> c(m * n, Out(first));
    fp8_gemm<F>(CudaQueue(), {left.view(m), left_unit.data()}, {right.view(n), right_unit.data()},
                beta, c.view(m), bias.empty() ? nullptr : added.data());
    return c.read();
}

/// Whole numbers up to 2, so that all sums have few bits.
Values small_integers(Size count, const char* name) {
    Values values = random_values(count, name);
    for (double& v : values) v = std::clamp(std::round(v), -2.0, 2.0);
    return values;
}

template <class F>
class DeviceFp8 : public OnDevice {};
using Formats = ::testing::Types<fp8_e4m3, fp8_e5m2>;
TYPED_TEST_SUITE(DeviceFp8, Formats);

TYPED_TEST(DeviceFp8, SmallIntegersAreExact) {
    const Values a = small_integers(m * k, "a"), b = small_integers(n * k, "b");
    const Values sums = exact_product(a, b).sums;
    const auto bias = as<bf16>(small_integers(n, "bias"));
    const auto plain = product<TypeParam, float>(a, b, 0);
    const auto added_to = product<TypeParam, float>(a, b, 1);
    const auto with_bias = product<TypeParam, float>(a, b, 0, bias);
    const auto narrow = product<TypeParam, bf16>(a, b, 0, bias);
    for (Size i = 0; i < m * n; ++i) {
        const auto sum = static_cast<float>(sums[i]);
        const auto biased = sum + static_cast<float>(bias[i % n]);
        ASSERT_EQ(plain[i], sum) << i;
        ASSERT_EQ(added_to[i], sum + first) << i;
        ASSERT_EQ(with_bias[i], biased) << i;
        ASSERT_EQ(narrow[i].bits, bf16(biased).bits) << i;
    }
}

// Each of the unit's sums of 32 products and what was there before cuts its 33 terms off 13 bits
// below the largest, which is no more than all magnitudes together; what FP32 adds to that is
// nothing.
TYPED_TEST(DeviceFp8, StaysWithinTheMatrixUnitsBound) {
    using F = TypeParam;
    const Values a = stored<F>(random_values(m * k, "a", 4.0));
    const Values b = stored<fp8_e4m3>(random_values(n * k, "b", 16.0));
    const Exact exact = exact_product(a, b);
    Values bound = exact.magnitudes;
    for (double& v : bound) v *= 0x1p-13 * k * 33 / 32;
    EXPECT_LE(worst_ratio(product<F, float>(a, b, 0), exact.sums, bound), 1.0);
    add_storage_error<bf16>(exact.sums, bound);
    EXPECT_LE(worst_ratio(product<F, bf16>(a, b, 0), exact.sums, bound), 1.0);
}

using DeviceFp8Product = OnDevice;

TEST_F(DeviceFp8Product, RefusesWhatHopperCannotRead) {
    const Located<fp8_e4m3, Cuda> a(32 * 40), b(32 * 40);
    Located<float, Cuda> c(32 * 32);
    const auto multiply = [&](Size rows, Size columns, Size begin) {
        const auto left = matrix<Cuda>(a.data() + begin, 16, columns);
        const auto right = matrix<Cuda>(b.data(), rows, columns);
        fp8_gemm<fp8_e4m3>(CudaQueue(), {left}, {right}, 0, matrix<Cuda>(c.data(), 16, rows));
    };
    multiply(32, 32, 0);
    for (const auto& [rows, columns, begin] :
         {std::array<Size, 3>{24, 32, 0}, {32, 40, 0}, {32, 32, 8}}) {
        try {
            multiply(rows, columns, begin);
            ADD_FAILURE() << rows << ' ' << columns << ' ' << begin << " was accepted";
        } catch (const Error& error) {
            EXPECT_TRUE(std::string(error.what()).find("multiples of 16") != std::string::npos)
                << error.what();
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
