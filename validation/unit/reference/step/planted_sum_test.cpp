// SPDX-License-Identifier: BSD-3-Clause
// The checker names what is wrong with the sums of gradients and the gathering of weights.
#include "validation/unit/reference/step/planted.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using Kind = Action::Kind;
using Group = ParameterGroup::Kind;
using What = GroupTransfer::What;

const auto reduction = transfer(What::gradients, GroupKind::data);
const auto tensor_sum = transfer(What::gradients, GroupKind::tensor);
const auto tied_sum = transfer(What::gradients, GroupKind::tied);
const auto gather = transfer(What::weights, GroupKind::data);

// Block 2 is the first whose gradients are final on one stage; two buckets or more.
const std::vector<Mutation> reductions{
    {"BucketNeverReduced", "dp=2", 1, [](auto& s) { s.erase(reduction, 1); }, "(norm): gradient "},
    {"BucketTwice", "dp=2", 1, [](auto& s) { s.repeat(reduction, 1); }, "are reduced twice"},
    {"BucketBeyondItsGroup", "dp=2", 1, [](auto& s) { ++s.at(reduction).transfer.range.count; },
     "does not lie in one parameter group"},
    {"PartTwice", "dp=2", 1, [](auto& s) { --s.at(reduction, 2).transfer.range.first; },
     "are reduced twice"},
    {"BeforeTheLastContribution", "dp=2", 1,
     [](auto& s) { s.move(s.find(reduction), s.find(pass(Kind::backward, 3, 4))); },
     "are reduced before their last contribution"},
    {"TokensBeforeTheEmbedding", "dp=2", 0,
     [](auto& s) {
         const Range token = s.group(Group::token);
         s.move(s.find(transfer(What::gradients, GroupKind::data, token)),
                s.find(pass(Kind::backward, 3, 0)));
     },
     "the gradients of the token embedding are reduced before their last contribution"},
    {"OverTensorRanks", "dp=2,tp=2", 1,
     [](auto& s) { s.at(reduction).transfer.group = GroupKind::tensor; },
     "are not to be summed over tensor ranks"},
    {"OverAllRanks", "dp=2,tp=2", 1,
     [](auto& s) { s.at(reduction).transfer.group = GroupKind::world; },
     "gradients are reduced over the world group"},
    {"NormBeforeAReduction", "dp=2", 1, [](auto& s) { s.forget(reduction, 1); },
     "(norm): does not wait for the replicas' sum of the gradients of"},
    {"ReducedAfterTheNorm", "dp=2", 1,
     [](auto& s) {
         s.repeat(reduction, 1);
         s.move(s.find(reduction, 2), s.find(of_kind(Kind::update)));
     },
     "are reduced after the norm"},
    {"WrongOperation", "dp=2,zero=1", 1,
     [](auto& s) {
         s.at(reduction).transfer.operation = GroupTransfer::CollectiveKind::all_reduce;
     },
     "travel among the replicas by the wrong operation"},
    {"CutElsewhere", "dp=2,zero=1", 1,
     [](auto& s) {
         Range& first = s.at(reduction, 1).transfer.range;
         Range& second = s.at(reduction, 2).transfer.range;
         --first.count;
         --second.first;
         ++second.count;
     },
     "is not a bucket, as the owners' shares are cut"},
    {"OneReplica", "tp=2", 1,
     [](auto& s) {
         Action action;
         action.kind = Kind::transfer;
         action.transfer = {GroupTransfer::CollectiveKind::all_reduce, What::gradients,
                            GroupKind::data, s.group(Group::token)};
         s.insert(s.find(of_kind(Kind::norm)), action);
     },
     "travel among the replicas by the wrong operation"},
};
INSTANTIATE_TEST_SUITE_P(Reduction, Planted, testing::ValuesIn(reductions), name_of);

const std::vector<Mutation> tensor_sums{
    {"ReplicatedNeverSummed", "dp=2,tp=2,sp=1", 1, [](auto& s) { s.erase(tensor_sum, 1); },
     "have not been summed over tensor ranks"},
    {"ReplicatedNeverSummedOneReplica", "tp=2,sp=1", 1, [](auto& s) { s.erase(tensor_sum, 1); },
     "has not been summed over tensor ranks"},
    {"ReplicatedTwice", "dp=2,tp=2,sp=1", 1, [](auto& s) { s.repeat(tensor_sum, 1); },
     "are summed twice over tensor ranks"},
    {"ReplicatedAfterTheReplicas", "dp=2,tp=2,sp=1", 1,
     [](auto& s) {
         s.repeat(tensor_sum, 1);
         const Range range = s.at(tensor_sum, 1).transfer.range;
         s.erase(tensor_sum, 1);
         s.move(s.find(tensor_sum, 1),
                1 + s.find(transfer(What::gradients, GroupKind::data, range)));
     },
     "have not been summed over tensor ranks"},
    {"ReplicatedNotWaitedFor", "dp=2,tp=2,sp=1", 1, [](auto& s) { s.forget(tensor_sum, 1); },
     "have not been summed over tensor ranks"},
    {"ReplicatedNotWaitedForByTheNorm", "tp=2,sp=1", 1, [](auto& s) { s.forget(tensor_sum, 1); },
     "(norm): does not wait for the tensor ranks' sum"},
    {"NotReplicated", "tp=2,sp=1", 1, [](auto& s) { --s.at(tensor_sum, 1).transfer.range.first; },
     "are not to be summed over tensor ranks"},
    {"WithoutSequenceParallelism", "tp=2", 1,
     [](auto& s) {
         Action action;
         action.kind = Kind::transfer;
         action.transfer = {GroupTransfer::CollectiveKind::all_reduce, What::gradients,
                            GroupKind::tensor, s.group(Group::final_norm)};
         s.insert(s.find(of_kind(Kind::norm)), action);
     },
     "are not to be summed over tensor ranks"},
    {"OtherPlaceThanTheOthers", "tp=2,sp=1", 1,
     // Block 1's only after what block 0's phases send.
     [](auto& s) { s.move(s.find(tensor_sum, 2), s.find(pass(Kind::backward, 3, 0))); },
     ", but rank 0, action"},
    {"PerMicroBatchTooFew", "dp=2,tp=2,sp=1,zero=2", 1, [](auto& s) { s.erase(tensor_sum, 1); },
     "have not been summed over tensor ranks"},
};
INSTANTIATE_TEST_SUITE_P(TensorSum, Planted, testing::ValuesIn(tensor_sums), name_of);

const std::vector<Mutation> tied_sums{
    {"TooFew", "dp=2,pp=2", 3,
     [](auto& s) {
         const auto needs = s.at(tied_sum).needs;
         s.erase(tied_sum);
         auto& others = s.at(of_kind(Kind::norm)).needs;
         others.insert(others.end(), needs.begin(), needs.end());
     },
     "of the tied embedding has not been added to its copy's"},
    {"TooMany", "dp=2,pp=2", 3, [](auto& s) { s.repeat(tied_sum); }, "is added twice"},
    {"OfABlock", "dp=2,pp=2", 3,
     [](auto& s) { s.at(tied_sum).transfer.range = s.group(Group::final_norm); },
     "the final norm has no copy to be summed with"},
    {"BeforeTheReplicas", "dp=2,pp=2", 3,
     [](auto& s) {
         s.move(s.find(tied_sum),
                s.find(transfer(What::gradients, GroupKind::data, s.group(Group::token))));
     },
     "the copies of the tied embedding are added before the replicas' sum"},
    {"NotWaitingForTheReplicas", "dp=2,pp=2", 3, [](auto& s) { s.at(tied_sum).needs.clear(); },
     "the copies of the tied embedding are added before the replicas' sum"},
    {"NotWaitedFor", "pp=2", 1, [](auto& s) { s.forget(tied_sum); },
     "(norm): does not wait for the sum of the tied embedding's copies"},
    {"BeforeTheLastContribution", "pp=2", 1,
     [](auto& s) { s.move(s.find(tied_sum), s.find(pass(Kind::backward, 3, 3))); },
     "are reduced before their last contribution"},
    {"OfAnotherOwner", "dp=2,pp=2,zero=1", 3,
     [](auto& s) { s.at(tied_sum).transfer.range.first = s.group(Group::token).first; },
     "of the tied embedding has not been added to its copy's"},
    {"BeforeTheLastMicroBatch", "dp=2,pp=2,zero=2", 3,
     [](auto& s) { s.move(s.find(tied_sum), s.find(pass(Kind::backward, 3, 3))); },
     "the copies of the tied embedding are added before their last contribution"},
};
INSTANTIATE_TEST_SUITE_P(TiedSum, Planted, testing::ValuesIn(tied_sums), name_of);

const std::vector<Mutation> zeros{
    {"NotGathered", "dp=2,zero=1", 1, [](auto& s) { s.erase(gather, 1); }, "(end): weight"},
    {"GatheredTwice", "dp=2,zero=2", 1, [](auto& s) { s.repeat(gather, 1); }, "are gathered twice"},
    {"GatheredBeforeTheUpdate", "dp=2,zero=1", 1,
     [](auto& s) { s.move(s.find(gather), s.find(of_kind(Kind::update))); },
     "weights are gathered before the update"},
    {"GatheredWithoutOwners", "dp=2", 1,
     [](auto& s) {
         Action action = s.at(reduction);
         action.transfer.what = What::weights;
         action.transfer.operation = GroupTransfer::CollectiveKind::all_gather;
         s.insert(1 + s.find(of_kind(Kind::update)), action);
     },
     "weights are not gathered from their owners"},
    {"GatheredCutElsewhere", "dp=2,zero=1", 1,
     [](auto& s) { --s.at(gather, 1).transfer.range.count; }, "is not a bucket"},
    {"PlaceReusedTooEarly", "dp=2,zero=2", 1,
     [](auto& s) {
         s.at(pass(Kind::backward, 0, 1)).needs.clear();  // block 0, after block 2
     },
     "(backward): does not wait for the replicas' sum of the gradients of block 2"},
    {"NotReducedEveryMicroBatch", "dp=2,zero=2", 1,
     [](auto& s) { s.erase(transfer(What::gradients, GroupKind::data, s.group(Group::token))); },
     "(backward): gradient"},
    {"LastMicroBatchNotWaitedFor", "dp=2,zero=2", 1,
     [](auto& s) { s.at(of_kind(Kind::norm)).needs.pop_back(); },
     "(norm): does not wait for the replicas' sum"},
    {"StaleWeights", "dp=2,zero=3", 1,
     [](auto& s) { s.erase(transfer(What::weights, GroupKind::data, s.group(Group::block, 2))); },
     "(forward): reads weights"},
    {"WeightsNotWaitedFor", "dp=2,zero=3", 1,
     [](auto& s) { s.at(pass(Kind::forward, 0, 2)).needs.clear(); }, "without waiting for them"},
    {"WeightsOverwritten", "dp=2,zero=3", 1,
     // Block 0 comes back to the place of block 2 before block 2 is through.
     [](auto& s) {
         const auto gathered = transfer(What::weights, GroupKind::data, s.group(Group::block, 0));
         const auto used = pass(Kind::backward, 0, 1);
         std::size_t to = s.find(pass(Kind::backward, 0, 3));
         for (std::size_t i = to; !used(s.at(i)); ++i) {
             if (gathered(s.at(i))) s.move(i, to++);
         }
     },
     "reads weights"},
    {"WeightsComeWhileOthersDo", "dp=2,zero=3", 1,
     [](auto& s) {
         const auto next = transfer(What::weights, GroupKind::data, s.group(Group::block, 2));
         s.move(s.find(next), s.find(pass(Kind::forward, 0, 1)));
     },
     "come to a buffer that others are still coming to"},
    {"WeightsGatheredAgain", "dp=2,zero=3", 1, [](auto& s) { s.repeat(gather, 1); },
     "are gathered twice"},
    {"GatheredAfterTheUpdate", "dp=2,zero=3", 1,
     [](auto& s) {
         const Action again = s.at(gather);
         s.insert(1 + s.find(of_kind(Kind::update)), again);
     },
     "weights are gathered after the update"},
};
INSTANTIATE_TEST_SUITE_P(Zero, Planted, testing::ValuesIn(zeros), name_of);

}  // namespace
}  // namespace shardstone::validation
