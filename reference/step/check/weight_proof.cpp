// SPDX-License-Identifier: BSD-3-Clause
// Checks that sharded weights are gathered before they are read and not overwritten too early.
#include "reference/step/check/weight_proof.hpp"

namespace shardstone::reference {

namespace {

using Kind = Action::Kind;

}  // namespace

WeightProof::WeightProof(const ProgramView& view)
    : RankProof(view), buffers_(view.state.group_buffers()) {}

void WeightProof::see(std::size_t position, const Action& action, const Ended& ended) {
    if (action.kind == Kind::update) {
        updated_ = true;
    } else if (action.is_pass()) {
        if (view_.state.sharding().weights) read(position, action, ended);
    } else if (action.kind == Kind::transfer &&
               action.transfer.what == GroupTransfer::What::weights) {
        gather(position, action.transfer, ended);
    }
}

void WeightProof::gather(std::size_t position, const GroupTransfer& transfer, const Ended& ended) {
    const Range& range = transfer.range;
    const auto kind = view_.layout.groups()[*view_.group_of(range)].kind;
    view_.expect(view_.state.sharding().optimizer && transfer.group == replicas_of(kind) &&
                     transfer.operation == GroupTransfer::CollectiveKind::all_gather,
                 position, "weights are not gathered from their owners");
    view_.expect(view_.is_bucket(range), position,
                 "[{}, {}) is not a bucket, as the owners' shares are cut", range.first,
                 range.end());
    view_.expect(updated_ == !view_.state.sharding().weights, position,
                 "weights are gathered {} the update", updated_ ? "after" : "before");
    if (view_.state.sharding().weights) return gather_into_buffer(position, range, ended);
    view_.expect(after_update_.add(range, position), position,
                 "the weights [{}, {}) are gathered twice", range.first, range.end());
}

void WeightProof::gather_into_buffer(std::size_t position, const Range& range, const Ended& ended) {
    const std::size_t group = *view_.group_of(range);
    HeldWeights& content = buffers_[view_.state.buffer_of_group(group)];
    if (content.group != group) {
        view_.expect(content.gathered.has_ended(ended), position,
                     "the weights [{}, {}) come to a buffer that others are still coming to",
                     range.first, range.end());
        content.gathered.clear();
        content.group = group;
    }
    view_.expect(content.gathered.add(range, position), position,
                 "the weights [{}, {}) are gathered twice", range.first, range.end());
}

/// The second half of a backward pass reads no weights, nor does any backward pass of an embedding.
void WeightProof::read(std::size_t position, const Action& pass, const Ended& ended) const {
    if (pass.kind == Kind::backward_weight) return;
    if (pass.kind != Kind::forward && view_.unit_of(pass).kind == Unit::Kind::embedding) return;
    for (const std::size_t group : view_.groups_of(pass)) read_group(position, group, ended);
}

void WeightProof::read_group(std::size_t position, std::size_t group, const Ended& ended) const {
    const HeldWeights& content = buffers_[view_.state.buffer_of_group(group)];
    const ParameterGroup& parameters = view_.layout.groups()[group];
    const Range range{parameters.first, parameters.count};
    view_.expect(content.group == group && content.gathered.holds(range), position,
                 "reads weights [{}, {}) that have not been gathered", range.first, range.end());
    view_.expect(content.gathered.has_ended(ended), position,
                 "reads weights [{}, {}) without waiting for them", range.first, range.end());
}

void WeightProof::finish() {
    if (!view_.state.sharding().optimizer || view_.state.sharding().weights) return;
    const Range all{0, view_.layout.count()};
    view_.expect(after_update_.count() == all.count, end(),
                 "weight {} is not gathered after the update", after_update_.first_gap(all));
}

}  // namespace shardstone::reference
