// SPDX-License-Identifier: BSD-3-Clause
// The residual stream with its branch and bias against the FP64 oracle, within a derived bound.
#include "kernels/transformer/residual.hpp"

#include "validation/numerics/kernels/kernel_error.hpp"
#include "validation/numerics/kernels/located.hpp"

namespace shardstone::validation {

namespace {

constexpr Size n = 5, channels = 77;

/// Two additions, whatever the bias is stored in, and one rounding to what the stream is in.
template <class Space, class S, class R>
std::vector<KernelOutput> outputs_in() {
    using Real = compute_t<S>;
    const Values past_ = stored<R>(random_values(n * channels, "past"));
    const Values branch_ = stored<R>(random_values(n * channels, "branch"));
    const Values bias_ = stored<S>(random_values(channels, "bias"));
    const Located<R, Space> past(as<R>(past_)), branch(as<R>(branch_));
    const Located<S, Space> bias(as<S>(bias_));
    Located<R, Space> out(past.size());
    bias_residual_forward<S, R>(typename Space::Queue(), past.view(n), branch.view(n), bias.data(),
                                out.view(n));
    Values expected(past_.size()), bound(past_.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double b = bias_[i % channels];
        expected[i] = past_[i] + branch_[i] + b;
        bound[i] = higher_orders * 2.0 * roundoff<Real> *
                   (std::abs(past_[i]) + std::abs(branch_[i]) + std::abs(b));
    }
    add_storage_error<R>(expected, bound);
    return {output_of<S>("residual", "out", out.read(), expected, bound)};
}

}  // namespace

template <class Space>
std::vector<KernelOutput> residual_outputs(ElementType storage, Planted) {
    return in_each_stream(storage, [](auto s, auto r) {
        if constexpr (has_kernels<decltype(s), Space>) {
            return outputs_in<Space, decltype(s), decltype(r)>();
        } else {
            return std::vector<KernelOutput>();
        }
    });
}

template std::vector<KernelOutput> residual_outputs<Host>(ElementType, Planted);

}  // namespace shardstone::validation
