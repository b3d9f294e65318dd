// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/residual.hpp"

#include "validation/numerics/kernels/kernel_error.hpp"

namespace shardstone::validation {

namespace {

constexpr Size n = 5, channels = 77;

/// Two additions, whatever the bias is stored in: the stream is never rounded to it.
template <class S>
std::vector<KernelOutput> outputs_in() {
    using Real = compute_t<S>;
    const Values past_ = random_values(n * channels, "past");
    const Values branch_ = random_values(n * channels, "branch");
    const Values bias_ = stored<S>(random_values(channels, "bias"));
    auto past = as<Real>(past_), branch = as<Real>(branch_);
    auto bias = as<S>(bias_);
    std::vector<Real> out(past.size());
    bias_residual_forward<S>(view(past, n), view(branch, n), bias.data(), view(out, n));
    Values expected(past_.size()), bound(past_.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double b = bias_[i % channels];
        expected[i] = past_[i] + branch_[i] + b;
        bound[i] = higher_orders * 2.0 * roundoff<Real> *
                   (std::abs(past_[i]) + std::abs(branch_[i]) + std::abs(b));
    }
    return {output_of<S>("residual", "out", out, expected, bound)};
}

}  // namespace

std::vector<KernelOutput> residual_outputs(ElementType storage, Planted) {
    return in_storage(storage, [](auto zero) { return outputs_in<decltype(zero)>(); });
}

}  // namespace shardstone::validation
