// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/attention.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/base/convert.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/transformer/narrow_rows.hpp"
#include "kernels/transformer/softmax.hpp"

namespace shardstone {

namespace {

/// Queries per block: enough for the matrix product to run at speed, few enough that little of the
/// masked half is computed and that a block of scores stays in the L2 cache.
constexpr std::int64_t queries_per_block = 64;

/// One block of queries of one head of one sequence: queries [begin, end) see keys [0, end).
struct Block {
    std::int64_t begin, end;
    std::int64_t queries() const { return end - begin; }
    std::int64_t visible(std::int64_t row) const { return begin + row + 1; }
};

std::int64_t block_count(std::int64_t sequence) {
    return (sequence + queries_per_block - 1) / queries_per_block;
}

Block block_at(std::int64_t index, std::int64_t sequence) {
    const std::int64_t begin = index * queries_per_block;
    return {begin, std::min(begin + queries_per_block, sequence)};
}

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
Matrix<Real> rows(Matrix<Real> m, std::int64_t begin, std::int64_t end) {
    return {m.row(begin), end - begin, m.columns, m.leading};
}

template <class Real>
Real scale_of(const AttentionShape& shape) {
    return Real(1) / std::sqrt(static_cast<Real>(shape.head_size));
}

/// Scratch memory, given out piece by piece.
template <class Real>
class Room {
  public:
    explicit Room(Real* begin) : next_(begin) {}
    Real* rest() const { return next_; }
    Matrix<Real> take(std::int64_t rows, std::int64_t columns) {
        const auto taken = matrix(next_, rows, columns);
        next_ += rows * columns;
        return taken;
    }

  private:
    Real* next_;
};

/// A head's tensor as the arithmetic sees it: itself, or widened into the room.
template <class S>
Matrix<const compute_t<S>> as_real(Matrix<const S> from, Room<compute_t<S>>& room) {
    if constexpr (is_narrow<S>) {
        const auto to = room.take(from.rows, from.columns);
        widen_rows(from, to);
        return to;
    } else {
        return from;
    }
}

/// Where the arithmetic writes a head's tensor: there itself, or in the room until it is rounded().
template <class S>
Matrix<compute_t<S>> to_write(Matrix<S> to, Room<compute_t<S>>& room) {
    if constexpr (is_narrow<S>) {
        return room.take(to.rows, to.columns);
    } else {
        return to;
    }
}
template <class S>
void rounded(Matrix<compute_t<S>> written, Matrix<S> to) {
    if constexpr (is_narrow<S>) narrow_rows<S>(written, to);
}

template <class S>
Head<const compute_t<S>> as_real(const Head<const S>& head, Room<compute_t<S>>& room) {
    const auto q = as_real<S>(head.q, room);
    const auto k = as_real<S>(head.k, room);
    return {q, k, as_real<S>(head.v, room)};
}

template <class S, class Real>
void head_forward(const Head<const Real>& head, Matrix<Real> out, Real* log_sum_exp, Real scale,
                  Real* scratch) {
    for (std::int64_t i = 0; i < block_count(head.q.rows); ++i) {
        const Block block = block_at(i, head.q.rows);
        const auto p = matrix(scratch, block.queries(), block.end);
        gemm<Real>(scale, rows(head.q, block.begin, block.end),
                   transpose(rows(head.k, 0, block.end)), 0, p);
        for (std::int64_t r = 0; r < p.rows; ++r) {
            const std::int64_t visible = block.visible(r);
            log_sum_exp[block.begin + r] = detail::softmax_row(p.row(r), visible);
            round_to<S>(p.row(r), visible);
            std::fill(p.row(r) + visible, p.row(r) + p.columns, Real(0));
        }
        gemm<Real>(1, p, rows(head.v, 0, block.end), 0, rows(out, block.begin, block.end));
    }
}

template <class Real>
SHARDSTONE_ROW_FUNCTION Real dot(const Real* a, const Real* b, std::int64_t n) {
    return sum_of<Real>(n, [=](std::int64_t c) { return a[c] * b[c]; });
}

/// d_p becomes d_S of one row; p holds the probabilities, zero beyond `visible`.
template <class Real>
void softmax_backward_row(const Real* p, Real* d_p, std::int64_t visible, Real mean) {
#pragma omp simd
    for (std::int64_t c = 0; c < visible; ++c) d_p[c] = p[c] * (d_p[c] - mean);
}

template <class Real>
struct HeadBackward {
    Head<const Real> in;
    Matrix<const Real> out, d_out;
    const Real* log_sum_exp;
    Head<Real> gradient;
    Real scale;
};

/// Fills p and d_s (both queries x keys) of one block.
template <class S, class Real>
void scores_backward(const HeadBackward<Real>& head, const Block& block, Matrix<Real> p,
                     Matrix<Real> d_s) {
    const auto d_out = rows(head.d_out, block.begin, block.end);
    const auto out = rows(head.out, block.begin, block.end);
    gemm<Real>(head.scale, rows(head.in.q, block.begin, block.end),
               transpose(rows(head.in.k, 0, block.end)), 0, p);
    gemm<Real>(1, d_out, transpose(rows(head.in.v, 0, block.end)), 0, d_s);
    for (std::int64_t r = 0; r < p.rows; ++r) {
        const std::int64_t visible = block.visible(r);
        detail::softmax_row(p.row(r), visible, head.log_sum_exp[block.begin + r]);
        softmax_backward_row(p.row(r), d_s.row(r), visible,
                             dot(d_out.row(r), out.row(r), out.columns));
        round_to<S>(p.row(r), visible);
        round_to<S>(d_s.row(r), visible);
        std::fill(p.row(r) + visible, p.row(r) + p.columns, Real(0));
        std::fill(d_s.row(r) + visible, d_s.row(r) + p.columns, Real(0));
    }
}

template <class S, class Real>
void head_backward(const HeadBackward<Real>& head, Real* scratch) {
    const std::int64_t sequence = head.out.rows;
    // Last block first: it sees every key and so overwrites d_K and d_V; the others add.
    for (std::int64_t i = block_count(sequence) - 1; i >= 0; --i) {
        const Block block = block_at(i, sequence);
        const Real beta = block.end == sequence ? Real(0) : Real(1);
        const auto p = matrix(scratch, block.queries(), block.end);
        const auto d_s = matrix(scratch + p.rows * p.columns, block.queries(), block.end);
        scores_backward<S>(head, block, p, d_s);
        const auto q = rows(head.in.q, block.begin, block.end);
        gemm<Real>(head.scale, d_s, rows(head.in.k, 0, block.end), 0,
                   rows(head.gradient.q, block.begin, block.end));
        gemm<Real>(head.scale, transpose(d_s), q, beta, rows(head.gradient.k, 0, block.end));
        gemm<Real>(1, transpose(p), rows(head.d_out, block.begin, block.end), beta,
                   rows(head.gradient.v, 0, block.end));
    }
}

}  // namespace

template <class S>
std::int64_t AttentionShape::scratch_elements() const {
    // Backward: q, k, v, o, d_o, d_q, d_k and d_v of one head.
    const std::int64_t widened = is_narrow<S> ? 8 * sequence * head_size : 0;
    return widened + 2 * std::min(queries_per_block, sequence) * sequence;
}

template <class S>
void attention_forward(const AttentionShape& shape, const S* qkv, S* out, compute_t<S>* log_sum_exp,
                       compute_t<S>* scratch) {
    using Real = compute_t<S>;
    for (std::int64_t b = 0; b < shape.batch; ++b) {
        for (std::int64_t h = 0; h < shape.heads; ++h) {
            Room<Real> room(scratch);
            const auto head = as_real<S>(head_of(shape, qkv, b, h), room);
            const auto stored = head_of_output(shape, out, b, h);
            const auto written = to_write(stored, room);
            head_forward<S>(head, written, log_sum_exp + (b * shape.heads + h) * shape.sequence,
                            scale_of<Real>(shape), room.rest());
            rounded(written, stored);
        }
    }
}

template <class S>
void attention_backward(const AttentionShape& shape, const AttentionSaved<S>& saved, const S* d_out,
                        S* d_qkv, compute_t<S>* scratch) {
    using Real = compute_t<S>;
    for (std::int64_t b = 0; b < shape.batch; ++b) {
        for (std::int64_t h = 0; h < shape.heads; ++h) {
            Room<Real> room(scratch);
            const auto in = as_real<S>(head_of(shape, saved.qkv, b, h), room);
            const auto stored = head_of(shape, d_qkv, b, h);
            const auto d_q = to_write(stored.q, room);
            const auto d_k = to_write(stored.k, room);
            const auto d_v = to_write(stored.v, room);
            const HeadBackward<Real> head{
                in,
                as_real<S>(head_of_output(shape, saved.out, b, h), room),
                as_real<S>(head_of_output(shape, d_out, b, h), room),
                saved.log_sum_exp + (b * shape.heads + h) * shape.sequence,
                {d_q, d_k, d_v},
                scale_of<Real>(shape),
            };
            head_backward<S>(head, room.rest());
            rounded(d_q, stored.q);
            rounded(d_k, stored.k);
            rounded(d_v, stored.v);
        }
    }
}

#define SHARDSTONE_INSTANTIATE(S)                                                               \
    template std::int64_t AttentionShape::scratch_elements<S>() const;                          \
    template void attention_forward(const AttentionShape&, const S*, S*, compute_t<S>*,         \
                                    compute_t<S>*);                                             \
    template void attention_backward(const AttentionShape&, const AttentionSaved<S>&, const S*, \
                                     S*, compute_t<S>*);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
SHARDSTONE_INSTANTIATE(bf16)
SHARDSTONE_INSTANTIATE(fp16)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
