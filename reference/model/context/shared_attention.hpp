// SPDX-License-Identifier: BSD-3-Clause
// Common part of context-parallel attention: the keys and values of one rank at a time.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/transformer/partial_attention.hpp"
#include "reference/model/activation_arena.hpp"
#include "reference/model/attention.hpp"
#include "reference/model/context/sequence_orders.hpp"

namespace shardstone::reference {

/// The ranks that share the sequences, from the view of one of them: the positions of each. Rank r
/// has even_share(T, ranks, r) of them, so that rank 0 has the most.
///
/// Keys and values are sent as rows (positions, B, 2HD) of S, with the positions of one rank
/// contiguous; their gradients, which are sums over ranks, likewise in Real.
class SharedSequence {
  public:
    explicit SharedSequence(const AttentionPart& part);

    const AttentionPart& part() const { return part_; }
    int ranks() const { return part_.split.ranks; }
    int rank() const { return part_.split.rank; }
    /// Positions of any rank.
    const Positions& positions(int rank) const { return all_[static_cast<std::size_t>(rank)]; }
    const Positions& own() const { return positions(rank()); }
    std::int64_t own_count() const { return count_of(own()); }
    /// In round i of a ring, from 0, a rank has the keys and values of the rank i before it.
    int owner_in_round(int round) const;
    /// Number of positions of the rank with the most.
    std::int64_t most() const { return count_of(positions(0)); }
    /// Elements of a position's keys and values in all sequences.
    std::int64_t columns() const { return 2 * part_.batch * part_.channels(); }
    double visible(int other) const { return visible_count(own(), positions(other)); }

  private:
    AttentionPart part_;
    std::vector<Positions> all_;
};

/// Memory of a rank besides the keys and values of others, once for all blocks.
template <class S, class Space = Host>
struct SharedAttentionMemory {
    using Real = compute_t<S>;
    Real* rows = nullptr;  ///< (B, own positions, HD): output so far, or gradient of queries so far
    Real* dots = nullptr;  ///< (B, H, own positions): attention_output_dots()
    Real* kernel = nullptr;
};

/// SharedAttentionMemory in closed form.
std::vector<KeptTensor> shared_attention_tables(const SharedSequence& shared,
                                                const AttentionKind::ElementBytes& bytes);

/// Attention against the keys and values of one rank after another, in any order.
template <class S, class Space = Host>
class SharedAttention : public Attention<S, Space> {
  public:
    using Real = compute_t<S>;

    SharedAttention(typename Space::Queue queue, const AttentionPart& part)
        : queue_(queue), shared_(part) {}

  protected:
    typename Space::Queue queue() const { return queue_; }
    const SharedSequence& shared() const { return shared_; }

    /// Laid out as in shared_attention_tables().
    static SharedAttentionMemory<S, Space> take_memory(const SharedSequence& shared,
                                                       ActivationArena<Real, Space>& arena);

    /// Extracts the own keys and values, (own, B, 2HD), from queries, keys and values (N, 3HD).
    void pack(Matrix<S, Space> wide, S* keys_values) const;

    void begin_forward(const BranchActivations<S, Space>& to,
                       const SharedAttentionMemory<S, Space>& memory) const;
    /// Attends to the keys and values of rank `other`.
    void attend(int other, const BranchActivations<S, Space>& to, const S* keys_values,
                const SharedAttentionMemory<S, Space>& memory) const;
    void end_forward(const BranchActivations<S, Space>& to,
                     const SharedAttentionMemory<S, Space>& memory) const;

    void begin_backward(const BranchActivations<S, Space>& kept, Matrix<S, Space> d_activated,
                        const SharedAttentionMemory<S, Space>& memory) const;
    /// Adds to the gradients of rank `other`'s keys and values.
    void attend_backward(int other, const BranchActivations<S, Space>& kept,
                         Matrix<S, Space> d_activated, const S* keys_values, Real* d_keys_values,
                         const SharedAttentionMemory<S, Space>& memory) const;
    /// Rounds the gradients of the queries and of the own keys and values to d_wide.
    void end_backward(const Real* d_keys_values, Matrix<S, Space> d_wide,
                      const SharedAttentionMemory<S, Space>& memory) const;

  private:
    template <class T>
    PieceRows<T> queries(T* rows, std::int64_t columns, std::int64_t first) const;
    template <class T>
    PieceRows<T> keys(T* rows, std::int64_t first) const;
    /// The own keys and values of a sequence, (own, 2HD), within rows of them.
    template <class T>
    Matrix<T, Space> of_sequence(T* rows, std::int64_t b) const;
    template <class T>
    PieceNumbers<T> numbers(T* all, std::int64_t first) const {
        return {all + first, shared_.own_count()};
    }
    PartialAttentionShape shape(int other, const VisiblePair& pair) const;

    typename Space::Queue queue_;
    SharedSequence shared_;
};

extern template class SharedAttention<float>;
extern template class SharedAttention<double>;
extern template class SharedAttention<bf16>;
extern template class SharedAttention<fp16>;

}  // namespace shardstone::reference
