// SPDX-License-Identifier: BSD-3-Clause
// The oracle: every layer in double precision, serially, in nested loops written down from its
// definition. It shares no code and, where it can, no formula with the kernels: backward passes
// are sums over the Jacobian. Slow on purpose; for small sizes.
#pragma once

#include <cstdint>
#include <vector>

namespace shardstone::validation::oracle {

using Values = std::vector<double>;
using Size = std::int64_t;

/// An error to plant, so that a test can show that its comparison would notice. A comparison of
/// the product against an oracle with one of these must fail.
enum class Planted : std::uint8_t {
    none,
    layernorm_without_mean_term,      ///< backward drops the gradient through the mean
    layernorm_without_variance_term,  ///< ... through the variance
    mask_off_by_one,                  ///< each query also sees the next key
    gelu_without_cubic_term,          ///< the derivative of z forgets x^3
    no_tied_head,                     ///< the head's share of the embedding's gradient is lost
    no_bias_gradient,                 ///< linear layers leave the bias gradient at zero
    experts_renormalised_gates,       ///< gates are divided by their sum over the chosen experts
    experts_no_gate_gradient,         ///< the gate is a constant to the derivative
    experts_balance_after_dropping,   ///< f counts only what the capacity lets through
    experts_later_first,              ///< experts fill up from a sequence's last position on
};

/// x (n, inputs), weight (outputs, inputs), bias (outputs) or empty -> (n, outputs).
Values linear(const Values& x, const Values& weight, const Values& bias, Size n, Size outputs);

struct LinearGradient {
    Values x, weight, bias;
};
LinearGradient linear_gradient(const Values& x, const Values& weight, const Values& d_out, Size n,
                               Size outputs, Planted bug = Planted::none);

/// x (n, channels) -> the same shape; epsilon 1e-5 under the root.
Values layernorm(const Values& x, const Values& weight, const Values& bias, Size n);

struct LayernormGradient {
    Values x, weight, bias;
};
LayernormGradient layernorm_gradient(const Values& x, const Values& weight, const Values& d_out,
                                     Size n, Planted bug = Planted::none);

Values gelu(const Values& x);
/// Gradient with respect to x.
Values gelu_gradient(const Values& x, const Values& d_out, Planted bug = Planted::none);

struct AttentionSizes {
    Size batch, sequence, heads, head_size;
};
/// qkv (B, T, 3, H, D) -> (B, T, H, D).
Values attention(const AttentionSizes& sizes, const Values& qkv, Planted bug = Planted::none);
/// Probabilities (B, H, T, T).
Values attention_probabilities(const AttentionSizes& sizes, const Values& qkv,
                               Planted bug = Planted::none);
/// Gradient with respect to qkv.
Values attention_gradient(const AttentionSizes& sizes, const Values& qkv, const Values& d_out,
                          Planted bug = Planted::none);

/// Row-wise softmax of (n, classes).
Values softmax(const Values& logits, Size n);
/// Sum over rows of -log softmax(logits)[target]; rows with a negative target do not count.
double cross_entropy(const Values& logits, const std::vector<std::int32_t>& targets);
Values cross_entropy_gradient(const Values& logits, const std::vector<std::int32_t>& targets,
                              double scale);

}  // namespace shardstone::validation::oracle
