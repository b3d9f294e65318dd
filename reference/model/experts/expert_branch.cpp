// SPDX-License-Identifier: BSD-3-Clause
// Positions are routed to their experts and back: the computations of a pass forward, and how rows
// lie and travel.
#include "reference/model/experts/expert_branch.hpp"

#include <numeric>

#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/paced.hpp"
#include "kernels/transformer/expert_rows.hpp"
#include "kernels/transformer/gelu.hpp"
#include "kernels/transformer/linear.hpp"
#include "kernels/transformer/residual.hpp"
#include "kernels/transformer/router.hpp"
#include "reference/model/experts/row_assignment.hpp"

namespace shardstone::reference {

namespace {

template <class S, class Space>
LinearView<S, Space> router_view(const LayerSource<S, Space>& source, std::int64_t layer) {
    const GroupMemory<compute_t<S>>& memory = source.group(ParameterGroup::Kind::block, layer);
    const AffineSlot& slot = source.layout.block().router;
    return {matrix<Space>(static_cast<S*>(memory.weights) + slot.weight, slot.outputs, slot.inputs),
            matrix<Space>(memory.gradients + slot.weight, slot.outputs, slot.inputs)};
}

}  // namespace

template <class S, class R, class Space>
ExpertBranch<S, R, Space>::ExpertBranch(std::int64_t layer, const LayerSource<S, Space>& source)
    : part_(expert_part(source.config, source.part, source.micro_batch, source.sequence)),
      options_(source.config.experts),
      channels_(source.part.channels(source.config)),
      router_(router_view(source, layer)),
      norm_(NormView<S, Space>(source.layout.block().norm2,
                               source.group(ParameterGroup::Kind::block, layer)),
            LinearLayer<S, Space>(source.stream.queue(), router_), source.stream),
      stream_(&source.stream) {
    const auto& memory = source.group(ParameterGroup::Kind::experts, layer);
    for (const ExpertSlots& slots : source.layout.block().experts) {
        experts_.push_back({LinearView<S, Space>(slots.projection, memory),
                            LinearView<S, Space>(slots.expansion, memory)});
    }
}

template <class S, class R, class Space>
Computed ExpertBranch<S, R, Space>::compute(const UnitPhase& phase,
                                            const BranchPass<S, R, Space>& pass) const {
    const bool forward = pass.pass == Pass::forward || pass.pass == Pass::recompute;
    return forward ? compute_forward(phase, pass) : compute_backward(phase, pass);
}

template <class S, class R, class Space>
Computed ExpertBranch<S, R, Space>::compute_forward(const UnitPhase& phase,
                                                    const BranchPass<S, R, Space>& pass) const {
    switch (phase.computation) {
        case Computation::norm:
            return {Rows(norm_.norm(pass.x, pass.kept.norm, pass.workspace.buffer))};
        case Computation::route:
            return route(pass);
        case Computation::row_counts:
            count_rows(pass.kept.experts);
            return {Rows(pass.kept.experts.row_counts)};
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
            return {combine(pass)};
        default:
            SHARDSTONE_EXPECTS(phase.computation == Computation::residual);
            return_to_stream(pass);
            return {};
    }
}

template <class S, class R, class Space>
Computed ExpertBranch<S, R, Space>::route(const BranchPass<S, R, Space>& pass) const {
    const Gates& kept = pass.kept.experts;
    router_logits<S>(queue(), norm_.normed(pass.kept.norm, pass.workspace.buffer), router_.weight,
                     kept.probabilities);
    shardstone::route<Real>(queue(), kept.probabilities, kept.log_sum_exp, kept.choices);
    count_picks<Real>(queue(), part_, kept.choices, kept.picks);
    stream_->meanwhile();
    return {Rows(kept.picks)};
}

template <class S, class R, class Space>
void ExpertBranch<S, R, Space>::count_rows(const Gates& kept) const {
    count_choices<Real>(queue(), kept.choices, kept.row_counts.row(part_.rank), part_.experts);
}

template <class S, class R, class Space>
Computed ExpertBranch<S, R, Space>::dispatch(const BranchPass<S, R, Space>& pass) const {
    const Gates& kept = pass.kept.experts;
    if (!part_.has_capacity() && is_alone()) count_rows(kept);
    if (pass.pass == Pass::forward) add_losses(pass);
    assign_rows(queue(), part_, kept.choices, kept.rows, &pass.sums->dropped);
    const Matrix<S, Space> all = is_alone() ? kept.received : pass.workspace.expert_rows;
    const Matrix<S, Space> to = matrix<Space>(all.data, part_.sent_rows(), all.columns);
    // Unused rows are included in the computation.
    if (part_.has_capacity()) clear_array(queue(), to.data, to.rows * to.columns);
    dispatch_rows<S>(queue(), norm_.normed(pass.kept.norm, pass.workspace.buffer), kept.rows, to);
    stream_->meanwhile();
    return send(kept, to, kept.received);
}

/// Adds the losses over the own positions; the picks are those of whole sequences.
template <class S, class R, class Space>
void ExpertBranch<S, R, Space>::add_losses(const BranchPass<S, R, Space>& pass) const {
    const Gates& kept = pass.kept.experts;
    const double share =
        static_cast<double>(part_.experts) / static_cast<double>(part_.length * part_.top_k);
    router_losses<Real>(queue(), kept.probabilities, kept.picks, kept.log_sum_exp, share,
                        &pass.sums->balance, &pass.sums->router_z);
}

template <class S, class R, class Space>
void ExpertBranch<S, R, Space>::columns(const BranchPass<S, R, Space>& pass) const {
    for (const Block& block : blocks(pass.kept.experts)) {
        linear_forward<S, S>(queue(), block.of(pass.kept.experts.received),
                             experts_[block.expert].expansion.weight, nullptr,
                             block.of(pass.kept.wide));
        stream_->meanwhile();
    }
}

template <class S, class R, class Space>
void ExpertBranch<S, R, Space>::middle(const BranchPass<S, R, Space>& pass) const {
    for (const Block& block : blocks(pass.kept.experts)) {
        bias_gelu_forward<S>(queue(), block.of(pass.kept.wide),
                             experts_[block.expert].expansion.bias, block.of(pass.kept.activated));
    }
    stream_->meanwhile();
}

/// The tensor rank's partial sums, each with its share of the bias.
template <class S, class R, class Space>
Computed ExpertBranch<S, R, Space>::rows(const BranchPass<S, R, Space>& pass) const {
    const Gates& kept = pass.kept.experts;
    const Matrix<S, Space> to = is_alone() ? kept.returned : pass.workspace.expert_rows;
    S* const bias = pass.workspace.expert_bias;
    clear_array(queue(), bias, to.columns);
    for (const Block& block : blocks(kept)) {
        const LinearView<S, Space>& projection = experts_[block.expert].projection;
        copy_array<S>(queue(), projection.bias, bias + channels_.first, channels_.count);
        linear_forward<S, S>(queue(), block.of(pass.kept.activated), projection.weight, bias,
                             block.of(to));
        stream_->meanwhile();
    }
    return send_back(kept, to, kept.returned);
}

template <class S, class R, class Space>
Rows ExpertBranch<S, R, Space>::combine(const BranchPass<S, R, Space>& pass) const {
    const Gates& kept = pass.kept.experts;
    const Matrix<R, Space> partial = stream_->partial(pass.out, pass.workspace.buffer.stream);
    combine_rows<S, R>(queue(), kept.returned, kept.rows, kept.choices, kept.probabilities,
                       partial);
    return Rows(partial);
}

template <class S, class R, class Space>
void ExpertBranch<S, R, Space>::return_to_stream(const BranchPass<S, R, Space>& pass) const {
    const Matrix<R, Space> sum = stream_->partial(pass.out, pass.workspace.buffer.stream);
    bias_residual_forward<S, R>(queue(), pass.x, stream_->own_rows(sum), nullptr, pass.out);
}

template <class S, class R, class Space>
EvenShare ExpertBranch<S, R, Space>::experts_of(std::int64_t rank) const {
    return even_share(part_.experts, part_.ranks, static_cast<int>(rank));
}

/// By rank and expert; the program needs them to determine the rows for each rank.
template <class S, class R, class Space>
auto ExpertBranch<S, R, Space>::row_counts(const Gates& kept) const -> Counts {
    if (part_.has_capacity()) return {};
    return read_array<Real>(queue(), kept.row_counts.data, part_.ranks * part_.experts);
}

/// Rows that rank `from` has for some experts.
template <class S, class R, class Space>
std::int64_t ExpertBranch<S, R, Space>::rows_for(const Counts& counts, std::int64_t from,
                                                 const EvenShare& experts) const {
    if (part_.has_capacity()) return experts.count * part_.rows_of_expert();
    const Real* const first = counts.data() + from * part_.experts + experts.first;
    return static_cast<std::int64_t>(std::accumulate(first, first + experts.count, Real(0)));
}

template <class S, class R, class Space>
auto ExpertBranch<S, R, Space>::blocks(const Gates& kept) const -> std::vector<Block> {
    const Counts counts = row_counts(kept);
    std::vector<Block> all;
    std::int64_t first = 0;
    for (std::int64_t from = 0; from < part_.ranks; ++from) {
        for (std::int64_t i = 0; i < part_.own.count; ++i) {
            const std::int64_t count = rows_for(counts, from, {part_.own.first + i, 1});
            if (count > 0) all.push_back({static_cast<std::size_t>(i), first, count});
            first += count;
        }
    }
    return all;
}

/// Rows that each rank has for each; empty with a capacity, where they are equal.
template <class S, class R, class Space>
std::vector<std::int64_t> ExpertBranch<S, R, Space>::shares(const Gates& kept) const {
    const Counts counts = row_counts(kept);
    std::vector<std::int64_t> shares;
    for (std::int64_t from = 0; from < part_.ranks && !part_.has_capacity(); ++from) {
        for (std::int64_t to = 0; to < part_.ranks; ++to) {
            shares.push_back(rows_for(counts, from, experts_of(to)));
        }
    }
    return shares;
}

/// Sends rows to the experts: `from` in the layout of sent rows, `to` in that of received ones.
template <class S, class R, class Space>
Computed ExpertBranch<S, R, Space>::send(const Gates& kept, Matrix<S, Space> from,
                                         Matrix<S, Space> to) const {
    if (is_alone()) return {};
    return {Rows(from), to.data, shares(kept)};
}

/// The reverse.
template <class S, class R, class Space>
Computed ExpertBranch<S, R, Space>::send_back(const Gates& kept, Matrix<S, Space> from,
                                              Matrix<S, Space> to) const {
    if (is_alone()) return {};
    const std::vector<std::int64_t> there = shares(kept);
    std::vector<std::int64_t> back(there.size());
    const auto ranks = static_cast<std::size_t>(part_.ranks);
    for (std::size_t i = 0; i < there.size(); ++i) back[i] = there[i % ranks * ranks + i / ranks];
    // There are at least as many received rows.
    return {Rows(matrix<Space>(from.data, part_.sent_rows(), from.columns)), to.data, back};
}

template class ExpertBranch<float>;
template class ExpertBranch<double>;
template class ExpertBranch<bf16>;
template class ExpertBranch<fp16>;
template class ExpertBranch<bf16, bf16>;
template class ExpertBranch<float, float, Paced>;
template class ExpertBranch<bf16, float, Paced>;
template class ExpertBranch<fp16, float, Paced>;
template class ExpertBranch<bf16, bf16, Paced>;
#ifdef SHARDSTONE_HAS_CUDA
template class ExpertBranch<float, float, Cuda>;
template class ExpertBranch<bf16, float, Cuda>;
template class ExpertBranch<fp16, float, Cuda>;
template class ExpertBranch<bf16, bf16, Cuda>;
#endif

}  // namespace shardstone::reference
