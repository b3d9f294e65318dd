// SPDX-License-Identifier: BSD-3-Clause
// First-order rounding errors of causal attention, from the oracle's intermediate values.
//
// Scores S = q.k / sqrt(D) are sums of D products, scaled by a rounded constant: off by
// (D + 3) u |q|.|k| / sqrt(D). A row's log-sum-exp L over up to T keys is off by the largest of
// those and by (2 r + T + 7) u, r = 2 max|S| + log T (as derived for the cross-entropy); so
// P = exp(S - L) is off relatively by rho = 2 max dS + (3 r + T + 12) u. Every sum below adds one u
// per term. Where the tensors are narrow, P, d_S and O are rounded to their type before products.
//
// On a GPU the softmax is computed as the keys come: exponentials are of 2, less an offset that
// rises with the largest score, which costs exp(S - L) at most 4 max|S| u for the argument and 4 u
// for the instruction, and (5 + 2) u more with every tile of 64 or 32 keys: less than the (3 r + T
// + 12) u above, since a sum over T keys is T/4 + 4 additions deep at most. A matrix unit sums 16
// products at once and cuts each two bits below the last of the largest, then the sum to FP32: at
// most (17/2 + 2) u of the largest, where 16 additions have 16 u of the sum of magnitudes. P is
// rounded before it is divided by the sum of the exponentials, which is at least 1: relatively the
// same, and below the normal numbers less.
#pragma once

#include "validation/numerics/kernels/compare.hpp"

namespace shardstone::validation {

/// Of the arithmetic: the unit roundoff; of storage: the error of storing a number.
struct AttentionRoundings {
    double u;
    double (*stored)(double);

    template <class S>
    static AttentionRoundings of() {
        return {roundoff<compute_t<S>>, storage_error<S>};
    }
};

class AttentionBounds {
  public:
    AttentionBounds(const oracle::AttentionSizes& sizes, const Values& qkv, const Values& d_out,
                    const AttentionRoundings& roundings)
        : sizes_(sizes), qkv_(qkv), d_out_(d_out), u_(roundings.u), stored_(roundings.stored) {
        out = Values(d_out.size(), 0.0);
        d_qkv = Values(qkv.size(), 0.0);
        probabilities_ = oracle::attention_probabilities(sizes, qkv);
        expected_out_ = oracle::attention(sizes, qkv);
        for (Size b = 0; b < sizes.batch; ++b) {
            for (Size h = 0; h < sizes.heads; ++h) {
                for (Size t = 0; t < sizes.sequence; ++t) add_query(b, h, t);
            }
        }
    }

    Values out, d_qkv;  ///< bounds for attention's output and for the gradient of qkv

  private:
    enum Part : Size { q = 0, k = 1, v = 2 };
    Size at(Size b, Size t, Part part, Size h, Size d) const {
        return (((b * sizes_.sequence + t) * 3 + part) * sizes_.heads + h) * sizes_.head_size + d;
    }
    Size at_out(Size b, Size t, Size h, Size d) const {
        return ((b * sizes_.sequence + t) * sizes_.heads + h) * sizes_.head_size + d;
    }
    double scale() const { return 1.0 / std::sqrt(static_cast<double>(sizes_.head_size)); }

    double relative_error_of_probabilities(Size b, Size h, Size t) const {
        double largest_score = 0.0;  // with absolute values inside, so at least |S|
        for (Size s = 0; s <= t; ++s) {
            double score = 0.0;
            for (Size d = 0; d < sizes_.head_size; ++d) {
                score += std::abs(qkv_[at(b, t, q, h, d)] * qkv_[at(b, s, k, h, d)]) * scale();
            }
            largest_score = std::max(largest_score, score);
        }
        const double terms = static_cast<double>(sizes_.sequence);
        const double range = 2.0 * largest_score + std::log(terms);
        return (2.0 * static_cast<double>(sizes_.head_size + 3) * largest_score + 3.0 * range +
                terms + 12.0) *
               u_;
    }

    void add_query(Size b, Size h, Size t) {
        const double rho = relative_error_of_probabilities(b, h, t);
        const double sum_of_keys = static_cast<double>(sizes_.sequence + 2) * u_;
        const double sum_of_channels = static_cast<double>(sizes_.head_size + 1) * u_;
        double row_sum = 0.0, row_sum_error = 0.0, exact_row_sum = 0.0;  // of d_O * O
        for (Size d = 0; d < sizes_.head_size; ++d) {
            const Size i = at_out(b, t, h, d);
            double error = 0.0;
            for (Size s = 0; s <= t; ++s) {
                const double probability = p(b, h, t, s);
                const double p_error = probability * (rho + sum_of_keys) + stored_(probability);
                error += std::abs(qkv_[at(b, s, v, h, d)]) * p_error;
                d_qkv[at(b, s, v, h, d)] += higher_orders * std::abs(d_out_[i]) * p_error;
            }
            error += stored_(expected_out_[i]);
            out[i] = higher_orders * error;
            exact_row_sum += d_out_[i] * expected_out_[i];
            row_sum += std::abs(d_out_[i] * expected_out_[i]);
            row_sum_error += std::abs(d_out_[i]) * error;
        }
        row_sum_error += sum_of_channels * row_sum;
        for (Size s = 0; s <= t; ++s) add_pair(b, h, t, s, rho, exact_row_sum, row_sum_error);
    }

    /// d_S = P (d_P - rowsum): its error times |k| goes to d_Q, times |q| to d_K.
    void add_pair(Size b, Size h, Size t, Size s, double rho, double row_sum,
                  double row_sum_error) {
        double d_p = 0.0, d_p_size = 0.0;
        for (Size d = 0; d < sizes_.head_size; ++d) {
            const double product = d_out_[at_out(b, t, h, d)] * qkv_[at(b, s, v, h, d)];
            d_p += product;
            d_p_size += std::abs(product);
        }
        const double difference = std::abs(d_p - row_sum);
        const double d_p_error = static_cast<double>(sizes_.head_size + 1) * u_ * d_p_size;
        const double error =
            p(b, h, t, s) * ((rho + 2.0 * u_) * difference + d_p_error + row_sum_error) +
            stored_(p(b, h, t, s) * difference);
        const double sum = static_cast<double>(sizes_.sequence + 3) * u_;
        const double total = higher_orders * scale() * (error + sum * p(b, h, t, s) * difference);
        for (Size d = 0; d < sizes_.head_size; ++d) {
            d_qkv[at(b, t, q, h, d)] += total * std::abs(qkv_[at(b, s, k, h, d)]);
            d_qkv[at(b, s, k, h, d)] += total * std::abs(qkv_[at(b, t, q, h, d)]);
        }
    }

    double p(Size b, Size h, Size t, Size s) const {
        return probabilities_[((b * sizes_.heads + h) * sizes_.sequence + t) * sizes_.sequence + s];
    }

    oracle::AttentionSizes sizes_;
    const Values& qkv_;
    const Values& d_out_;
    double u_;
    double (*stored_)(double);
    Values probabilities_, expected_out_;
};

}  // namespace shardstone::validation
