// SPDX-License-Identifier: BSD-3-Clause
// Checks across ranks that sequences, stage messages and group transfers of a step belong together.
#include "reference/step/check/batch_proof.hpp"

#include <map>
#include <tuple>

namespace shardstone::reference {

namespace {

using Kind = Action::Kind;
using What = GroupTransfer::What;

/// A transfer as all members see it.
struct BatchPlace {
    std::size_t action = 0;
    ParameterGroup::Kind kind = ParameterGroup::Kind::block;
    std::int64_t layer = 0;
    std::int64_t offset = 0;  ///< from the group's first (tensor ranks: replicated) parameter

    bool is_same(const BatchPlace& other) const {
        return kind == other.kind && layer == other.layer && offset == other.offset;
    }
};

std::vector<BatchPlace> places_of(const ProgramView& view, GroupKind kind) {
    std::vector<BatchPlace> places;
    for (std::size_t i = 0; i < view.program.actions.size(); ++i) {
        const Action& action = view.program.actions[i];
        const GroupTransfer& transfer = action.transfer;
        if (action.kind != Kind::transfer || transfer.group != kind) continue;
        if (transfer.what != What::gradients && transfer.what != What::weights) continue;
        const ParameterGroup& group = view.layout.groups()[*view.group_of(transfer.range)];
        const std::int64_t origin =
            kind == GroupKind::tensor ? group.end() - group.replicated : group.first;
        places.push_back({i, group.kind, group.layer, transfer.range.first - origin});
    }
    return places;
}

}  // namespace

void check_sequences(std::span<const ProgramView> views) {
    const StepSpec& spec = views.front().spec;
    constexpr std::int64_t nobody = -1;
    std::vector<std::int64_t> taken(
        static_cast<std::size_t>(spec.batch.global_batch / spec.batch.micro_batch), nobody);
    std::map<std::pair<int, std::int64_t>, std::int64_t> first_of;  // replica, micro-batch
    for (const ProgramView& view : views) {
        for (std::size_t i = 0; i < view.program.actions.size(); ++i) {
            const Action& action = view.program.actions[i];
            if (action.kind != Kind::forward) continue;
            const std::int64_t first = first_of_share(spec, view.at) + action.first_sample;
            const auto [known, is_new] = first_of.try_emplace(
                {batch_share_of(spec.plan, view.at), action.micro_batch}, first);
            view.expect(
                known->second == first, i,
                "micro-batch {} begins with sequence {}, but on other ranks or units with {}",
                action.micro_batch, first, known->second);
            if (!is_new) continue;
            const bool inside = first >= 0 && first < spec.batch.global_batch;
            view.expect(inside && first % spec.batch.micro_batch == 0, i,
                        "sequence {} does not begin a micro-batch of the global batch of {}", first,
                        spec.batch.global_batch);
            auto& replica = taken[static_cast<std::size_t>(first / spec.batch.micro_batch)];
            view.expect(replica == nobody, i, "replica {} has taken sequence {} already", replica,
                        first);
            replica = batch_share_of(spec.plan, view.at);
        }
    }
}

void check_messages(std::span<const ProgramView> views) {
    using Key = std::tuple<int, int, std::int64_t>;  // sender, receiver, id
    std::map<Key, const Action*> sends;
    for (const ProgramView& view : views) {
        for (const Action& action : view.program.actions) {
            if (action.kind != Kind::send) continue;
            const int receiver =
                rank_of_stage(view.spec.plan, view.rank, action.message.peer_stage);
            sends[{view.rank, receiver, action.message.id}] = &action;
        }
    }
    for (const ProgramView& view : views) {
        for (std::size_t i = 0; i < view.program.actions.size(); ++i) {
            const Action& action = view.program.actions[i];
            if (action.kind != Kind::receive) continue;
            const auto [stage, id, gradient] = action.message;
            const int peer = rank_of_stage(view.spec.plan, view.rank, stage);
            const Action& send = *sends.at({peer, view.rank, id});
            const int sender = views[static_cast<std::size_t>(peer)].part_number(send.chunk);
            const int receiver = view.part_number(action.chunk);
            const bool neighbours = gradient ? sender == receiver + 1 : sender + 1 == receiver;
            view.expect(send.message.gradient == gradient && neighbours &&
                            send.micro_batch == action.micro_batch,
                        i,
                        "micro-batch {} of part {} gets what rank {} sends of micro-batch {} of "
                        "part {}",
                        action.micro_batch, receiver, peer, send.micro_batch, sender);
        }
    }
}

void check_places(std::span<const ProgramView> views) {
    for (const GroupKind kind :
         {GroupKind::data, GroupKind::expert_data, GroupKind::tensor, GroupKind::tied}) {
        std::vector<std::vector<BatchPlace>> places;
        for (const ProgramView& view : views) places.push_back(places_of(view, kind));
        for (const ProgramView& view : views) {
            const int first = RankGroup(view.spec.plan, kind, view.rank).first();
            const auto& own = places[static_cast<std::size_t>(view.rank)];
            const auto& others = places[static_cast<std::size_t>(first)];
            for (std::size_t i = 0; i < own.size(); ++i) {
                view.expect(own[i].is_same(others[i]), own[i].action,
                            "is not about the same parameters as action {} of rank {}, which takes "
                            "part",
                            others[i].action, first);
            }
        }
    }
}

}  // namespace shardstone::reference
