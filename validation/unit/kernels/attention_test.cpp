// SPDX-License-Identifier: BSD-3-Clause
// Attention equals its oracle in every storage type and is causal to the bit.
#include "kernels/transformer/attention.hpp"

#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

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
        attention_forward<S>(HostQueue(), shape, qkv.data(), result.out.data(), log_sum.data(),
                             scratch.data());
        attention_backward<S>(HostQueue(), shape, {qkv.data(), result.out.data(), log_sum.data()},
                              d_out.data(), result.d_qkv.data(), scratch.data());
        return result;
    }
};
TYPED_TEST_SUITE(Attention, StorageTypes);

TYPED_TEST(Attention, ForwardAndBackwardEqualOracle) {
    expect_equal_to_oracle(attention_outputs(element_traits<TypeParam>::type));
    auto planted = attention_outputs(element_traits<TypeParam>::type, Planted::mask_off_by_one);
    std::erase_if(planted, [](const KernelOutput& output) {
        return output.kernel == "attention, T = 1";  // nothing to mask
    });
    expect_seen(planted, {"out", "d_qkv"});
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
