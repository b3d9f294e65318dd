// SPDX-License-Identifier: BSD-3-Clause
// Causal attention in FP64, query by query; the gradient is a sum over the softmax's Jacobian.
#include <algorithm>
#include <cmath>

#include "validation/oracle/layers.hpp"

namespace shardstone::validation::oracle {

namespace {

enum Part : Size { query = 0, key = 1, value = 2 };

/// Index into qkv (B, T, 3, H, D) and into the output (B, T, H, D).
struct Index {
    AttentionSizes sizes;
    Size qkv(Size b, Size t, Part part, Size h, Size d) const {
        return (((b * sizes.sequence + t) * 3 + part) * sizes.heads + h) * sizes.head_size + d;
    }
    Size out(Size b, Size t, Size h, Size d) const {
        return ((b * sizes.sequence + t) * sizes.heads + h) * sizes.head_size + d;
    }
};

/// Calls f(b, h) for every head of every sequence.
template <class F>
void for_each_head(const AttentionSizes& sizes, const F& f) {
    for (Size b = 0; b < sizes.batch; ++b) {
        for (Size h = 0; h < sizes.heads; ++h) f(b, h);
    }
}

/// Keys that query t sees: 0 .. visible - 1.
Size visible(const AttentionSizes& sizes, Size t, Planted bug) {
    return std::min(t + (bug == Planted::mask_off_by_one ? 2 : 1), sizes.sequence);
}

/// Probabilities of one query over the keys that it sees.
Values probabilities(const AttentionSizes& sizes, const Values& qkv, Size b, Size h, Size t,
                     Planted bug) {
    const Index at{sizes};
    Values scores(visible(sizes, t, bug), 0.0);
    for (Size s = 0; s < static_cast<Size>(scores.size()); ++s) {
        for (Size d = 0; d < sizes.head_size; ++d) {
            scores[s] += qkv[at.qkv(b, t, query, h, d)] * qkv[at.qkv(b, s, key, h, d)] /
                         std::sqrt(static_cast<double>(sizes.head_size));
        }
    }
    return softmax(scores, 1);
}

/// Adds one query's share to the gradient.
void add_query(const AttentionSizes& sizes, const Values& qkv, const Values& d_out, Size b, Size h,
               Size t, Planted bug, Values& gradient) {
    const Index at{sizes};
    const Values p = probabilities(sizes, qkv, b, h, t, bug);
    const Size keys = static_cast<Size>(p.size());
    Values d_p(p.size(), 0.0);
    for (Size s = 0; s < keys; ++s) {
        for (Size d = 0; d < sizes.head_size; ++d) {
            d_p[s] += d_out[at.out(b, t, h, d)] * qkv[at.qkv(b, s, value, h, d)];
            gradient[at.qkv(b, s, value, h, d)] += p[s] * d_out[at.out(b, t, h, d)];
        }
    }
    for (Size s = 0; s < keys; ++s) {
        double d_score = 0.0;  // sum over the softmax' Jacobian p_r (delta_rs - p_s)
        for (Size r = 0; r < keys; ++r) d_score += d_p[r] * p[r] * ((r == s ? 1.0 : 0.0) - p[s]);
        d_score /= std::sqrt(static_cast<double>(sizes.head_size));
        for (Size d = 0; d < sizes.head_size; ++d) {
            gradient[at.qkv(b, t, query, h, d)] += d_score * qkv[at.qkv(b, s, key, h, d)];
            gradient[at.qkv(b, s, key, h, d)] += d_score * qkv[at.qkv(b, t, query, h, d)];
        }
    }
}

}  // namespace

Values attention_probabilities(const AttentionSizes& sizes, const Values& qkv, Planted bug) {
    Values all(sizes.batch * sizes.heads * sizes.sequence * sizes.sequence, 0.0);
    for_each_head(sizes, [&](Size b, Size h) {
        for (Size t = 0; t < sizes.sequence; ++t) {
            const Values p = probabilities(sizes, qkv, b, h, t, bug);
            std::ranges::copy(
                p, all.begin() + ((b * sizes.heads + h) * sizes.sequence + t) * sizes.sequence);
        }
    });
    return all;
}

Values attention(const AttentionSizes& sizes, const Values& qkv, Planted bug) {
    const Index at{sizes};
    Values out(qkv.size() / 3, 0.0);
    for_each_head(sizes, [&](Size b, Size h) {
        for (Size t = 0; t < sizes.sequence; ++t) {
            const Values p = probabilities(sizes, qkv, b, h, t, bug);
            for (Size s = 0; s < static_cast<Size>(p.size()); ++s) {
                for (Size d = 0; d < sizes.head_size; ++d) {
                    out[at.out(b, t, h, d)] += p[s] * qkv[at.qkv(b, s, value, h, d)];
                }
            }
        }
    });
    return out;
}

Values attention_gradient(const AttentionSizes& sizes, const Values& qkv, const Values& d_out,
                          Planted bug) {
    Values gradient(qkv.size(), 0.0);
    for_each_head(sizes, [&](Size b, Size h) {
        for (Size t = 0; t < sizes.sequence; ++t) {
            add_query(sizes, qkv, d_out, b, h, t, bug, gradient);
        }
    });
    return gradient;
}

}  // namespace shardstone::validation::oracle
