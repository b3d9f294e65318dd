// SPDX-License-Identifier: BSD-3-Clause
// Positions are routed to their experts and back: the computations of a pass forward, and how rows
// lie and travel.
#include "reference/model/experts/expert_branch.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/transformer/expert_rows.hpp"
#include "kernels/transformer/gelu.hpp"
#include "kernels/transformer/linear.hpp"
#include "kernels/transformer/residual.hpp"
#include "kernels/transformer/router.hpp"
#include "reference/model/experts/row_assignment.hpp"

namespace shardstone::reference {

namespace {

template <class S>
LinearView<S> router_view(const LayerSource<S>& source, std::int64_t layer) {
    const GroupMemory<compute_t<S>>& memory = source.group(ParameterGroup::Kind::block, layer);
    const AffineSlot& slot = source.layout.block().router;
    return {matrix(static_cast<S*>(memory.weights) + slot.weight, slot.outputs, slot.inputs),
            matrix(memory.gradients + slot.weight, slot.outputs, slot.inputs)};
}

}  // namespace

template <class S, class R>
ExpertBranch<S, R>::ExpertBranch(std::int64_t layer, const LayerSource<S>& source)
    : part_(expert_part(source.config, source.part, source.micro_batch, source.sequence)),
      options_(source.config.experts),
      channels_(source.part.channels(source.config)),
      router_(router_view(source, layer)),
      norm_(NormView<S>(source.layout.block().norm2,
                        source.group(ParameterGroup::Kind::block, layer)),
            LinearLayer<S>(router_), source.stream),
      stream_(&source.stream) {
    const auto& memory = source.group(ParameterGroup::Kind::experts, layer);
    for (const ExpertSlots& slots : source.layout.block().experts) {
        experts_.push_back(
            {LinearView<S>(slots.projection, memory), LinearView<S>(slots.expansion, memory)});
    }
}

template <class S, class R>
Computed ExpertBranch<S, R>::compute(const UnitPhase& phase, const BranchPass<S, R>& pass) const {
    const bool forward = pass.pass == Pass::forward || pass.pass == Pass::recompute;
    return forward ? compute_forward(phase, pass) : compute_backward(phase, pass);
}

template <class S, class R>
Computed ExpertBranch<S, R>::compute_forward(const UnitPhase& phase,
                                             const BranchPass<S, R>& pass) const {
    switch (phase.computation) {
        case Computation::norm:
            return {{}, Rows(norm_.norm(pass.x, pass.kept.norm, pass.workspace.buffer))};
        case Computation::route:
            return route(pass);
        case Computation::row_counts:
            return {{}, count_rows(pass.kept.experts)};
        case Computation::dispatch:
            return dispatch(pass);
        case Computation::column_product:
            columns(pass);
            return {};
        case Computation::middle:
            middle(pass);
            return {};
        case Computation::row_product:
            return rows(pass);
        case Computation::combine:
            return {{}, combine(pass)};
        default:
            SHARDSTONE_EXPECTS(phase.computation == Computation::residual);
            return_to_stream(pass);
            return {};
    }
}

template <class S, class R>
Computed ExpertBranch<S, R>::route(const BranchPass<S, R>& pass) const {
    const Gates& kept = pass.kept.experts;
    router_logits<S>(norm_.normed(pass.kept.norm, pass.workspace.buffer), router_.weight,
                     kept.probabilities);
    shardstone::route<Real>(kept.probabilities, kept.log_sum_exp, kept.choices);
    count_picks<Real>(part_, kept.choices, kept.picks);
    stream_->meanwhile();
    return {{}, Rows(kept.picks)};
}

template <class S, class R>
Rows ExpertBranch<S, R>::count_rows(const Gates& kept) const {
    Real* const own = kept.row_counts.row(part_.rank);
    std::fill_n(own, part_.experts, Real(0));
    for (std::int64_t n = 0; n < kept.choices.rows; ++n) {
        for (std::int64_t k = 0; k < part_.top_k; ++k) own[kept.choices.row(n)[k]] += Real(1);
    }
    return Rows(kept.row_counts);
}

template <class S, class R>
Computed ExpertBranch<S, R>::dispatch(const BranchPass<S, R>& pass) const {
    const Gates& kept = pass.kept.experts;
    if (!part_.has_capacity() && is_alone()) count_rows(kept);
    LossSums sums;
    if (pass.pass == Pass::forward) sums = losses(kept);
    sums.dropped = static_cast<double>(assign_rows(part_, kept.choices, kept.rows));
    const Matrix<S> all = is_alone() ? kept.received : pass.workspace.expert_rows;
    const Matrix<S> to = matrix(all.data, part_.sent_rows(), all.columns);
    // Rows that nobody takes are computed with as well.
    if (part_.has_capacity()) std::fill_n(to.data, to.rows * to.columns, S{});
    dispatch_rows<S>(norm_.normed(pass.kept.norm, pass.workspace.buffer), kept.rows, to);
    stream_->meanwhile();
    Computed left = send(kept, to, kept.received);
    left.sums = sums;
    return left;
}

/// Over the own positions: the picks are those of whole sequences.
template <class S, class R>
LossSums ExpertBranch<S, R>::losses(const Gates& kept) const {
    LossSums sums;
    const double share =
        static_cast<double>(part_.experts) / static_cast<double>(part_.length * part_.top_k);
    for (std::int64_t n = 0; n < part_.rows(); ++n) {
        const Real* const p = kept.probabilities.row(n);
        const Real* const picks = kept.picks.row(n / part_.positions);
        double met = 0.0;
        for (std::int64_t e = 0; e < part_.experts; ++e) {
            met += static_cast<double>(picks[e]) * static_cast<double>(p[e]);
        }
        const auto lse = static_cast<double>(kept.log_sum_exp[n]);
        sums.balance += share * met;
        sums.router_z += lse * lse;
    }
    return sums;
}

template <class S, class R>
void ExpertBranch<S, R>::columns(const BranchPass<S, R>& pass) const {
    for (const Block& block : blocks(pass.kept.experts)) {
        linear_forward<S, S>(block.of(pass.kept.experts.received),
                             experts_[block.expert].expansion.weight, nullptr,
                             block.of(pass.kept.wide));
        stream_->meanwhile();
    }
}

template <class S, class R>
void ExpertBranch<S, R>::middle(const BranchPass<S, R>& pass) const {
    for (const Block& block : blocks(pass.kept.experts)) {
        bias_gelu_forward<S>(block.of(pass.kept.wide), experts_[block.expert].expansion.bias,
                             block.of(pass.kept.activated));
    }
    stream_->meanwhile();
}

/// The tensor rank's partial sums, each with its share of the bias.
template <class S, class R>
Computed ExpertBranch<S, R>::rows(const BranchPass<S, R>& pass) const {
    const Gates& kept = pass.kept.experts;
    const Matrix<S> to = is_alone() ? kept.returned : pass.workspace.expert_rows;
    std::vector<S> bias(static_cast<std::size_t>(to.columns), S{});
    for (const Block& block : blocks(kept)) {
        const LinearView<S>& projection = experts_[block.expert].projection;
        std::copy_n(projection.bias, channels_.count, bias.begin() + channels_.first);
        linear_forward<S, S>(block.of(pass.kept.activated), projection.weight, bias.data(),
                             block.of(to));
        stream_->meanwhile();
    }
    return send_back(kept, to, kept.returned);
}

template <class S, class R>
Rows ExpertBranch<S, R>::combine(const BranchPass<S, R>& pass) const {
    const Gates& kept = pass.kept.experts;
    const Matrix<R> partial = stream_->partial(pass.out, pass.workspace.buffer.stream);
    combine_rows<S, R>(kept.returned, kept.rows, kept.choices, kept.probabilities, partial);
    return Rows(partial);
}

template <class S, class R>
void ExpertBranch<S, R>::return_to_stream(const BranchPass<S, R>& pass) const {
    const Matrix<R> sum = stream_->partial(pass.out, pass.workspace.buffer.stream);
    bias_residual_forward<S, R>(pass.x, stream_->own_rows(sum), nullptr, pass.out);
}

template <class S, class R>
EvenShare ExpertBranch<S, R>::experts_of(std::int64_t rank) const {
    return even_share(part_.experts, part_.ranks, static_cast<int>(rank));
}

/// That rank `from` has for some experts.
template <class S, class R>
std::int64_t ExpertBranch<S, R>::rows_for(const Gates& kept, std::int64_t from,
                                          const EvenShare& experts) const {
    if (part_.has_capacity()) return experts.count * part_.rows_of_expert();
    const Real* const counts = kept.row_counts.row(from) + experts.first;
    return static_cast<std::int64_t>(std::accumulate(counts, counts + experts.count, Real(0)));
}

template <class S, class R>
auto ExpertBranch<S, R>::blocks(const Gates& kept) const -> std::vector<Block> {
    std::vector<Block> all;
    std::int64_t first = 0;
    for (std::int64_t from = 0; from < part_.ranks; ++from) {
        for (std::int64_t i = 0; i < part_.own.count; ++i) {
            const std::int64_t count = rows_for(kept, from, {part_.own.first + i, 1});
            if (count > 0) all.push_back({static_cast<std::size_t>(i), first, count});
            first += count;
        }
    }
    return all;
}

/// Rows that each rank has for each; nothing with a capacity, where they are equal.
template <class S, class R>
std::vector<std::int64_t> ExpertBranch<S, R>::shares(const Gates& kept) const {
    std::vector<std::int64_t> shares;
    for (std::int64_t from = 0; from < part_.ranks && !part_.has_capacity(); ++from) {
        for (std::int64_t to = 0; to < part_.ranks; ++to) {
            shares.push_back(rows_for(kept, from, experts_of(to)));
        }
    }
    return shares;
}

/// To the experts: `from` as a rank sends, `to` as it receives.
template <class S, class R>
Computed ExpertBranch<S, R>::send(const Gates& kept, Matrix<S> from, Matrix<S> to) const {
    if (is_alone()) return {};
    return {{}, Rows(from), to.data, shares(kept)};
}

/// And back.
template <class S, class R>
Computed ExpertBranch<S, R>::send_back(const Gates& kept, Matrix<S> from, Matrix<S> to) const {
    if (is_alone()) return {};
    const std::vector<std::int64_t> there = shares(kept);
    std::vector<std::int64_t> back(there.size());
    const auto ranks = static_cast<std::size_t>(part_.ranks);
    for (std::size_t i = 0; i < there.size(); ++i) back[i] = there[i % ranks * ranks + i / ranks];
    // Received rows are as many or more.
    return {{}, Rows(matrix(from.data, part_.sent_rows(), from.columns)), to.data, back};
}

template class ExpertBranch<float>;
template class ExpertBranch<double>;
template class ExpertBranch<bf16>;
template class ExpertBranch<fp16>;
template class ExpertBranch<bf16, bf16>;

}  // namespace shardstone::reference
