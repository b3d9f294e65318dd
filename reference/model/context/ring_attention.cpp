// SPDX-License-Identifier: BSD-3-Clause
// Ring attention: keys and values circulate while the present ones are attended to.
#include <algorithm>
#include <array>

#include "kernels/tensor/arrays.hpp"
#include "reference/model/context/context_attention.hpp"
#include "reference/model/context/shared_attention.hpp"

namespace shardstone::reference {

namespace {

using CollectiveKind = PhaseTransfer::CollectiveKind;
using Of = PhaseTransfer::Of;

/// A step of a pass. In round i, from 0, a rank has the keys and values of the rank i before it.
struct RingStep {
    enum class Kind : std::uint8_t {
        pass_on,         ///< keys and values to the next rank
        attend,          ///< to them
        pass_gradients,  ///< of others' keys and values to the next rank, the own part added
        take_home,       ///< of the own keys and values: what comes back and the own part
    };

    Kind kind = Kind::attend;
    int round = 0;
    int needs = 0;  ///< as AttentionStep::needs
};

/// The next round's keys and values are in flight while this one's are attended to.
std::vector<RingStep> forward_steps(int ranks) {
    using Kind = RingStep::Kind;
    std::vector<RingStep> steps;
    for (int round = 0; round < ranks; ++round) {
        if (round + 1 < ranks) steps.push_back({Kind::pass_on, round, round});
        steps.push_back({Kind::attend, round, round});
    }
    return steps;
}

/// A rank's own contribution to its keys' gradients stays there; the others start their way home in
/// round 1. The gradients from the preceding rank are waited for only when there is something to
/// add to them. Transfers, in order: keys and values of round 0; then for each round keys and
/// values, except in the last one, and gradients.
std::vector<RingStep> backward_steps(int ranks) {
    using Kind = RingStep::Kind;
    std::vector<RingStep> steps;
    for (int round = 0; round < ranks; ++round) {
        const int with_keys = round == 1 ? 1 : std::max(0, 2 * round - 2);
        if (round + 1 < ranks) steps.push_back({Kind::pass_on, round, with_keys});
        steps.push_back({Kind::attend, round, with_keys});
        if (round > 0) steps.push_back({Kind::pass_gradients, round, 2 * round - 1});
    }
    steps.push_back({Kind::take_home, ranks, 2 * ranks - 2});
    return steps;
}

std::vector<AttentionStep> as_data(const SharedSequence& shared,
                                   const std::vector<RingStep>& steps) {
    std::vector<AttentionStep> all;
    for (const RingStep& step : steps) {
        AttentionStep& one = all.emplace_back();
        one.needs = step.needs;
        const bool passes_keys = step.kind == RingStep::Kind::pass_on;
        if (step.kind == RingStep::Kind::attend) {
            one.pairs = shared.visible(shared.owner_in_round(step.round));
        } else if (passes_keys || step.kind == RingStep::Kind::pass_gradients) {
            one.transfer = {CollectiveKind::shift, shared.most(), shared.columns(),
                            passes_keys ? Of::stored : Of::real, "context"};
        }
    }
    return all;
}

AttentionSteps ring_attention_steps(const AttentionPart& part) {
    const SharedSequence shared(part);
    return {as_data(shared, forward_steps(shared.ranks())),
            as_data(shared, backward_steps(shared.ranks()))};
}

std::vector<KeptTensor> ring_attention_workspace(const AttentionPart& part,
                                                 const AttentionKind::ElementBytes& bytes) {
    const SharedSequence shared(part);
    std::vector<KeptTensor> tables = shared_attention_tables(shared, bytes);
    const std::int64_t rows = shared.most(), columns = shared.columns(), stored = bytes.stored;
    tables.push_back({"attention: keys and values at hand", rows, columns, Kept::always, stored});
    tables.push_back({"attention: keys and values to come", rows, columns, Kept::always, stored});
    tables.push_back({"attention: gradients of others' keys at hand", rows, columns});
    tables.push_back({"attention: gradients of keys to come", rows, columns});
    tables.push_back({"attention: gradients of a round", rows, columns});
    tables.push_back({"attention: own gradients of own keys", rows, columns});
    return tables;
}

template <class S, class Space>
class RingAttention : public SharedAttention<S, Space> {
    using Real = compute_t<S>;
    using Kind = RingStep::Kind;

  public:
    RingAttention(typename Space::Queue queue, const AttentionPart& part)
        : SharedAttention<S, Space>(queue, part),
          forward_(forward_steps(part.split.ranks)),
          backward_(backward_steps(part.split.ranks)) {}

    std::int64_t scratch_elements() const override { return lay_out(nullptr).elements; }

    Computed forward(int number, const BranchActivations<S, Space>& to,
                     Real* scratch) const override {
        const Layout at = lay_out(scratch);
        const RingStep& step = forward_[static_cast<std::size_t>(number)];
        if (step.kind == Kind::pass_on) return pass_on(step.round, to.wide, at);
        if (step.round == 0) this->begin_forward(to, at.memory);
        this->attend(this->shared().owner_in_round(step.round), to,
                     of_round(at.keys_values, step.round), at.memory);
        if (step.round + 1 == this->shared().ranks()) this->end_forward(to, at.memory);
        return {};
    }

    Computed backward(int number, const BranchActivations<S, Space>& kept,
                      Matrix<S, Space> d_activated, Matrix<S, Space> d_wide,
                      Real* scratch) const override {
        const Layout at = lay_out(scratch);
        const RingStep& step = backward_[static_cast<std::size_t>(number)];
        switch (step.kind) {
            case Kind::pass_on:
                return pass_on(step.round, kept.wide, at);
            case Kind::attend:
                round_backward(step.round, kept, d_activated, at);
                return {};
            case Kind::pass_gradients:
                return pass_gradients(step.round, at);
            case Kind::take_home:
                take_home(step.round, d_wide, at);
        }
        return {};
    }

  private:
    /// One of the two buffers of a kind holds the present data, while the other receives.
    struct Layout {
        SharedAttentionMemory<S, Space> memory;
        std::array<S*, 2> keys_values;
        std::array<Real*, 2> gradients;
        Real* gradients_of_round;
        Real* own_gradients;
        std::int64_t elements;
    };
    Layout lay_out(Real* scratch) const {
        ActivationArena<Real, Space> arena(scratch);
        Layout at;
        at.memory = this->take_memory(this->shared(), arena);
        for (S*& rows : at.keys_values) rows = arena.template take<S>(count());
        for (Real*& rows : at.gradients) rows = arena.template take<Real>(count());
        at.gradients_of_round = arena.template take<Real>(count());
        at.own_gradients = arena.template take<Real>(count());
        at.elements = arena.used();
        return at;
    }
    /// Number of elements passed on, of which the last rows are not set on ranks with fewer
    /// positions.
    std::int64_t count() const { return this->shared().most() * this->shared().columns(); }
    template <class T>
    static T* of_round(const std::array<T*, 2>& places, int round) {
        return places[static_cast<std::size_t>(round % 2)];
    }
    template <class T>
    Computed passed(const std::array<T*, 2>& places, int round) const {
        const auto rows =
            matrix<Space>(of_round(places, round), this->shared().most(), this->shared().columns());
        return {Rows(rows), of_round(places, round + 1)};
    }

    Computed pass_on(int round, Matrix<S, Space> wide, const Layout& at) const {
        if (round == 0) this->pack(wide, at.keys_values.front());
        return passed(at.keys_values, round);
    }
    void round_backward(int round, const BranchActivations<S, Space>& kept,
                        Matrix<S, Space> d_activated, const Layout& at) const {
        if (round == 0) this->begin_backward(kept, d_activated, at.memory);
        Real* const gradients = round == 0 ? at.own_gradients : at.gradients_of_round;
        clear_array(this->queue(), gradients, count());
        this->attend_backward(this->shared().owner_in_round(round), kept, d_activated,
                              of_round(at.keys_values, round), gradients, at.memory);
    }
    Computed pass_gradients(int round, const Layout& at) const {
        Real* const sum = of_round(at.gradients, round);
        if (round == 1) clear_array(this->queue(), sum, count());
        add_array(this->queue(), at.gradients_of_round, sum, count());
        return passed(at.gradients, round);
    }
    void take_home(int round, Matrix<S, Space> d_wide, const Layout& at) const {
        add_array(this->queue(), of_round(at.gradients, round), at.own_gradients, count());
        this->end_backward(at.own_gradients, d_wide, at.memory);
    }

    std::vector<RingStep> forward_, backward_;
};

}  // namespace

const AttentionKind& ring_attention() {
    static const AttentionKind kind =
        attention_kind<RingAttention>(ring_attention_steps, ring_attention_workspace);
    return kind;
}

}  // namespace shardstone::reference
