// SPDX-License-Identifier: BSD-3-Clause
// Products of narrow matrices by both ways that gemm() has, on numbers whose sums are exact in FP32
// (so that every tile and transposition must give the very bits), and on random numbers within a
// bound that sums kept in the narrow type break.
#include "kernels/gemm/library.hpp"
#include "kernels/gemm/widened.hpp"
#include "kernels/tensor/runtime.hpp"
#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

template <class S_, bool own_instructions>
struct Method {
    using S = S_;
    static bool is_possible() {
#if defined(SHARDSTONE_HAVE_ONEDNN)
        if constexpr (own_instructions) return detail::onednn_multiplies_bf16();
#endif
        return true;
    }
    template <class Out>
    static void multiply(float alpha, const Factor<S>& a, const Factor<S>& b, float beta,
                         const Matrix<Out>& c, const float* bias = nullptr) {
        ensure_runtime();
        if constexpr (own_instructions) {
            detail::onednn_gemm(alpha, a, b, beta, c, bias);
        } else {
            detail::widened_gemm(alpha, a, b, beta, c, bias);
        }
    }
};

template <class M>
class NarrowGemm : public testing::Test {
  protected:
    void SetUp() override {
        if (!M::is_possible()) GTEST_SKIP() << "oneDNN multiplies bf16 with AVX-512 only";
    }
};
#if defined(SHARDSTONE_HAVE_ONEDNN)
using Methods = testing::Types<Method<bf16, false>, Method<fp16, false>, Method<bf16, true>>;
#else
using Methods = testing::Types<Method<bf16, false>, Method<fp16, false>>;
#endif
TYPED_TEST_SUITE(NarrowGemm, Methods);

/// A (rows, columns) factor of small whole numbers inside a wider matrix, stored as it is or
/// transposed.
template <class S>
struct WholeNumbers {
    std::vector<S> memory;
    Size rows, columns;
    bool transposed;

    WholeNumbers(const char* name, Size rows_, Size columns_, bool transposed_)
        : rows(rows_), columns(columns_), transposed(transposed_) {
        const RandomStream random(3, name);
        for (Size i = 0; i < stored_rows() * leading(); ++i) {
            const auto number = static_cast<double>(random.below(5, static_cast<std::uint64_t>(i)));
            memory.push_back(S(static_cast<float>(number - 2.0)));
        }
    }
    Size stored_rows() const { return transposed ? columns : rows; }
    Size leading() const { return (transposed ? rows : columns) + 3; }
    Factor<S> factor() const {
        return {{memory.data(), stored_rows(), leading() - 3, leading()}, transposed};
    }
    double at(Size r, Size c) const {
        return wide(memory[transposed ? c * leading() + r : r * leading() + c]);
    }
};

struct Shape {
    Size m, n, k;
};

template <class M>
void expect_exact(const Shape& shape, bool transpose_a, bool transpose_b) {
    using S = typename M::S;
    const WholeNumbers<S> a("a", shape.m, shape.k, transpose_a);
    const WholeNumbers<S> b("b", shape.k, shape.n, transpose_b);
    const Size leading = shape.n + 5;
    std::vector<float> sums(shape.m * leading, 1.0F), bias(shape.n);
    std::vector<S> rounded(shape.m * leading, S(7.0F));
    for (Size j = 0; j < shape.n; ++j) bias[j] = static_cast<float>(j % 7);
    M::multiply(2.0F, a.factor(), b.factor(), 1.0F,
                Matrix<float>{sums.data(), shape.m, shape.n, leading});
    M::multiply(1.0F, a.factor(), b.factor(), 0.0F,
                Matrix<S>{rounded.data(), shape.m, shape.n, leading}, bias.data());
    for (Size i = 0; i < shape.m; ++i) {
        for (Size j = 0; j < leading; ++j) {
            double sum = 0.0;
            if (j < shape.n) {
                for (Size p = 0; p < shape.k; ++p) sum += a.at(i, p) * b.at(p, j);
            }
            const double rounded_sum =
                j < shape.n ? wide(S(static_cast<float>(sum + bias[j]))) : 7.0;
            ASSERT_EQ(sums[i * leading + j], 2.0 * sum + 1.0) << i << " " << j;
            ASSERT_EQ(wide(rounded[i * leading + j]), rounded_sum) << i << " " << j;
        }
    }
}

// One tile; several by columns and depth; several by rows.
TYPED_TEST(NarrowGemm, WholeNumbersComeOutExactly) {
    for (const Shape& shape : {Shape{5, 7, 3}, Shape{9, 300, 1100}, Shape{1100, 17, 20}}) {
        for (const bool transpose_a : {false, true}) {
            for (const bool transpose_b : {false, true}) {
                SCOPED_TRACE(shape.k);
                expect_exact<TypeParam>(shape, transpose_a, transpose_b);
            }
        }
    }
}

// k products summed in FP32: k u sum(|a| |b|), and the storing of the result. Sums in S, which a
// product through the narrow type's own additions would give, must be seen.
TYPED_TEST(NarrowGemm, SumsAreInFp32) {
    using S = typename TypeParam::S;
    constexpr Size m = 8, n = 6, k = 500;
    const Values a_ = stored<S>(random_values(m * k, "a")),
                 b_ = stored<S>(random_values(k * n, "b"));
    auto a = as<S>(a_), b = as<S>(b_);
    std::vector<float> c(m * n);
    std::vector<S> c_narrow(m * n), c_planted(m * n);
    TypeParam::multiply(1.0F, view(a, m), view(b, k), 0.0F, view(c, m));
    TypeParam::multiply(1.0F, view(a, m), view(b, k), 0.0F, view(c_narrow, m));
    Values expected(m * n), bound(m * n);
    for (Size i = 0; i < m * n; ++i) {
        S planted(0.0F);
        for (Size p = 0; p < k; ++p) {
            const double product = a_[i / n * k + p] * b_[p * n + i % n];
            expected[i] += product;
            bound[i] += higher_orders * k * roundoff<float> * std::abs(product);
            planted = S(static_cast<float>(planted) + static_cast<float>(product));
        }
        c_planted[i] = planted;
    }
    EXPECT_LE(worst_ratio(c, expected, bound), 1.0);
    add_storage_error<S>(expected, bound);
    EXPECT_LE(worst_ratio(c_narrow, expected, bound), 1.0);
    EXPECT_GT(worst_ratio(c_planted, expected, bound), 1.0) << "sums in the narrow type pass";
}

TEST(RoundTo, GivesWhatStoringAndLoadingGives) {
    const auto expect = [](auto zero) {
        using T = decltype(zero);
        auto row = as<float>(random_values(1003, "row", 300.0));
        const auto before = row;
        round_to<T>(row.data(), std::ssize(row));
        for (std::size_t i = 0; i < row.size(); ++i) {
            ASSERT_EQ(row[i], static_cast<float>(T(before[i]))) << i;
        }
    };
    expect(bf16{});
    expect(fp16{});
    expect(fp8_e4m3{});
    expect(fp8_e5m2{});
    expect(0.0F);
}

}  // namespace
}  // namespace shardstone::validation
