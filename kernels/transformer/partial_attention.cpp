// SPDX-License-Identifier: BSD-3-Clause
// Attention over some of the keys at a time, merged by log-sum-exp, forward beside backward.
#include "kernels/transformer/partial_attention.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "kernels/base/convert.hpp"
#include "kernels/transformer/attention_head.hpp"

namespace shardstone {

namespace {

template <class Real>
Real scale_of(const PartialAttentionShape& shape) {
    return Real(1) / std::sqrt(static_cast<Real>(shape.head_size));
}

causal::Block block_of(const PartialAttentionShape& shape, std::int64_t index) {
    return shape.causal ? causal::block_at(index, shape.queries)
                        : causal::block_before(index, shape.queries, shape.keys);
}

/// f(sequence, head, fresh scratch) for all heads of all sequences.
template <class Real, class F>
void for_each_head(const PartialAttentionShape& shape, Real* scratch, const F& f) {
    for (std::int64_t b = 0; b < shape.batch; ++b) {
        for (std::int64_t h = 0; h < shape.heads; ++h) f(b, h, causal::Arena<Real>(scratch));
    }
}

/// The second part's rows into the first's.
template <class Real>
void merge_row(const Real* part, Real part_log_sum, std::int64_t n, Real* out, Real& log_sum) {
    const Real highest = std::max(log_sum, part_log_sum);
    const Real total =
        highest + std::log(std::exp(log_sum - highest) + std::exp(part_log_sum - highest));
    const Real keep = std::exp(log_sum - total), take = std::exp(part_log_sum - total);
#pragma omp simd
    for (std::int64_t c = 0; c < n; ++c) out[c] = keep * out[c] + take * part[c];
    log_sum = total;
}

template <class Real>
struct HeadRows {
    Matrix<const Real> q, k, v;
};

template <class S, class Real>
void head_forward(const PartialAttentionShape& shape, const HeadRows<Real>& head, Matrix<Real> out,
                  Real* log_sum_exp, causal::Arena<Real> arena) {
    const auto keys = packed_transposed(head.k, arena);
    const auto values = packed(head.v, arena);
    for (std::int64_t i = 0; i < causal::block_count(shape.queries); ++i) {
        const causal::Block block = block_of(shape, i);
        causal::Arena<Real> scores = arena;
        const auto p = take_scores(block, scores);
        const auto part = scores.take(block.queries(), shape.head_size);
        const auto part_log_sum = scores.take(1, block.queries());
        visible_products(scale_of<Real>(shape), block, causal::rows(head.q, block.begin, block.end),
                         keys, p);
        for (std::int64_t r = 0; r < p.rows; ++r) {
            const std::int64_t visible = block.visible(r);
            part_log_sum.data[r] = detail::masked_softmax_row(p.row(r), visible, p.columns);
            round_to<S>(p.row(r), visible);
        }
        weighted_sum(Real(1), block, p, values, false, part);
        for (std::int64_t r = 0; r < p.rows; ++r) {
            merge_row(part.row(r), part_log_sum.data[r], part.columns, out.row(block.begin + r),
                      log_sum_exp[block.begin + r]);
        }
    }
}

template <class Real>
struct HeadGradients {
    HeadRows<Real> in;
    Matrix<const Real> d_out;
    const Real *log_sum_exp, *dots;
    Matrix<Real> d_q, d_k, d_v;
};

/// Fills p and d_s (both queries x keys) of one block.
template <class S, class Real>
void scores_backward(const HeadGradients<Real>& head, Real scale, const causal::Block& block,
                     const Panels<const Real>& keys, const Panels<const Real>& values,
                     const Matrix<Real>& p, const Matrix<Real>& d_s) {
    visible_products(scale, block, causal::rows(head.in.q, block.begin, block.end), keys, p);
    visible_products(Real(1), block, causal::rows(head.d_out, block.begin, block.end), values, d_s);
    for (std::int64_t r = 0; r < p.rows; ++r) {
        const std::int64_t visible = block.visible(r);
        detail::softmax_row(p.row(r), visible, head.log_sum_exp[block.begin + r]);
        detail::softmax_backward_row(p.row(r), d_s.row(r), visible, head.dots[block.begin + r]);
        round_to<S>(p.row(r), visible);
        round_to<S>(d_s.row(r), visible);
        std::fill(p.row(r) + visible, p.row(r) + p.columns, Real(0));
        std::fill(d_s.row(r) + visible, d_s.row(r) + p.columns, Real(0));
    }
}

template <class S, class Real>
void head_backward(const PartialAttentionShape& shape, const HeadGradients<Real>& head,
                   causal::Arena<Real> arena) {
    const Real scale = scale_of<Real>(shape);
    const auto q = packed(head.in.q, arena);
    const auto d_out = packed(head.d_out, arena);
    const auto k = packed(head.in.k, arena);
    const auto k_transposed = packed_transposed(head.in.k, arena);
    const auto v_transposed = packed_transposed(head.in.v, arena);
    for (std::int64_t i = 0; i < causal::block_count(shape.queries); ++i) {
        const causal::Block block = block_of(shape, i);
        causal::Arena<Real> scores = arena;
        const auto p = take_scores(block, scores);
        const auto d_s = take_scores(block, scores);
        scores_backward<S>(head, scale, block, k_transposed, v_transposed, p, d_s);
        weighted_sum(scale, block, d_s, k, true, causal::rows(head.d_q, block.begin, block.end));
        add_transposed(scale, block, d_s, q, true, head.d_k);
        add_transposed(Real(1), block, p, d_out, true, head.d_v);
    }
}

}  // namespace

template <class S>
std::int64_t PartialAttentionShape::scratch_elements() const {
    // Backward: q, d_o, k and v of one head where they are narrow; q, d_o, k and k, v transposed as
    // second factors; P and d_S of a block. Forward: P, its product with V and its log-sum-exps.
    const std::int64_t rows = queries + keys;
    const std::int64_t widened = is_narrow<S> ? 2 * rows * head_size : 0;
    const std::int64_t as_they_are = (2 * queries + keys) * causal::padded_columns(head_size);
    const std::int64_t transposed = 2 * head_size * causal::padded_columns(keys);
    const std::int64_t block = std::min(causal::queries_per_block, queries);
    const std::int64_t scores = block * (causal::padded_columns(keys) +
                                         std::max(causal::padded_columns(keys), head_size + 1));
    return widened + as_they_are + transposed + scores;
}

template <class S>
void partial_attention_forward(HostQueue, const PartialAttentionShape& shape, PieceRows<const S> q,
                               PieceRows<const S> k, PieceRows<const S> v,
                               PieceRows<compute_t<S>> out, PieceNumbers<compute_t<S>> log_sum_exp,
                               compute_t<S>* scratch) {
    const auto [size, queries, keys] = std::tuple(shape.head_size, shape.queries, shape.keys);
    for_each_head(shape, scratch, [&](std::int64_t b, std::int64_t h, auto arena) {
        const auto own_q = detail::as_real<S>(q.head(b, h, queries, size), arena);
        const auto own_k = detail::as_real<S>(k.head(b, h, keys, size), arena);
        const auto own_v = detail::as_real<S>(v.head(b, h, keys, size), arena);
        head_forward<S>(shape, HeadRows<compute_t<S>>{own_q, own_k, own_v},
                        out.head(b, h, queries, size), log_sum_exp.head(b, h, shape.heads), arena);
    });
}

template <class S>
void attention_output_dots(HostQueue, const PartialAttentionShape& shape, PieceRows<const S> out,
                           PieceRows<const S> d_out, PieceNumbers<compute_t<S>> dots,
                           compute_t<S>* scratch) {
    for_each_head(shape, scratch, [&](std::int64_t b, std::int64_t h, auto arena) {
        const auto o = detail::as_real<S>(out.head(b, h, shape.queries, shape.head_size), arena);
        const auto d = detail::as_real<S>(d_out.head(b, h, shape.queries, shape.head_size), arena);
        compute_t<S>* const to = dots.head(b, h, shape.heads);
        for (std::int64_t t = 0; t < shape.queries; ++t) {
            to[t] = detail::dot(d.row(t), o.row(t), o.columns);
        }
    });
}

template <class S>
void partial_attention_backward(HostQueue, const PartialAttentionShape& shape,
                                const PartialAttentionGradients<S>& tensors,
                                compute_t<S>* scratch) {
    const auto [size, queries, keys] = std::tuple(shape.head_size, shape.queries, shape.keys);
    const auto& [q, k, v, d_out, log_sum_exp, dots, d_q, d_k, d_v] = tensors;
    for_each_head(shape, scratch, [&](std::int64_t b, std::int64_t h, auto arena) {
        const auto own_q = detail::as_real<S>(q.head(b, h, queries, size), arena);
        const auto own_k = detail::as_real<S>(k.head(b, h, keys, size), arena);
        const auto own_v = detail::as_real<S>(v.head(b, h, keys, size), arena);
        const HeadGradients<compute_t<S>> head{
            {own_q, own_k, own_v},
            detail::as_real<S>(d_out.head(b, h, queries, size), arena),
            log_sum_exp.head(b, h, shape.heads),
            dots.head(b, h, shape.heads),
            d_q.head(b, h, queries, size),
            d_k.head(b, h, keys, size),
            d_v.head(b, h, keys, size)};
        head_backward<S>(shape, head, arena);
    });
}

#define SHARDSTONE_INSTANTIATE(S)                                                                \
    template std::int64_t PartialAttentionShape::scratch_elements<S>() const;                    \
    template void partial_attention_forward(                                                     \
        HostQueue, const PartialAttentionShape&, PieceRows<const S>, PieceRows<const S>,         \
        PieceRows<const S>, PieceRows<compute_t<S>>, PieceNumbers<compute_t<S>>, compute_t<S>*); \
    template void attention_output_dots(HostQueue, const PartialAttentionShape&,                 \
                                        PieceRows<const S>, PieceRows<const S>,                  \
                                        PieceNumbers<compute_t<S>>, compute_t<S>*);              \
    template void partial_attention_backward(HostQueue, const PartialAttentionShape&,            \
                                             const PartialAttentionGradients<S>&, compute_t<S>*);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
