// SPDX-License-Identifier: BSD-3-Clause
// Forward attention on the device equals the oracle, over all keys at once and piece by piece, and
// is causal to the bit.
#include <cmath>

#include "kernels/transformer/attention.hpp"
#include "kernels/transformer/partial_attention.hpp"
#include "validation/numerics/kernels/attention_bounds.hpp"
#include "validation/numerics/kernels/located.hpp"
#include "validation/unit/kernels/compare.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

template <class S>
class DeviceAttentionForward : public OnDevice {
  protected:
    struct Result {
        std::vector<S> out;
        std::vector<float> log_sum_exp;
    };
    static Result run(const oracle::AttentionSizes& sizes, const Values& qkv_values,
                      std::int64_t first_element = 0) {
        const AttentionShape shape{sizes.batch, sizes.sequence, sizes.heads, sizes.head_size};
        auto shifted = as<S>(qkv_values);
        shifted.insert(shifted.begin(), static_cast<std::size_t>(first_element), S(0.0F));
        const Located<S, Cuda> qkv(shifted);
        Located<S, Cuda> out(std::ssize(qkv_values) / 3, S(std::nanf("")));
        Located<float, Cuda> log_sum(sizes.batch * sizes.heads * sizes.sequence, std::nanf(""));
        attention_forward<S>(CudaQueue(), shape, qkv.data() + first_element, out.data(),
                             log_sum.data(), nullptr);
        return {out.read(), log_sum.read()};
    }
};
using Types = ::testing::Types<float, bf16, fp16>;
TYPED_TEST_SUITE(DeviceAttentionForward, Types);

Values random_qkv(const oracle::AttentionSizes& sizes) {
    return random_values(3 * sizes.batch * sizes.sequence * sizes.heads * sizes.head_size, "qkv");
}

TYPED_TEST(DeviceAttentionForward, EqualsOracle) {
    const ElementType type = element_traits<TypeParam>::type;
    expect_equal_to_oracle(attention_forward_outputs<Cuda>(type));
    auto planted = attention_forward_outputs<Cuda>(type, Planted::mask_off_by_one);
    std::erase_if(planted, [](const KernelOutput& output) {
        return output.kernel.starts_with("attention, T = 1,") ||
               output.kernel == "attention, T = 1";  // nothing to mask
    });
    expect_seen(planted, {"out"});
}

// Rows that the matrix unit's kernel could not read are left to the other one.
TYPED_TEST(DeviceAttentionForward, EqualsOracleOfTensorsAtOddAddresses) {
    const oracle::AttentionSizes sizes{2, 70, 3, 16};
    const Values qkv = stored<TypeParam>(random_qkv(sizes));
    const AttentionBounds bounds(sizes, qkv, Values(qkv.size() / 3),
                                 AttentionRoundings::of<TypeParam>());
    EXPECT_LE(
        worst_ratio(TestFixture::run(sizes, qkv, 1).out, oracle::attention(sizes, qkv), bounds.out),
        1.0);
}

/// How far a log-sum-exp may be off (attention_bounds.hpp): (D + 3) u S and (2 r + T + 7) u with
/// r = 2 S + log T, where S bounds the magnitudes of scores.
double log_sum_bound(const oracle::AttentionSizes& sizes, const Values& qkv) {
    const auto size = static_cast<double>(sizes.head_size);
    const auto terms = static_cast<double>(sizes.sequence);
    const double magnitude = largest(qkv.data(), std::ssize(qkv));
    const double score = magnitude * magnitude * std::sqrt(size);
    const double range = 2.0 * score + std::log(terms);
    return ((size + 3.0) * score + 2.0 * range + terms + 7.0) * roundoff<float>;
}

TYPED_TEST(DeviceAttentionForward, KeepsLogSumExps) {
    for (const auto& sizes :
         {oracle::AttentionSizes{2, 37, 3, 4}, oracle::AttentionSizes{2, 200, 2, 64}}) {
        const Values qkv = stored<TypeParam>(random_qkv(sizes));
        const AttentionShape shape{sizes.batch, sizes.sequence, sizes.heads, sizes.head_size};
        Values out(qkv.size() / 3), scratch(shape.scratch_elements<double>());
        Values expected(sizes.batch * sizes.heads * sizes.sequence);
        attention_forward<double>(HostQueue(), shape, qkv.data(), out.data(), expected.data(),
                                  scratch.data());
        const Values bound(expected.size(), log_sum_bound(sizes, qkv));
        EXPECT_LE(worst_ratio(TestFixture::run(sizes, qkv).log_sum_exp, expected, bound), 1.0)
            << "D = " << sizes.head_size;
    }
}

// Changing position t must leave every output before t bitwise as it was.
TYPED_TEST(DeviceAttentionForward, DoesNotSeeTheFuture) {
    for (const Size head_size : {8, 64}) {
        const oracle::AttentionSizes sizes{1, 150, 1, head_size};
        Values qkv = random_qkv(sizes);
        const auto before = TestFixture::run(sizes, qkv).out;
        const Size changed = 70;
        for (Size i = 3 * changed * head_size; i < std::ssize(qkv); ++i) {
            qkv[static_cast<std::size_t>(i)] += 1.0;
        }
        const auto after = TestFixture::run(sizes, qkv).out;
        const auto split = before.begin() + changed * head_size;
        const auto same = [](TypeParam a, TypeParam b) { return wide(a) == wide(b); };
        EXPECT_TRUE(std::equal(before.begin(), split, after.begin(), same)) << head_size;
        EXPECT_FALSE(std::equal(split, before.end(), after.begin() + changed * head_size, same));
    }
}

TYPED_TEST(DeviceAttentionForward, OfNothingDoesNothing) {
    const Values none;
    EXPECT_TRUE(TestFixture::run({0, 5, 2, 64}, none).out.empty());
    EXPECT_TRUE(TestFixture::run({2, 0, 2, 64}, none).out.empty());
}

TYPED_TEST(DeviceAttentionForward, RefusesLargeHeads) {
    const oracle::AttentionSizes sizes{1, 1, 1, 129};
    EXPECT_THROW(TestFixture::run(sizes, random_qkv(sizes)), Error);
}

/// The sequences cut into pieces of these many positions: every piece's queries attend first to the
/// keys of previous pieces, one after the other, then to their own.
template <class S>
std::vector<float> piecewise(const oracle::AttentionSizes& sizes, const Values& qkv_values,
                             const std::vector<std::int64_t>& pieces) {
    const Located<S, Cuda> qkv(as<S>(qkv_values));
    const std::int64_t length = sizes.sequence, channels = sizes.heads * sizes.head_size;
    Located<float, Cuda> out(sizes.batch * length * channels, 0.0F);
    Located<float, Cuda> log_sum(sizes.batch * sizes.heads * length, -HUGE_VALF);
    const auto rows = [&](std::int64_t first, std::int64_t part) {
        return PieceRows<const S>{qkv.data() + (3 * first + part) * channels, 3 * channels,
                                  3 * length * channels};
    };
    std::int64_t query = 0;
    for (const std::int64_t queries : pieces) {
        std::int64_t key = 0;
        for (const std::int64_t keys : pieces) {
            if (key > query) break;
            partial_attention_forward<S>(
                CudaQueue(),
                {sizes.batch, sizes.heads, sizes.head_size, queries, keys, key == query},
                rows(query, 0), rows(key, 1), rows(key, 2),
                PieceRows<float>{out.data() + query * channels, channels, length * channels},
                PieceNumbers<float>{log_sum.data() + query, length}, nullptr);
            key += keys;
        }
        query += queries;
    }
    return out.read();
}

// Each merge takes exponentials of differences of log-sum-exps and adds two products, which costs
// less than (3 r + 12) u of the bound's relative error of probabilities: the bounds of as many
// times u more than cover it. P is rounded to S less than once more.
TYPED_TEST(DeviceAttentionForward, PieceByPieceEqualsOracle) {
    const std::vector<std::int64_t> pieces{1, 70, 129};
    for (const Size head_size : {4, 48, 64, 128}) {
        const oracle::AttentionSizes sizes{2, 200, head_size < 64 ? 3 : 1, head_size};
        const Values qkv = stored<TypeParam>(random_qkv(sizes));
        AttentionRoundings roundings = AttentionRoundings::of<TypeParam>();
        roundings.u *= static_cast<double>(1 + pieces.size());
        const AttentionBounds bounds(sizes, qkv, Values(qkv.size() / 3), roundings);
        const auto out = piecewise<TypeParam>(sizes, qkv, pieces);
        EXPECT_LE(worst_ratio(out, oracle::attention(sizes, qkv), bounds.out), 1.0)
            << "D = " << head_size;
        EXPECT_GT(
            worst_ratio(out, oracle::attention(sizes, qkv, Planted::mask_off_by_one), bounds.out),
            1.0);
    }
}

}  // namespace
}  // namespace shardstone::validation
