// SPDX-License-Identifier: BSD-3-Clause
// The checker names what is wrong with what experts are sent, with whom their gradients are summed
// and from whom their weights come.
#include <utility>

#include "validation/unit/reference/step/planted.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using Kind = Action::Kind;
using CollectiveKind = GroupTransfer::CollectiveKind;
using Group = ParameterGroup::Kind;
using What = GroupTransfer::What;

// A block's forward pass is attention up to the rows for experts, which are sent; experts, whose
// rows are sent back; the rest. Its backward pass is the gradients of what they returned, which are
// sent; the gates' meanwhile; experts, whose gradients are sent back; weights meanwhile; the rest.
const std::vector<Mutation> exchanges{
    {"RowsNotSent", "ep=2", 1, [](auto& s) { s.erase(sent(s, Kind::forward, 2, 0)); },
     "what phase 7 has left has not been sent to other ranks"},
    {"RowsNotReturned", "dp=2,ep=2", 2, [](auto& s) { s.erase(sent(s, Kind::forward, 2, 1)); },
     "what phase 10 has left has not been sent to other ranks"},
    {"RowsSentTwice", "ep=2", 0,
     [](auto& s) {
         const std::size_t at = sent(s, Kind::forward, 2, 0);
         s.insert(at + 1, s.at(at));
     },
     "no phase has left anything for other ranks"},
    {"RowsNotAwaited", "ep=2", 1,
     [](auto& s) { s.at(segment(s, Kind::forward, 2, 1)).needs.clear(); },
     "does not wait for transfer 0 of its phases"},
    {"ReturnNotAwaited", "ep=3", 2,
     [](auto& s) { s.at(segment(s, Kind::forward, 2, 2)).needs.clear(); },
     "does not wait for transfer 1 of its phases"},
    {"GradientsNotSent", "ep=2", 0, [](auto& s) { s.erase(sent(s, Kind::backward, 2, 0)); },
     "what phase 1 has left has not been sent to other ranks"},
    {"GradientsNotAwaited", "ep=2", 0,
     [](auto& s) { s.at(segment(s, Kind::backward, 2, 2)).needs.clear(); },
     "does not wait for transfer 0 of its phases"},
    {"ReturningGradientsNotAwaited", "ep=2", 1,
     [](auto& s) { s.at(segment(s, Kind::backward, 2, 4)).needs.clear(); },
     "does not wait for transfer 1 of its phases"},
    {"RowsToTheReplicas", "dp=2,ep=2", 1,
     [](auto& s) { s.at(sent(s, Kind::forward, 2, 0)).transfer.group = GroupKind::expert_data; },
     "is not the transfer of phase 7"},
    {"RowsSummed", "ep=2", 0,
     [](auto& s) {
         s.at(sent(s, Kind::forward, 2, 1)).transfer.operation = CollectiveKind::all_reduce;
     },
     "is not the transfer of phase 10"},
    {"RowsOfOneExpertLess", "ep=2", 1,
     [](auto& s) { --s.at(sent(s, Kind::backward, 2, 2)).transfer.range.count; },
     "is not the transfer of phase 5"},
    {"ComputedAgainWithoutRows", "ep=2", 1,
     [](auto& s) { s.erase(sent(s, Kind::recompute, 2, 0)); },
     "what phase 7 has left has not been sent to other ranks", "1f1b", Recompute::full},
};
INSTANTIATE_TEST_SUITE_P(Experts, Planted, testing::ValuesIn(exchanges), name_of);

Mutation varying(const char* name, int rank, std::function<void(Spoiler&)> plant,
                 const char* complaint) {
    Mutation mutation{name, "ep=2", rank, std::move(plant), complaint};
    mutation.capacity = 0.0;
    return mutation;
}

// Before the rows go the counts of them.
const std::vector<Mutation> counts{
    varying(
        "NotTold", 1, [](auto& s) { s.erase(sent(s, Kind::forward, 2, 0)); },
        "what phase 7 has left has not been sent to other ranks"),
    varying(
        "NotAwaited", 0, [](auto& s) { s.at(segment(s, Kind::forward, 2, 1)).needs.clear(); },
        "does not wait for transfer 0 of its phases"),
    varying(
        "ToldToTheReplicas", 1,
        [](auto& s) { s.at(sent(s, Kind::forward, 2, 0)).transfer.group = GroupKind::data; },
        "is not the transfer of phase 7"),
    varying(
        "RowsOfEqualLengths", 1,
        [](auto& s) {
            s.at(sent(s, Kind::forward, 2, 1)).transfer.operation = CollectiveKind::all_to_all;
        },
        "is not the transfer of phase 8"),
    varying(
        "RowsNotAwaited", 0, [](auto& s) { s.at(segment(s, Kind::forward, 2, 2)).needs.clear(); },
        "does not wait for transfer 1 of its phases"),
};
INSTANTIATE_TEST_SUITE_P(Counts, Planted, testing::ValuesIn(counts), name_of);

const auto of_experts = transfer(What::gradients, GroupKind::expert_data);
const auto of_others = transfer(What::gradients, GroupKind::data);
const auto weights = transfer(What::weights, GroupKind::expert_data);

/// The experts of block 1 are summed over a group as well.
void sum_over(Spoiler& s, const GroupKind& group) {
    Action action;
    action.kind = Kind::transfer;
    action.transfer = {CollectiveKind::all_reduce, What::gradients, group,
                       s.group(Group::experts, 1)};
    s.insert(s.find(of_kind(Kind::norm)), action);
}

const std::vector<Mutation> sums{
    {"OverAllReplicas", "dp=2,ep=2", 3,
     [](auto& s) { s.at(of_experts).transfer.group = GroupKind::data; },
     "gradients are reduced over the data group"},
    {"OverTheExpertRanks", "dp=2,ep=2", 1,
     [](auto& s) { s.at(of_experts, 1).transfer.group = GroupKind{{"expert"}}; },
     "gradients are reduced over the expert group"},
    {"OfOthersOverReplicasOfExperts", "dp=2,ep=2", 2,
     [](auto& s) { s.at(of_others).transfer.group = GroupKind::expert_data; },
     "gradients are reduced over the expert data group"},
    {"OverNobody", "dp=2,ep=2", 0,
     [](auto& s) {
         const auto one =
             transfer(What::gradients, GroupKind::expert_data, s.group(Group::experts, 1));
         s.erase(one);
     },
     "of the experts of block 1 has not been reduced"},
    {"OfTheOnlyOnes", "ep=2", 0, [](auto& s) { sum_over(s, GroupKind::data); },
     "gradients are reduced over the data group"},
    {"OfTheOnlyOnesOverNobody", "ep=2", 0, [](auto& s) { sum_over(s, GroupKind::expert_data); },
     "travel among the replicas by the wrong operation"},
    {"NotAwaitedByTheNorm", "dp=2,ep=2", 1, [](auto& s) { s.forget(of_experts, 1); },
     "(norm): does not wait for the replicas' sum of the gradients of the experts of block"},
    {"BeforeTheLastContribution", "dp=2,ep=2", 1,
     [](auto& s) { s.move(s.find(of_experts), s.find(pass(Kind::backward, 3, 4))); },
     "the gradients of the experts of block 2 are reduced before their last contribution"},
    {"PlaceReusedTooEarly", "dp=2,ep=2,zero=2", 1,
     [](auto& s) { s.at(pass(Kind::backward, 0, 1)).needs.clear(); },  // block 0, after block 2
     "does not wait for the replicas' sum of the gradients of"},
};
INSTANTIATE_TEST_SUITE_P(ExpertSums, Planted, testing::ValuesIn(sums), name_of);

const std::vector<Mutation> owners{
    {"GatheredFromAllReplicas", "dp=2,ep=2,zero=1", 3,
     [](auto& s) { s.at(weights).transfer.group = GroupKind::data; },
     "weights are not gathered from their owners"},
    {"NotGathered", "dp=2,ep=2,zero=2", 1, [](auto& s) { s.erase(weights, 1); }, "(end): weight"},
    {"GatheredFromAllReplicasInTurn", "dp=2,ep=2,zero=3", 2,
     [](auto& s) { s.at(weights).transfer.group = GroupKind::data; },
     "weights are not gathered from their owners"},
    {"Stale", "dp=2,ep=2,zero=3", 1,
     [](auto& s) {
         const auto one =
             transfer(What::weights, GroupKind::expert_data, s.group(Group::experts, 2));
         s.erase(one);
     },
     "(forward): reads weights"},
    {"NotAwaited", "dp=2,ep=2,zero=3", 0, [](auto& s) { s.forget(weights); },
     "without waiting for them"},
};
INSTANTIATE_TEST_SUITE_P(ExpertOwners, Planted, testing::ValuesIn(owners), name_of);

}  // namespace
}  // namespace shardstone::validation
