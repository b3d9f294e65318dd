// SPDX-License-Identifier: BSD-3-Clause
// Causal attention, forward and backward, in blocks of queries without the whole score matrix.
#include "kernels/transformer/attention.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/base/convert.hpp"
#include "kernels/tensor/paced.hpp"
#include "kernels/transformer/attention_head.hpp"
#include "kernels/transformer/causal_products.hpp"
#include "kernels/transformer/softmax.hpp"

namespace shardstone {

namespace {

/// Q, K, V of one head of one sequence, as views into (B, T, 3C): (T, D) each.
template <class Real>
struct Head {
    Matrix<Real> q, k, v;
};

template <class Real>
Head<Real> head_of(const AttentionShape& shape, Real* qkv, std::int64_t b, std::int64_t h) {
    const std::int64_t channels = shape.channels();
    const auto view = [&](std::int64_t which) {
        Real* first =
            qkv + b * shape.sequence * 3 * channels + which * channels + h * shape.head_size;
        return Matrix<Real>{first, shape.sequence, shape.head_size, 3 * channels};
    };
    return {view(0), view(1), view(2)};
}

template <class Real>
Matrix<Real> head_of_output(const AttentionShape& shape, Real* out, std::int64_t b,
                            std::int64_t h) {
    const std::int64_t channels = shape.channels();
    return {out + b * shape.sequence * channels + h * shape.head_size, shape.sequence,
            shape.head_size, channels};
}

template <class Real>
Real scale_of(const AttentionShape& shape) {
    return Real(1) / std::sqrt(static_cast<Real>(shape.head_size));
}

template <class S>
Head<const compute_t<S>> as_real(const Head<const S>& head, causal::Arena<compute_t<S>>& arena) {
    const auto q = detail::as_real<S>(head.q, arena);
    const auto k = detail::as_real<S>(head.k, arena);
    return {q, k, detail::as_real<S>(head.v, arena)};
}

template <class S, class Real>
void head_forward(const Head<const Real>& head, Matrix<Real> out, Real* log_sum_exp, Real scale,
                  causal::Arena<Real> arena) {
    const auto keys = packed_transposed(head.k, arena);
    const auto values = packed(head.v, arena);
    for (std::int64_t i = 0; i < causal::block_count(head.q.rows); ++i) {
        const causal::Block block = causal::block_at(i, head.q.rows);
        causal::Arena<Real> scores = arena;
        const auto p = take_scores(block, scores);
        visible_products(scale, block, causal::rows(head.q, block.begin, block.end), keys, p);
        for (std::int64_t r = 0; r < p.rows; ++r) {
            const std::int64_t visible = block.visible(r);
            log_sum_exp[block.begin + r] = detail::masked_softmax_row(p.row(r), visible, p.columns);
            round_to<S>(p.row(r), visible);
        }
        weighted_sum(Real(1), block, p, values, false, causal::rows(out, block.begin, block.end));
    }
}

template <class Real>
struct HeadBackward {
    Head<const Real> in;
    Matrix<const Real> out, d_out;
    const Real* log_sum_exp;
    Head<Real> gradient;
    Real scale;
};

/// What the products of a head's backward pass read as second factors.
template <class Real>
struct PackedHead {
    Panels<const Real> q, d_out, k, k_transposed, v_transposed;
};

template <class Real>
PackedHead<Real> packed(const HeadBackward<Real>& head, causal::Arena<Real>& arena) {
    const auto q = packed(head.in.q, arena);
    const auto d_out = packed(head.d_out, arena);
    const auto k = packed(head.in.k, arena);
    const auto k_transposed = packed_transposed(head.in.k, arena);
    return {q, d_out, k, k_transposed, packed_transposed(head.in.v, arena)};
}

/// Fills p and d_s (both queries x keys) of one block.
template <class S, class Real>
void scores_backward(const HeadBackward<Real>& head, const PackedHead<Real>& packed,
                     const causal::Block& block, const Matrix<Real>& p, const Matrix<Real>& d_s) {
    const auto d_out = causal::rows(head.d_out, block.begin, block.end);
    const auto out = causal::rows(head.out, block.begin, block.end);
    visible_products(head.scale, block, causal::rows(head.in.q, block.begin, block.end),
                     packed.k_transposed, p);
    visible_products(Real(1), block, d_out, packed.v_transposed, d_s);
    for (std::int64_t r = 0; r < p.rows; ++r) {
        const std::int64_t visible = block.visible(r);
        detail::softmax_row(p.row(r), visible, head.log_sum_exp[block.begin + r]);
        detail::softmax_backward_row(p.row(r), d_s.row(r), visible,
                                     detail::dot(d_out.row(r), out.row(r), out.columns));
        round_to<S>(p.row(r), visible);
        round_to<S>(d_s.row(r), visible);
        std::fill(p.row(r) + visible, p.row(r) + p.columns, Real(0));
        std::fill(d_s.row(r) + visible, d_s.row(r) + p.columns, Real(0));
    }
}

template <class S, class Real>
void head_backward(const HeadBackward<Real>& head, causal::Arena<Real> arena) {
    const auto factors = packed(head, arena);
    const std::int64_t sequence = head.out.rows;
    // Last block first: it sees every key and so overwrites d_K and d_V; the others add.
    for (std::int64_t i = causal::block_count(sequence) - 1; i >= 0; --i) {
        const causal::Block block = causal::block_at(i, sequence);
        const bool add = block.end != sequence;
        causal::Arena<Real> scores = arena;
        const auto p = take_scores(block, scores);
        const auto d_s = take_scores(block, scores);
        scores_backward<S>(head, factors, block, p, d_s);
        weighted_sum(head.scale, block, d_s, factors.k, false,
                     causal::rows(head.gradient.q, block.begin, block.end));
        add_transposed(head.scale, block, d_s, factors.q, add, head.gradient.k);
        add_transposed(Real(1), block, p, factors.d_out, add, head.gradient.v);
    }
}

}  // namespace

template <class S, class Space>
std::int64_t AttentionShape::scratch_elements() const {
    if constexpr (std::is_same_v<Space, Cuda>) return batch * heads * sequence;
    // Backward: q, k, v, o, d_o, d_q, d_k and d_v of one head; PackedHead; P and d_S of a block.
    const std::int64_t widened = is_narrow<S> ? 8 * sequence * head_size : 0;
    const std::int64_t as_they_are = sequence * causal::padded_columns(head_size);
    const std::int64_t transposed = head_size * causal::padded_columns(sequence);
    const std::int64_t scores =
        std::min(causal::queries_per_block, sequence) * causal::padded_columns(sequence);
    return widened + 3 * as_they_are + 2 * transposed + 2 * scores;
}

template <class S>
void attention_forward(HostQueue, const AttentionShape& shape, const S* qkv, S* out,
                       compute_t<S>* log_sum_exp, compute_t<S>* scratch) {
    using Real = compute_t<S>;
    for (std::int64_t b = 0; b < shape.batch; ++b) {
        for (std::int64_t h = 0; h < shape.heads; ++h) {
            causal::Arena<Real> arena(scratch);
            const auto head = as_real<S>(head_of(shape, qkv, b, h), arena);
            const auto stored = head_of_output(shape, out, b, h);
            const auto written = detail::to_write(stored, arena);
            head_forward<S>(head, written, log_sum_exp + (b * shape.heads + h) * shape.sequence,
                            scale_of<Real>(shape), arena);
            detail::rounded(written, stored);
        }
    }
}

template <class S>
void attention_backward(HostQueue, const AttentionShape& shape, const AttentionSaved<S>& saved,
                        const S* d_out, S* d_qkv, compute_t<S>* scratch) {
    using Real = compute_t<S>;
    for (std::int64_t b = 0; b < shape.batch; ++b) {
        for (std::int64_t h = 0; h < shape.heads; ++h) {
            causal::Arena<Real> arena(scratch);
            const auto in = as_real<S>(head_of(shape, saved.qkv, b, h), arena);
            const auto stored = head_of(shape, d_qkv, b, h);
            const auto d_q = detail::to_write(stored.q, arena);
            const auto d_k = detail::to_write(stored.k, arena);
            const auto d_v = detail::to_write(stored.v, arena);
            const HeadBackward<Real> head{
                in,
                detail::as_real<S>(head_of_output(shape, saved.out, b, h), arena),
                detail::as_real<S>(head_of_output(shape, d_out, b, h), arena),
                saved.log_sum_exp + (b * shape.heads + h) * shape.sequence,
                {d_q, d_k, d_v},
                scale_of<Real>(shape),
            };
            head_backward<S>(head, arena);
            detail::rounded(d_q, stored.q);
            detail::rounded(d_k, stored.k);
            detail::rounded(d_v, stored.v);
        }
    }
}

#define SHARDSTONE_INSTANTIATE(S)                                                                  \
    template std::int64_t AttentionShape::scratch_elements<S, Host>() const;                       \
    template std::int64_t AttentionShape::scratch_elements<S, Paced>() const;                      \
    template std::int64_t AttentionShape::scratch_elements<S, Cuda>() const;                       \
    template void attention_forward(HostQueue, const AttentionShape&, const S*, S*, compute_t<S>*, \
                                    compute_t<S>*);                                                \
    template void attention_backward(HostQueue, const AttentionShape&, const AttentionSaved<S>&,   \
                                     const S*, S*, compute_t<S>*);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
