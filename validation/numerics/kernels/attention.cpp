// SPDX-License-Identifier: BSD-3-Clause
// Errors of attention, forward and backward, against the FP64 oracle and their rounding bounds.
#include "kernels/transformer/attention.hpp"

#include <limits>

#include "validation/numerics/kernels/attention_bounds.hpp"
#include "validation/numerics/kernels/kernel_error.hpp"

namespace shardstone::validation {

namespace {

// One query; within one block of queries; several blocks, the last one short.
const std::vector<oracle::AttentionSizes> all_sizes{
    {1, 1, 1, 4}, {2, 7, 3, 4}, {2, 64, 1, 8}, {1, 150, 2, 8}};

template <class S>
std::vector<KernelOutput> outputs_at(const oracle::AttentionSizes& sizes, Planted bug) {
    using Real = compute_t<S>;
    const AttentionShape shape{sizes.batch, sizes.sequence, sizes.heads, sizes.head_size};
    const Size count = sizes.batch * sizes.sequence * shape.channels();
    const Values qkv_ = stored<S>(random_values(3 * count, "qkv"));
    const Values d_out_ = stored<S>(random_values(count, "d_out"));
    const auto qkv = as<S>(qkv_), d_out = as<S>(d_out_);
    // NaN everywhere first: both results are overwritten and scratch is never read unwritten.
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    std::vector<S> out(d_out.size(), S(nan)), d_qkv(qkv.size(), S(nan));
    std::vector<Real> scratch(static_cast<std::size_t>(shape.template scratch_elements<S>()), nan);
    std::vector<Real> log_sum(static_cast<std::size_t>(sizes.batch * sizes.heads * sizes.sequence));
    attention_forward<S>(HostQueue(), shape, qkv.data(), out.data(), log_sum.data(),
                         scratch.data());
    attention_backward<S>(HostQueue(), shape, {qkv.data(), out.data(), log_sum.data()},
                          d_out.data(), d_qkv.data(), scratch.data());
    AttentionBounds bounds(sizes, qkv_, d_out_, AttentionRoundings::of<S>());
    add_storage_error<S>(oracle::attention_gradient(sizes, qkv_, d_out_), bounds.d_qkv);
    const std::string name = "attention, T = " + std::to_string(sizes.sequence);
    return {output_of<S>(name, "out", out, oracle::attention(sizes, qkv_, bug), bounds.out),
            output_of<S>(name, "d_qkv", d_qkv, oracle::attention_gradient(sizes, qkv_, d_out_, bug),
                         bounds.d_qkv)};
}

}  // namespace

std::vector<KernelOutput> attention_outputs(ElementType storage, Planted bug) {
    return in_storage(storage, [&](auto zero) {
        std::vector<KernelOutput> all;
        for (const auto& sizes : all_sizes) {
            for (auto& output : outputs_at<decltype(zero)>(sizes, bug)) {
                all.push_back(std::move(output));
            }
        }
        return all;
    });
}

}  // namespace shardstone::validation
