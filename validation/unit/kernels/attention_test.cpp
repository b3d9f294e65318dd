// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/attention.hpp"

#include "validation/unit/kernels/attention_bounds.hpp"
#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

// One query; within one block of queries; several blocks, the last one short.
const std::vector<oracle::AttentionSizes> all_sizes{
    {1, 1, 1, 4}, {2, 7, 3, 4}, {2, 64, 1, 8}, {1, 150, 2, 8}};

template <class S>
class Attention : public testing::Test {
  protected:
    using Real = compute_t<S>;
    struct Result {
        std::vector<S> out, d_qkv;
    };

    static Result run(const oracle::AttentionSizes& sizes, const Values& qkv_values,
                      const Values& d_out_values) {
        const AttentionShape shape{sizes.batch, sizes.sequence, sizes.heads, sizes.head_size};
        const auto qkv = as<S>(qkv_values), d_out = as<S>(d_out_values);
        // NaN everywhere first: both results are overwritten and scratch is never read unwritten.
        const Real nan = std::numeric_limits<Real>::quiet_NaN();
        Result result{std::vector<S>(d_out.size(), S(nan)), std::vector<S>(qkv.size(), S(nan))};
        std::vector<Real> scratch(shape.template scratch_elements<S>(), nan);
        std::vector<Real> log_sum(sizes.batch * sizes.heads * sizes.sequence);
        attention_forward<S>(shape, qkv.data(), result.out.data(), log_sum.data(), scratch.data());
        attention_backward<S>(shape, {qkv.data(), result.out.data(), log_sum.data()}, d_out.data(),
                              result.d_qkv.data(), scratch.data());
        return result;
    }
};
TYPED_TEST_SUITE(Attention, StorageTypes);

TYPED_TEST(Attention, ForwardAndBackwardEqualOracle) {
    for (const auto& sizes : all_sizes) {
        const Size count = sizes.batch * sizes.sequence * sizes.heads * sizes.head_size;
        const Values qkv = stored<TypeParam>(random_values(3 * count, "qkv"));
        const Values d_out = stored<TypeParam>(random_values(count, "d_out"));
        const auto result = TestFixture::run(sizes, qkv, d_out);
        AttentionBounds bounds(sizes, qkv, d_out, AttentionRoundings::of<TypeParam>());
        add_storage_error<TypeParam>(oracle::attention_gradient(sizes, qkv, d_out), bounds.d_qkv);
        const auto ratios = [&](Planted bug) {
            return std::pair(
                worst_ratio(result.out, oracle::attention(sizes, qkv, bug), bounds.out),
                worst_ratio(result.d_qkv, oracle::attention_gradient(sizes, qkv, d_out, bug),
                            bounds.d_qkv));
        };
        const auto [forward, backward] = ratios(Planted::none);
        EXPECT_LE(forward, 1.0) << "T = " << sizes.sequence;
        EXPECT_LE(backward, 1.0) << "T = " << sizes.sequence;
        if (sizes.sequence == 1) continue;  // nothing to mask
        const auto [planted_forward, planted_backward] = ratios(Planted::mask_off_by_one);
        EXPECT_GT(planted_forward, 1.0) << "T = " << sizes.sequence;
        EXPECT_GT(planted_backward, 1.0) << "T = " << sizes.sequence;
    }
}

// Changing position t must leave every output before t bitwise as it was.
TYPED_TEST(Attention, OutputsDoNotSeeTheFuture) {
    const oracle::AttentionSizes sizes{1, 100, 1, 8};
    const Size count = sizes.sequence * sizes.head_size;
    Values qkv = random_values(3 * count, "qkv");
    const Values d_out = random_values(count, "d_out");
    const auto before = TestFixture::run(sizes, qkv, d_out).out;
    const Size changed = 70;
    for (Size i = 3 * changed * sizes.head_size; i < 3 * count; ++i) qkv[i] += 1.0;
    const auto after = TestFixture::run(sizes, qkv, d_out).out;
    const auto split = changed * sizes.head_size;
    const auto same = [](TypeParam a, TypeParam b) { return wide(a) == wide(b); };
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + split, after.begin(), same));
    EXPECT_FALSE(std::equal(before.begin() + split, before.end(), after.begin() + split, same));
}

}  // namespace
}  // namespace shardstone::validation
