// SPDX-License-Identifier: BSD-3-Clause
// One rank's queries against the keys and values of another, piece of positions by piece.
#include "reference/model/context/shared_attention.hpp"

#include <algorithm>
#include <limits>

#include "kernels/base/error.hpp"
#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "kernels/transformer/causal_products.hpp"
#include "kernels/transformer/narrow_rows.hpp"

namespace shardstone::reference {

namespace {

std::int64_t largest(const Positions& positions) {
    return std::ranges::max(positions, {}, &PositionRange::count).count;
}

/// First row of a range among the rows of its rank.
std::int64_t begin_of(const Positions& positions, std::size_t range) {
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < range; ++i) begin += positions[i].count;
    return begin;
}

/// The largest piece of own queries against the largest piece of any rank's keys, which is rank
/// 0's.
PartialAttentionShape largest_piece(const SharedSequence& shared) {
    const AttentionPart& part = shared.part();
    return {part.batch, part.heads, part.head_size, largest(shared.own()),
            largest(shared.positions(0))};
}

}  // namespace

SharedSequence::SharedSequence(const AttentionPart& part) : part_(part) {
    for (int rank = 0; rank < part.split.ranks; ++rank) {
        all_.push_back(part.split.positions_of(part.sequence, part.split.ranks, rank));
        SHARDSTONE_EXPECTS(count_of(all_.back()) ==
                           even_share(part.sequence, part.split.ranks, rank).count);
    }
}

int SharedSequence::owner_in_round(int round) const {
    return (rank() - round + ranks()) % ranks();
}

std::vector<KeptTensor> shared_attention_tables(const SharedSequence& shared,
                                                const AttentionKind::ElementBytes& bytes) {
    const AttentionPart& part = shared.part();
    const std::int64_t n = part.batch * shared.own_count(), d = part.head_size;
    const auto [batch, heads, size, q, k, causal] = largest_piece(shared);
    const bool narrow = bytes.stored < bytes.real;
    const std::int64_t scores =
        std::min<std::int64_t>(48, q) * (columns_of_64(k) + std::max(columns_of_64(k), d + 1));
    const std::int64_t factors = (2 * q + k) * columns_of_64(d) + 2 * d * columns_of_64(k);
    const std::int64_t widened = narrow ? 2 * (q + k) * d : 0;
    return {{"attention: output, or gradient of the queries", n, part.channels()},
            {"attention: products of output and its gradient", n, part.heads},
            {"attention: scores, factors and tensors of a head", widened + factors + scores, 1}};
}

template <class S, class Space>
SharedAttentionMemory<S, Space> SharedAttention<S, Space>::take_memory(
    const SharedSequence& shared, ActivationArena<Real, Space>& arena) {
    const std::int64_t n = shared.part().batch * shared.own_count();
    const std::int64_t kernel = largest_piece(shared).template scratch_elements<S>();
    return {arena.template take<Real>(n * shared.part().channels()),
            arena.template take<Real>(n * shared.part().heads), arena.template take<Real>(kernel)};
}

template <class S, class Space>
template <class T>
PieceRows<T> SharedAttention<S, Space>::queries(T* rows, std::int64_t columns,
                                                std::int64_t first) const {
    return {rows + first * columns, columns, shared_.own_count() * columns};
}

template <class S, class Space>
template <class T>
PieceRows<T> SharedAttention<S, Space>::keys(T* rows, std::int64_t first) const {
    return {rows + first * shared_.columns(), shared_.columns(),
            shared_.columns() / shared_.part().batch};
}

template <class S, class Space>
template <class T>
Matrix<T, Space> SharedAttention<S, Space>::of_sequence(T* rows, std::int64_t b) const {
    const std::int64_t columns = 2 * shared_.part().channels();
    return {rows + b * columns, shared_.own_count(), columns, shared_.columns()};
}

template <class S, class Space>
PartialAttentionShape SharedAttention<S, Space>::shape(int other, const VisiblePair& pair) const {
    const AttentionPart& part = shared_.part();
    return {part.batch,
            part.heads,
            part.head_size,
            shared_.own()[pair.queries].count,
            shared_.positions(other)[pair.keys].count,
            pair.causal};
}

template <class S, class Space>
void SharedAttention<S, Space>::pack(Matrix<S, Space> wide, S* keys_values) const {
    const std::int64_t n = shared_.own_count(), channels = shared_.part().channels();
    for (std::int64_t b = 0; b < shared_.part().batch; ++b) {
        const auto own = wide.rows_from(b * n, n).columns_from(channels, 2 * channels);
        copy_rows<S>(queue_, own, of_sequence(keys_values, b));
    }
}

template <class S, class Space>
void SharedAttention<S, Space>::begin_forward(const BranchActivations<S, Space>& to,
                                              const SharedAttentionMemory<S, Space>& memory) const {
    const std::int64_t n = to.activated.rows;
    clear_array(queue_, memory.rows, n * to.activated.columns);
    fill_array(queue_, to.log_sum_exp, n * shared_.part().heads,
               -std::numeric_limits<Real>::infinity());
}

template <class S, class Space>
void SharedAttention<S, Space>::attend(int other, const BranchActivations<S, Space>& to,
                                       const S* keys_values,
                                       const SharedAttentionMemory<S, Space>& memory) const {
    const std::int64_t channels = shared_.part().channels();
    const Positions& theirs = shared_.positions(other);
    const S* const wide = to.wide.data;
    for (const VisiblePair& pair : visible_pairs(shared_.own(), theirs)) {
        const std::int64_t q = begin_of(shared_.own(), pair.queries);
        const std::int64_t k = begin_of(theirs, pair.keys);
        partial_attention_forward<S>(queue_, shape(other, pair), queries(wide, 3 * channels, q),
                                     keys(keys_values, k), keys(keys_values + channels, k),
                                     queries(memory.rows, channels, q), numbers(to.log_sum_exp, q),
                                     memory.kernel);
    }
}

template <class S, class Space>
void SharedAttention<S, Space>::end_forward(const BranchActivations<S, Space>& to,
                                            const SharedAttentionMemory<S, Space>& memory) const {
    const Matrix<S, Space>& out = to.activated;
    narrow_rows<S>(queue_, matrix<Space>(memory.rows, out.rows, out.columns), out);
}

template <class S, class Space>
void SharedAttention<S, Space>::begin_backward(
    const BranchActivations<S, Space>& kept, Matrix<S, Space> d_activated,
    const SharedAttentionMemory<S, Space>& memory) const {
    const AttentionPart& part = shared_.part();
    const std::int64_t channels = part.channels(), n = shared_.own_count();
    const S* const out = kept.activated.data;
    const S* const d_out = d_activated.data;
    clear_array(queue_, memory.rows, part.batch * n * channels);
    for (std::size_t range = 0; range < shared_.own().size(); ++range) {
        const std::int64_t q = begin_of(shared_.own(), range);
        attention_output_dots<S>(queue_, shape(shared_.rank(), {range, range}),
                                 queries(out, channels, q), queries(d_out, channels, q),
                                 numbers(memory.dots, q), memory.kernel);
    }
}

template <class S, class Space>
void SharedAttention<S, Space>::attend_backward(
    int other, const BranchActivations<S, Space>& kept, Matrix<S, Space> d_activated,
    const S* keys_values, Real* d_keys_values,
    const SharedAttentionMemory<S, Space>& memory) const {
    const std::int64_t channels = shared_.part().channels();
    const Positions& theirs = shared_.positions(other);
    const S* const wide = kept.wide.data;
    const S* const d_out = d_activated.data;
    const Real* const log_sum_exp = kept.log_sum_exp;
    const Real* const dots = memory.dots;
    for (const VisiblePair& pair : visible_pairs(shared_.own(), theirs)) {
        const std::int64_t q = begin_of(shared_.own(), pair.queries);
        const std::int64_t k = begin_of(theirs, pair.keys);
        partial_attention_backward<S>(
            queue_, shape(other, pair),
            PartialAttentionGradients<S>{queries(wide, 3 * channels, q), keys(keys_values, k),
                                         keys(keys_values + channels, k),
                                         queries(d_out, channels, q), numbers(log_sum_exp, q),
                                         numbers(dots, q), queries(memory.rows, channels, q),
                                         keys(d_keys_values, k), keys(d_keys_values + channels, k)},
            memory.kernel);
    }
}

template <class S, class Space>
void SharedAttention<S, Space>::end_backward(const Real* d_keys_values, Matrix<S, Space> d_wide,
                                             const SharedAttentionMemory<S, Space>& memory) const {
    const std::int64_t n = shared_.own_count(), channels = shared_.part().channels();
    for (std::int64_t b = 0; b < shared_.part().batch; ++b) {
        const Matrix<S, Space> own = d_wide.rows_from(b * n, n);
        narrow_rows<S>(queue_, matrix<Space>(memory.rows + b * n * channels, n, channels),
                       own.columns_from(0, channels));
        narrow_rows<S>(queue_, of_sequence(d_keys_values, b),
                       own.columns_from(channels, 2 * channels));
    }
}

template class SharedAttention<float>;
template class SharedAttention<double>;
template class SharedAttention<bf16>;
template class SharedAttention<fp16>;
template class SharedAttention<float, Paced>;
template class SharedAttention<double, Paced>;
template class SharedAttention<bf16, Paced>;
template class SharedAttention<fp16, Paced>;
#ifdef SHARDSTONE_HAS_CUDA
template class SharedAttention<float, Cuda>;
template class SharedAttention<bf16, Cuda>;
template class SharedAttention<fp16, Cuda>;
#endif

}  // namespace shardstone::reference
