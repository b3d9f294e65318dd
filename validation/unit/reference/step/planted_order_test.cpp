// SPDX-License-Identifier: BSD-3-Clause
// The checker names what ranks do not do alike, and what has to happen once.
#include "validation/unit/reference/step/planted.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using Kind = Action::Kind;
using What = GroupTransfer::What;

const auto loss = transfer(What::loss, GroupKind::world);
const auto norm_sum = transfer(What::norm, GroupKind::world);
const auto tensor_norms_sum = transfer(What::tensor_norms, GroupKind::world);
const auto amaxes = transfer(What::amaxes, GroupKind::world);
const auto reduction = transfer(What::gradients, GroupKind::data);

const std::vector<Mutation> together{
    {"ForeignSequence", "dp=2", 1,
     [](auto& s) {
         for (Action& a : s.actions()) {
             if (a.kind == Kind::forward && a.micro_batch == 0) a.first_sample = -8;
         }
     },
     "replica 0 has taken sequence 0 already"},
    {"SequenceOutside", "dp=2", 1,
     [](auto& s) {
         for (Action& a : s.actions()) {
             if (a.kind == Kind::forward && a.micro_batch == 0) a.first_sample = 8;
         }
     },
     "sequence 16 does not begin a micro-batch of the global batch of 16"},
    {"SequenceBetween", "dp=2", 1,
     [](auto& s) {
         for (Action& a : s.actions()) {
             if (a.kind == Kind::forward && a.micro_batch == 0) a.first_sample = 1;
         }
     },
     "sequence 9 does not begin a micro-batch"},
    {"OtherTargets", "pp=2", 1, [](auto& s) { s.at(pass(Kind::forward, 1, 3)).first_sample = 0; },
     "micro-batch 1 begins with sequence 0, but on other ranks or units with 2"},
    {"ReceivesExchanged", "pp=2", 1,
     [](auto& s) { std::swap(s.at(message(Kind::receive, 1)), s.at(message(Kind::receive, 2))); },
     "micro-batch 2"},
    {"OtherSchedule", "pp=2", 1,
     // Wants micro-batch 2 before it gives micro-batch 0 back, for which the other waits.
     [](auto& s) { s.replace([](StepSpec& spec) { spec.pipeline.schedule = "gpipe"; }); },
     "deadlocks waiting for rank"},
    {"MessagesExchanged", "pp=2", 0,
     [](auto& s) {
         std::swap(s.at(message(Kind::send, 0)).message.id,
                   s.at(message(Kind::send, 1)).message.id);
     },
     "micro-batch 0 of part 1 gets what rank 0 sends of micro-batch 1 of part 0", "gpipe"},
    {"UnknownMessage", "pp=2", 0, [](auto& s) { s.at(message(Kind::send, 3)).message.id = 999; },
     "deadlocks waiting for rank"},
    {"OtherOrderOfTransfers", "dp=2", 1,
     [](auto& s) {
         std::swap(s.at(reduction, 1).transfer.range, s.at(reduction, 2).transfer.range);
     },
     "but rank 1"},
    {"OtherOrderOfPasses", "tp=2", 1,
     [](auto& s) { s.replace([](StepSpec& spec) { spec.pipeline.schedule = "gpipe"; }); },
     "of micro-batch 1, chunk 0, unit 0, but rank 0"},
    {"LossTwice", "dp=2", 1, [](auto& s) { s.repeat(loss); }, "the loss is summed twice"},
    {"LossNever", "dp=2", 1, [](auto& s) { s.erase(loss); }, "(end): the loss is never summed"},
    {"LossTooEarly", "dp=2", 1,
     [](auto& s) { s.move(s.find(loss), s.find(pass(Kind::forward, 3, 4))); },
     "the loss is summed before 1 micro-batch(es) have added to it"},
    {"LossOfReplicas", "dp=2,pp=2", 1, [](auto& s) { s.at(loss).transfer.group = GroupKind::data; },
     "the loss is not summed over all ranks"},
    {"NormOfReplicas", "dp=2,pp=2", 1,
     [](auto& s) { s.at(norm_sum).transfer.group = GroupKind::data; },
     "the norm is not summed over all ranks"},
    {"NormTwice", "dp=1", 0, [](auto& s) { s.repeat(of_kind(Kind::norm)); },
     "the norm is taken twice"},
    {"NormBeforeItIsTaken", "dp=1", 0,
     [](auto& s) {
         Action& sum = s.at(norm_sum);
         sum.needs.clear();
         s.move(s.find(norm_sum), s.find(of_kind(Kind::norm)));
     },
     "the norm is summed before it is taken"},
    {"UpdateDoesNotWait", "dp=2", 1, [](auto& s) { s.forget(norm_sum); },
     "(update): the update does not wait for the norm"},
    {"UpdateTwice", "dp=1", 0, [](auto& s) { s.repeat(of_kind(Kind::update)); },
     "the weights are updated twice"},
    {"UpdateNever", "dp=1", 0, [](auto& s) { s.erase(of_kind(Kind::update)); },
     "the weights are never updated"},
    {"PassAfterTheNorm", "dp=1", 0,
     [](auto& s) { s.move(s.find(pass(Kind::backward, 3, 0)), s.find(of_kind(Kind::update))); },
     "a pass comes after the norm"},
};
INSTANTIATE_TEST_SUITE_P(Together, Planted, testing::ValuesIn(together), name_of);

/// In a program for an optimizer that adapts to the norms of tensors.
Mutation adapting(const char* name, const char* plan, std::function<void(Spoiler&)> plant,
                  const char* complaint) {
    return {.name = name,
            .plan = plan,
            .rank = 0,
            .plant = std::move(plant),
            .complaint = complaint,
            .tensor_norms = true};
}

const std::vector<Mutation> norms_of_tensors{
    adapting(
        "NormsOfShards", "dp=2,tp=2,zero=1",
        [](auto& s) { s.at(tensor_norms_sum).transfer.group = GroupKind::data; },
        "the tensors' norms are not summed over all ranks"),
    adapting(
        "NormsOfSomeTensors", "dp=2",
        [](auto& s) { --s.at(tensor_norms_sum).transfer.range.count; }, "is not all 40 tensors"),
    adapting(
        "NormsTwice", "dp=2", [](auto& s) { s.repeat(tensor_norms_sum); },
        "the tensors' norms are summed twice"),
    adapting(
        "NormsTakenTwice", "dp=2", [](auto& s) { s.repeat(of_kind(Kind::tensor_norms)); },
        "the tensors' norms are taken twice"),
    adapting(
        "NormsNeverSummed", "dp=2", [](auto& s) { s.erase(tensor_norms_sum); },
        "the update does not wait for the tensors' norms"),
    adapting(
        "UpdateDoesNotWaitForTensors", "dp=2", [](auto& s) { s.forget(tensor_norms_sum); },
        "the update does not wait for the tensors' norms"),
    adapting(
        "TensorsBeforeTheNorm", "dp=2", [](auto& s) { s.forget(norm_sum); },
        "the tensors' norms do not wait for the norm"),
    adapting(
        "SummedBeforeTheyAreTaken", "dp=2",
        [](auto& s) {
            s.at(tensor_norms_sum).needs.clear();
            s.move(s.find(tensor_norms_sum), s.find(of_kind(Kind::tensor_norms)));
        },
        "the tensors' norms are summed before they are taken"),
    {"NormsForNobody", "dp=2", 0,
     [](auto& s) {
         Action action;
         action.kind = Kind::tensor_norms;
         s.insert(s.find(of_kind(Kind::update)), action);
     },
     "this optimizer has no use for tensors' norms"},
    {"NormsLeftOut", "dp=2", 0,
     [](auto& s) { s.replace([](StepSpec& spec) { spec.tensor_norms = false; }); },
     "the update does not wait for the tensors' norms", "1f1b", Recompute::none, true},
};
INSTANTIATE_TEST_SUITE_P(NormsOfTensors, Planted, testing::ValuesIn(norms_of_tensors), name_of);

/// In a program for a precision with FP8 products.
Mutation in_fp8(const char* name, const char* plan, std::function<void(Spoiler&)> plant,
                const char* complaint) {
    return {.name = name,
            .plan = plan,
            .rank = 0,
            .plant = std::move(plant),
            .complaint = complaint,
            .fp8 = true};
}

const std::vector<Mutation> amaxes_of_tensors{
    in_fp8(
        "AmaxesOfReplicas", "dp=2,pp=2",
        [](auto& s) { s.at(amaxes).transfer.group = GroupKind::data; },
        "the amaxes are not those of all ranks"),
    in_fp8(
        "AmaxesOfSomeTensors", "dp=2", [](auto& s) { --s.at(amaxes).transfer.range.count; },
        "is not all 36 FP8 tensors"),
    in_fp8(
        "AmaxesTwice", "tp=2", [](auto& s) { s.repeat(amaxes); }, "the amaxes are exchanged twice"),
    in_fp8(
        "AmaxesNever", "pp=2", [](auto& s) { s.erase(amaxes); },
        "(end): the amaxes are never exchanged"),
    in_fp8(
        "AmaxesTooEarly", "dp=1",
        [](auto& s) { s.move(s.find(amaxes), s.find(pass(Kind::backward, 3, 1))); },
        "a pass comes after the amaxes"),
    {"AmaxesForNobody", "dp=2", 0,
     [](auto& s) { s.replace([](StepSpec& spec) { spec.precision.fp8_products = true; }); },
     "this precision has no FP8 tensors"},
};
INSTANTIATE_TEST_SUITE_P(AmaxesOfTensors, Planted, testing::ValuesIn(amaxes_of_tensors), name_of);

}  // namespace
}  // namespace shardstone::validation
