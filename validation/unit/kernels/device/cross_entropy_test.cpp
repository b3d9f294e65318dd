// SPDX-License-Identifier: BSD-3-Clause
// Cross-entropy on the device equals the oracle, whatever the rows' lengths and addresses.
#include "kernels/transformer/cross_entropy.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "validation/numerics/kernels/cross_entropy_bounds.hpp"
#include "validation/unit/kernels/compare.hpp"
#include "validation/unit/kernels/device/logit_problem.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

using DeviceCrossEntropy = OnDevice;
constexpr ElementType types[] = {ElementType::fp32, ElementType::bf16, ElementType::fp16};

TEST_F(DeviceCrossEntropy, EqualsOracle) {
    for (const ElementType type : types) {
        auto outputs = cross_entropy_outputs<Cuda>(type);
        expect_equal_to_oracle(outputs);
        const CrossEntropyCase<float> of;
        auto shifted = of.targets;  // a planted bug: targets of the wrong rows
        std::ranges::rotate(shifted, shifted.begin() + 1);
        outputs.back().expected = oracle::cross_entropy_gradient(of.logits, shifted, of.scale);
        EXPECT_GT(outputs.back().share_of_bound(), 1.0);
    }
}

template <class S>
std::vector<std::uint16_t> bits_of(const std::vector<S>& values) {
    std::vector<std::uint16_t> bits(values.size() * sizeof(S) / 2);
    std::memcpy(bits.data(), values.data(), values.size() * sizeof(S));
    return bits;
}

// One element, less than a pack, across the ends of packs, a pack for each thread of a block and
// some for others, and GPT-2's vocabulary.
const std::vector<LogitShape> shapes{{4, 1, 0, 1},       {3, 2, 3, 11},       {5, 5, 0, 5},
                                     {4, 13, 6, 23},     {4, 16, 0, 16},      {9, 259, 1, 300},
                                     {3, 4097, 0, 4097}, {2, 50257, 0, 50257}};

template <class S>
void expect_close(const LogitShape& shape) {
    SCOPED_TRACE(shape.columns);
    const LogitProblem<S> of{shape};
    const FusedCrossEntropy<S> actual(of);
    EXPECT_NEAR(actual.loss, oracle::cross_entropy(of.logits, of.targets), of.loss_bound());
    EXPECT_LE(worst_ratio(of.own(actual.gradient), of.gradient, of.gradient_bound()), 1.0);
    // What is beside the rows is as it was.
    auto expected = as<S>(of.whole);
    for (Size r = 0; r < shape.rows; ++r) {
        const Size at = r * shape.leading + shape.first;
        std::copy_n(actual.gradient.begin() + at, shape.columns, expected.begin() + at);
    }
    EXPECT_EQ(bits_of(actual.gradient), bits_of(expected));
}

TEST_F(DeviceCrossEntropy, RowsMayHaveAnyLengthAndAddress) {
    for (const LogitShape& shape : shapes) {
        expect_close<float>(shape);
        expect_close<bf16>(shape);
        expect_close<fp16>(shape);
    }
    // Rows that no shared memory holds.
    expect_close<float>({1, 58'003, 3, 58'010});
    expect_close<bf16>({1, 116'003, 5, 116'010});
}

// One large logit in a row, wherever it is.
TEST_F(DeviceCrossEntropy, EachColumnIsInTheSum) {
    for (const Size at : {0, 1, 7, 8, 4094, 4095, 4096, 4999}) {
        LogitProblem<bf16> of{{1, 5000, 3, 5010}};
        Values logits(of.whole.size());  // zeros
        logits[static_cast<std::size_t>(3 + at)] = 12.0;
        const Located<bf16, Cuda> its(as<bf16>(logits));
        const Located<std::int32_t, Cuda> target(std::vector<std::int32_t>{11});
        Located<float, Cuda> log_sum(1);
        Located<double, Cuda> loss(1);
        cross_entropy_forward<bf16>(CudaQueue(), {its.data() + 3, 1, 5000, 5010}, target.span(),
                                    log_sum.data(), loss.data());
        EXPECT_NEAR(loss.read().front(), std::log(4999.0 + std::exp(12.0)), 1e-5) << at;
    }
}

TEST_F(DeviceCrossEntropy, IgnoredRowsHaveNoLossAndNoGradient) {
    const CudaQueue queue;
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    Located<float, Cuda> logits(std::vector<float>{1, 2, nan, 4, 5, 6, 7, 8, 9, 10}), log_sum(2);
    const Located<std::int32_t, Cuda> none(std::vector<std::int32_t>{ignored_target, -40000});
    Located<double, Cuda> loss(1, 7.0);  // is added to
    cross_entropy_forward<float>(queue, logits.view(2), none.span(), log_sum.data(), loss.data());
    EXPECT_EQ(loss.read().front(), 7.0);
    cross_entropy_backward<float>(queue, logits.view(2), none.span(), log_sum.data(), 1.0F, 40000);
    EXPECT_EQ(logits.read(), std::vector<float>(10));
}

TEST_F(DeviceCrossEntropy, LargeLogitsDoNotOverflow) {
    const Located<float, Cuda> logits(std::vector<float>{3e4F, 2e4F, -3e4F});
    const Located<std::int32_t, Cuda> target(1, 0);
    Located<float, Cuda> log_sum(1);
    Located<double, Cuda> loss(1);
    cross_entropy_forward<float>(CudaQueue(), logits.view(1), target.span(), log_sum.data(),
                                 loss.data());
    EXPECT_EQ(loss.read().front(), 0.0);
}

TEST_F(DeviceCrossEntropy, NotANumberShowsInTheLoss) {
    const Located<float, Cuda> logits(
        std::vector<float>{1, std::numeric_limits<float>::quiet_NaN(), 2, 3});
    const Located<std::int32_t, Cuda> target(1, 0);
    Located<float, Cuda> log_sum(1);
    Located<double, Cuda> loss(1);
    cross_entropy_forward<float>(CudaQueue(), logits.view(1), target.span(), log_sum.data(),
                                 loss.data());
    EXPECT_TRUE(std::isnan(loss.read().front()));
}

TEST_F(DeviceCrossEntropy, NoRowsAreNoWork) {
    const CudaQueue queue;
    Located<float, Cuda> logits(6, 2.0F), log_sum(1, 5.0F);
    Located<double, Cuda> loss(1, 7.0);
    const Matrix<float, Cuda> none = logits.view(2).rows_from(0, 0);
    cross_entropy_forward<float>(queue, none, {}, log_sum.data(), loss.data());
    cross_entropy_backward<float>(queue, none, {}, log_sum.data(), 1.0F);
    EXPECT_EQ(logits.read(), std::vector<float>(6, 2.0F));
    EXPECT_EQ(log_sum.read().front(), 5.0F);
    EXPECT_EQ(loss.read().front(), 7.0);
}

}  // namespace
}  // namespace shardstone::validation
