// SPDX-License-Identifier: BSD-3-Clause
// Context-parallel attention over keys and values that have been gathered from all ranks.
#include "kernels/tensor/arrays.hpp"
#include "reference/model/context/context_attention.hpp"
#include "reference/model/context/shared_attention.hpp"

namespace shardstone::reference {

namespace {

using CollectiveKind = PhaseTransfer::CollectiveKind;
using Of = PhaseTransfer::Of;

/// The kinds of steps, counted from the pass's first.
enum Step : int { gather = 0, attend_all = 1, take_home = 2 };

AttentionSteps gathered_attention_steps(const AttentionPart& part) {
    const SharedSequence shared(part);
    const auto transfer = [&](CollectiveKind operation, Of of) {
        return PhaseTransfer{operation, part.sequence, shared.columns(), of, "context"};
    };
    double pairs = 0.0;
    for (int other = 0; other < shared.ranks(); ++other) pairs += shared.visible(other);
    const AttentionStep gathering{0.0, 0, transfer(CollectiveKind::all_gather, Of::stored)};
    return {{gathering, {pairs, 1}},
            {gathering, {pairs, 1, transfer(CollectiveKind::reduce_scatter, Of::real)}, {0.0, 2}}};
}

std::vector<KeptTensor> gathered_attention_workspace(const AttentionPart& part,
                                                     const AttentionKind::ElementBytes& bytes) {
    const SharedSequence shared(part);
    std::vector<KeptTensor> tables = shared_attention_tables(shared, bytes);
    tables.push_back({"attention: keys and values of all ranks", part.sequence, shared.columns(),
                      Kept::always, bytes.stored});
    tables.push_back({"attention: their gradients", part.sequence, shared.columns()});
    return tables;
}

/// Keys and values are stored in the order of the ranks.
template <class S, class Space>
class GatheredAttention : public SharedAttention<S, Space> {
    using Real = compute_t<S>;

  public:
    using SharedAttention<S, Space>::SharedAttention;

    std::int64_t scratch_elements() const override { return lay_out(nullptr).elements; }

    Computed forward(int step, const BranchActivations<S, Space>& to,
                     Real* scratch) const override {
        const Layout at = lay_out(scratch);
        if (step == Step::gather) return gather(to.wide, at);
        this->begin_forward(to, at.memory);
        for (int other = 0; other < this->shared().ranks(); ++other) {
            this->attend(other, to, at.keys_values + begin(other), at.memory);
        }
        this->end_forward(to, at.memory);
        return {};
    }

    Computed backward(int step, const BranchActivations<S, Space>& kept,
                      Matrix<S, Space> d_activated, Matrix<S, Space> d_wide,
                      Real* scratch) const override {
        const Layout at = lay_out(scratch);
        if (step == Step::gather) return gather(kept.wide, at);
        if (step == Step::take_home) {
            this->end_backward(at.gradients + begin(this->shared().rank()), d_wide, at.memory);
            return {};
        }
        this->begin_backward(kept, d_activated, at.memory);
        const Matrix<Real, Space> gradients = all(at.gradients);
        clear_array(this->queue(), gradients.data, gradients.rows * gradients.columns);
        for (int other = 0; other < this->shared().ranks(); ++other) {
            this->attend_backward(other, kept, d_activated, at.keys_values + begin(other),
                                  at.gradients + begin(other), at.memory);
        }
        return {Rows(gradients)};
    }

  private:
    struct Layout {
        SharedAttentionMemory<S, Space> memory;
        S* keys_values;
        Real* gradients;
        std::int64_t elements;
    };
    Layout lay_out(Real* scratch) const {
        ActivationArena<Real, Space> arena(scratch);
        Layout at;
        at.memory = this->take_memory(this->shared(), arena);
        const std::int64_t count = this->shared().part().sequence * this->shared().columns();
        at.keys_values = arena.template take<S>(count);
        at.gradients = arena.template take<Real>(count);
        at.elements = arena.used();
        return at;
    }
    template <class T>
    Matrix<T, Space> all(T* rows) const {
        return matrix<Space>(rows, this->shared().part().sequence, this->shared().columns());
    }
    /// Location of the first of a rank's keys and values.
    std::int64_t begin(int rank) const {
        std::int64_t positions = 0;
        for (int r = 0; r < rank; ++r) positions += count_of(this->shared().positions(r));
        return positions * this->shared().columns();
    }
    Computed gather(Matrix<S, Space> wide, const Layout& at) const {
        this->pack(wide, at.keys_values + begin(this->shared().rank()));
        return {Rows(all(at.keys_values))};
    }
};

}  // namespace

const AttentionKind& gathered_attention() {
    static const AttentionKind kind =
        attention_kind<GatheredAttention>(gathered_attention_steps, gathered_attention_workspace);
    return kind;
}

}  // namespace shardstone::reference
