// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/residual.hpp"

#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

template <class S>
class Residual : public testing::Test {};
TYPED_TEST_SUITE(Residual, StorageTypes);

// Two additions, whatever the bias is stored in: the stream is never rounded to it.
TYPED_TEST(Residual, StreamAndBranchAndBiasAddUpInReal) {
    using S = TypeParam;
    using Real = compute_t<S>;
    constexpr Size n = 5, channels = 77;
    const Values past_ = random_values(n * channels, "past");
    const Values branch_ = random_values(n * channels, "branch");
    const Values bias_ = stored<S>(random_values(channels, "bias"));
    auto past = as<Real>(past_), branch = as<Real>(branch_);
    auto bias = as<S>(bias_);
    std::vector<Real> out(past.size());
    bias_residual_forward<S>(view(past, n), view(branch, n), bias.data(), view(out, n));
    Values expected(past_.size()), bound(past_.size());
    for (Size i = 0; i < n * channels; ++i) {
        const double b = bias_[i % channels];
        expected[i] = past_[i] + branch_[i] + b;
        bound[i] = higher_orders * 2.0 * roundoff<Real> *
                   (std::abs(past_[i]) + std::abs(branch_[i]) + std::abs(b));
    }
    EXPECT_LE(worst_ratio(out, expected, bound), 1.0);
    if constexpr (is_narrow<S>) {
        round_to<S>(out.data(), std::ssize(out));
        EXPECT_GT(worst_ratio(out, expected, bound), 1.0) << "a stream kept in S would pass";
    }
}

}  // namespace
}  // namespace shardstone::validation
