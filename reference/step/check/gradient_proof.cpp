// SPDX-License-Identifier: BSD-3-Clause
// Checks that a rank's gradients are reduced once, complete and in time, under every ZeRO stage.
#include "reference/step/check/gradient_proof.hpp"

#include <algorithm>

namespace shardstone::reference {

namespace {

using Kind = Action::Kind;
using CollectiveKind = GroupTransfer::CollectiveKind;

std::string name_of(const ParameterGroup& group) {
    switch (group.kind) {
        case ParameterGroup::Kind::final_norm:
            return "the final norm";
        case ParameterGroup::Kind::position:
            return "the position embedding";
        case ParameterGroup::Kind::token:
            return "the token embedding";
        case ParameterGroup::Kind::experts:
            return fmt::format("the experts of block {}", group.layer);
        case ParameterGroup::Kind::block:
            break;
    }
    return fmt::format("block {}", group.layer);
}

Range overlap(const Range& a, const Range& b) {
    const std::int64_t first = std::max(a.first, b.first);
    return {first, std::max<std::int64_t>(0, std::min(a.end(), b.end()) - first)};
}

}  // namespace

GradientProof::GradientProof(const ProgramView& view)
    : RankProof(view),
      users_(view.layout.groups().size(), 0),
      sums_(view.layout.groups().size()),
      buffers_(view.state.group_buffers()) {
    for (const ParameterGroup& group : view.layout.groups()) names_.push_back(name_of(group));
    for (const ModelChunk& chunk : view.part.chunks) {
        for (const Unit& unit : chunk.units()) {
            for (const std::size_t group : view.layout.groups_of(unit)) ++users_[group];
        }
    }
}

bool GradientProof::is_tied(std::size_t group) const {
    return view_.part.embedding_is_shared && parameters(group).kind == ParameterGroup::Kind::token;
}

/// Where each replica owns a share the only one owns it all, and gets it as the others do.
bool GradientProof::is_reduced(std::size_t group) const {
    return view_.state.replicas(group) > 1 || view_.state.sharding().optimizer;
}

void GradientProof::see(std::size_t position, const Action& action, const Ended& ended) {
    if (action.kind == Kind::backward || action.kind == Kind::backward_weight) {
        for (const std::size_t group : view_.groups_of(action)) {
            contribute(position, group, action, ended);
        }
    } else if (action.kind == Kind::norm) {
        normed_ = true;
        for (std::size_t group = 0; group < sums_.size(); ++group) {
            // What others have taken the buffer of was reduced before (enter_buffer()).
            const bool is_there = !leaves_every_micro_batch() ||
                                  buffers_[view_.state.buffer_of_group(group)] == group;
            if (is_there) require_reduced(position, group, ended);
            require_copies_added(position, group, ended);
        }
    } else if (action.kind == Kind::transfer &&
               action.transfer.what == GroupTransfer::What::gradients) {
        reduce(position, action.transfer, ended);
    }
}

void GradientProof::contribute(std::size_t position, std::size_t group, const Action& pass,
                               const Ended& ended) {
    if (leaves_every_micro_batch()) enter_buffer(position, group, pass, ended);
    Sums& sums = sums_[group];
    view_.expect(sums.over_tensor.empty() && sums.over_data.empty() && sums.over_copies.empty(),
                 position, "adds to the gradients of {}, which are being reduced already",
                 names_[group]);
    sums.micro_batch = pass.micro_batch;
    if (!pass.ends_pass) return;
    ++sums.passes;
    ++sums.since_left;
}

/// The buffer is free, or holds what the same micro-batch has added to the same group.
void GradientProof::enter_buffer(std::size_t position, std::size_t group, const Action& pass,
                                 const Ended& ended) {
    auto& holder = buffers_[view_.state.buffer_of_group(group)];
    if (holder == group) {
        const Sums& sums = sums_[group];
        const bool goes_on = sums.micro_batch == pass.micro_batch && sums.over_tensor.empty() &&
                             sums.over_data.empty();
        if (goes_on) return;
    }
    if (holder) {
        require_reduced(position, *holder, ended);
        Sums& left = sums_[*holder];
        left.since_left = 0;
        left.over_tensor.clear();
        left.over_data.clear();
    }
    holder = group;
}

void GradientProof::reduce(std::size_t position, const GroupTransfer& transfer,
                           const Ended& ended) {
    const std::size_t group = *view_.group_of(transfer.range);
    const Sums& sums = sums_[group];
    view_.expect(!normed_, position, "the gradients of {} are reduced after the norm",
                 names_[group]);
    const bool every = leaves_every_micro_batch();
    const std::int64_t passes = users_[group] * (every ? 1 : view_.spec.micro_batches());
    view_.expect((every ? sums.since_left : sums.passes) == passes, position,
                 "the gradients of {} are reduced before their last contribution", names_[group]);
    if (transfer.group == GroupKind::tensor) return over_tensor(position, group, transfer);
    if (transfer.group == replicas_of(parameters(group).kind)) {
        return over_data(position, group, transfer, ended);
    }
    if (transfer.group == GroupKind::tied) return over_copies(position, group, transfer, ended);
    view_.expect(false, position, "gradients are reduced over the {} group",
                 to_string(transfer.group));
}

void GradientProof::over_tensor(std::size_t position, std::size_t group,
                                const GroupTransfer& transfer) {
    const Range& range = transfer.range;
    const Range replicated = replicated_of(group);
    view_.expect(splits_rows() && transfer.operation == CollectiveKind::all_reduce &&
                     range.first >= replicated.first,
                 position, "the gradients [{}, {}) of {} are not to be summed over tensor ranks",
                 range.first, range.end(), names_[group]);
    Sums& sums = sums_[group];
    view_.expect(!sums.over_data.touches(range) && !sums.over_copies.touches(range), position,
                 "the gradients [{}, {}) of {} are summed over tensor ranks after the replicas'",
                 range.first, range.end(), names_[group]);
    view_.expect(sums.over_tensor.add(range, position), position,
                 "the gradients [{}, {}) of {} are summed twice over tensor ranks", range.first,
                 range.end(), names_[group]);
}

void GradientProof::require_over_tensor(std::size_t position, std::size_t group, const Range& range,
                                        const Ended& ended) const {
    if (!splits_rows()) return;
    const Sums& sums = sums_[group];
    const Range replicated = overlap(range, replicated_of(group));
    if (replicated.count == 0) return;
    view_.expect(
        sums.over_tensor.holds(replicated) && sums.over_tensor.has_ended(replicated, ended),
        position, "the gradients [{}, {}) of {} have not been summed over tensor ranks",
        replicated.first, replicated.end(), names_[group]);
}

void GradientProof::over_data(std::size_t position, std::size_t group,
                              const GroupTransfer& transfer, const Ended& ended) {
    const bool sharded = view_.state.sharding().optimizer;
    const Range& range = transfer.range;
    const auto operation = sharded ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
    view_.expect(is_reduced(group) && transfer.operation == operation, position,
                 "the gradients of {} travel among the replicas by the wrong operation",
                 names_[group]);
    view_.expect(!sharded || view_.is_bucket(range), position,
                 "[{}, {}) is not a bucket, as the owners' shares are cut", range.first,
                 range.end());
    require_over_tensor(position, group, range, ended);
    Sums& sums = sums_[group];
    view_.expect(!sums.over_copies.touches(range), position,
                 "the copies of the tied embedding are added before the replicas' sum");
    view_.expect(sums.over_data.add(range, position), position,
                 "the gradients [{}, {}) of {} are reduced twice", range.first, range.end(),
                 names_[group]);
}

void GradientProof::over_copies(std::size_t position, std::size_t group,
                                const GroupTransfer& transfer, const Ended& ended) {
    const Range& range = transfer.range;
    view_.expect(is_tied(group) && transfer.operation == CollectiveKind::all_reduce, position,
                 "{} has no copy to be summed with", names_[group]);
    Sums& sums = sums_[group];
    view_.expect(sums.passes == users_[group] * view_.spec.micro_batches(), position,
                 "the copies of the tied embedding are added before their last contribution");
    const bool reduced = !is_reduced(group) ||
                         (sums.over_data.holds(range) && sums.over_data.has_ended(range, ended));
    view_.expect(reduced, position,
                 "the copies of the tied embedding are added before the replicas' sum");
    view_.expect(sums.over_copies.add(range, position), position,
                 "[{}, {}) of the tied embedding is added twice", range.first, range.end());
}

void GradientProof::require_reduced(std::size_t position, std::size_t group,
                                    const Ended& ended) const {
    const Sums& sums = sums_[group];
    const std::string& name = names_[group];
    if (splits_rows()) {
        const Range range = replicated_of(group);
        view_.expect(sums.over_tensor.count() == range.count, position,
                     "gradient {} of {} has not been summed over tensor ranks",
                     sums.over_tensor.first_gap(range), name);
        view_.expect(sums.over_tensor.has_ended(ended), position,
                     "does not wait for the tensor ranks' sum of the gradients of {}", name);
    }
    if (is_reduced(group)) {
        const Range range = all_of(group);
        view_.expect(sums.over_data.count() == range.count, position,
                     "gradient {} of {} has not been reduced", sums.over_data.first_gap(range),
                     name);
        view_.expect(sums.over_data.has_ended(ended), position,
                     "does not wait for the replicas' sum of the gradients of {}", name);
    }
}

void GradientProof::require_copies_added(std::size_t position, std::size_t group,
                                         const Ended& ended) const {
    if (!is_tied(group)) return;
    const Sums& sums = sums_[group];
    const auto require_added = [&](const Range& range) {
        view_.expect(sums.over_copies.holds(range), position,
                     "gradient {} of the tied embedding has not been added to its copy's",
                     sums.over_copies.first_gap(range));
    };
    std::int64_t owned = 0;
    for (const Range& bucket : view_.state.buckets(group)) {
        const Range range = view_.state.owned_of(bucket);
        require_added(range);
        owned += range.count;
    }
    view_.expect(sums.over_copies.count() == owned, position,
                 "gradients of the tied embedding that this rank does not own are added");
    view_.expect(sums.over_copies.has_ended(ended), position,
                 "does not wait for the sum of the tied embedding's copies");
}

}  // namespace shardstone::reference
