// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/transformer/cross_entropy.hpp"
#include "validation/numerics/kernels/compare.hpp"

namespace shardstone::validation {

/// A problem for the cross-entropy, and how far results in Real may be off, to first order.
template <class S>
struct CrossEntropyCase {
    using Real = compute_t<S>;
    static constexpr Size n = 8, classes = 259;
    static constexpr double scale = 0.25;

    const std::vector<std::int32_t> targets{0, 258, 3, ignored_target, 100, 17, 255, 64};
    const Values logits = stored<S>(random_values(n * classes, "logits", 5.0));

    /// Error of a row's log-sum-exp: exponents l - max are off by u |l - max| and exp by 4 u, the
    /// sum of V positive terms by (V + 1) u, log by 2 u, adding the maximum by u |result|. With
    /// R = max |l|, both |l - max| and |result| are at most 2 R + log V.
    double log_sum_error(Size r) const {
        const double range =
            2.0 * largest(logits.data() + r * classes, classes) + std::log(classes);
        return (2.0 * range + classes + 7) * roundoff<Real>;
    }
    double loss_bound() const {
        double bound = 0.0;
        for (Size r = 0; r < n; ++r) bound += higher_orders * log_sum_error(r);
        return bound;
    }
    /// p = exp(l - log_sum): off by the error of log_sum, of the difference (counted there), 4 u of
    /// exp and u of the product; then one subtraction at the target. Stored in S, where the logits
    /// were.
    Values gradient_bound() const {
        const Values p = oracle::softmax(logits, n);
        Values bound(p.size());
        for (Size i = 0; i < n * classes; ++i) {
            const Size r = i / classes;
            const double subtraction =
                i % classes == targets[static_cast<std::size_t>(r)] ? roundoff<Real> : 0.0;
            bound[i] = higher_orders * scale *
                       (p[i] * (2.0 * log_sum_error(r) + 5.0 * roundoff<Real>)+subtraction);
        }
        add_storage_error<S>(oracle::cross_entropy_gradient(logits, targets, scale), bound);
        return bound;
    }
};

}  // namespace shardstone::validation
