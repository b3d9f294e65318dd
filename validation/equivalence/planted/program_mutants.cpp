// SPDX-License-Identifier: BSD-3-Clause
// The planted bugs in step programs: wrong shares, slots, sums, shards and norms, one line each.
#include "validation/equivalence/planted/program_mutants.hpp"

namespace shardstone::validation {

using namespace reference;

namespace {

using Kind = Action::Kind;
using Group = ParameterGroup::Kind;
using What = GroupTransfer::What;

const auto reduction = transfer(What::gradients, GroupKind::data);
const auto tensor_sum = transfer(What::gradients, GroupKind::tensor);
const auto tied_sum = transfer(What::gradients, GroupKind::tied);
const auto norm_sum = transfer(What::norm, GroupKind::world);
const auto tensor_norms_sum = transfer(What::tensor_norms, GroupKind::world);
const auto gather = transfer(What::weights, GroupKind::data);
const auto any_backward = of_kind(Kind::backward);

/// Of the 24 sequences of the batch, one per micro-batch, each of two replicas has 12.
constexpr std::int64_t share = 12;
constexpr int head_unit = 6;  ///< of one stage: the embedding and five blocks come first

void scale_backward(Spoiler& s, double scale) {
    s.change(any_backward, [scale](Action& a) { a.scale = scale; });
}

/// Again, one after the other, and waited for.
void repeat_sum(Spoiler& s, const Spoiler::Test& sum, int number = 0) {
    const std::size_t position = s.find(sum, number);
    s.repeat(sum, number);
    s.at(position + 1).needs.push_back(position);
    s.at(of_kind(Kind::norm)).needs.push_back(position + 1);
}

/// The head's last pass waits for the final norm's reduction, which comes just before it.
void reduce_before_last_pass(Spoiler& s) {
    const auto last = pass(Kind::backward, share - 1, head_unit);
    s.move(s.find(reduction), s.find(last));
    s.at(last).needs.push_back(s.find(reduction));
}

/// Its place still holds the weights of block 4 when block 2 goes backward for the first time.
void leave_out_later_gather(Spoiler& s) {
    const auto of_block = transfer(What::weights, GroupKind::data, s.group(Group::block, 2));
    int number = 0;
    while (s.find(of_block, number) < s.find(any_backward)) ++number;
    s.erase(of_block, number);
}

void exchange_slots(Spoiler& s, Kind kind) {
    s.change(of_kind(kind), [](Action& a) { a.slot ^= 1; });
}

std::vector<ProgramMutant> wrong_shares_of_the_batch() {
    return {
        {{"gradient_divided_twice", "each replica averages over the replicas what is a sum already",
          "dp=2", "step 1: gradient of final_norm.weight"},
         [](auto& s, auto&) { scale_backward(s, 0.5); },
         "has scale 0.5, not 1"},
        {{"gradient_not_divided", "gradients are not divided by the tokens of the batch", "dp=4",
          "step 1: gradient of final_norm.weight"},
         [](auto& s, auto&) { scale_backward(s, 384.0); },
         "has scale 384, not 1"},
        {{"micro_batch_dropped", "a replica's last micro-batch adds no gradients", "dp=2",
          "step 1: gradient of final_norm.weight"},
         [](auto& s, auto& at) {
             if (at.data == 0) return;
             s.change(any_backward, [](Action& a) { a.scale = a.micro_batch < share - 1; });
         },
         "micro-batch 11 has scale 0, not 1"},
        {{"same_sequences_on_every_replica", "every replica trains on the first one's sequences",
          "dp=2", "step 1: loss"},
         [](auto& s, auto& at) {
             s.change([](const Action& a) { return a.is_pass(); },
                      [&](Action& a) { a.first_sample -= at.data * share; });
         },
         "has taken sequence 0 already"},
        {{"targets_of_another_micro_batch", "the last stage takes the micro-batches in other order",
          "pp=2 1f1b", "step 1: loss"},
         [](auto& s, auto& at) {
             if (at.pipeline == 0) return;
             s.change(of_kind(Kind::forward), [](Action& a) { a.first_sample ^= 1; });
         },
         "but on other ranks or units with"},
    };
}

std::vector<ProgramMutant> wrong_slots() {
    return {
        {{"recomputed_from_another_slot",
          "recomputation starts from another micro-batch's activations",
          "pp=2 1f1b recompute=selective",
          "step 1: gradient of blocks.2.attention.projection.weight"},
         [](auto& s, auto& at) {
             if (at.pipeline == 0) exchange_slots(s, Kind::recompute);
         },
         "is in slot"},
        {{"weight_half_of_another_slot",
          "the second half of a split backward pass takes another micro-batch's first half",
          "pp=2 zb-h1", "step 1: gradient of blocks.2.mlp.projection.weight"},
         [](auto& s, auto& at) {
             if (at.pipeline == 0) exchange_slots(s, Kind::backward_weight);
         },
         "is in slot"},
        {{"gradient_sent_from_the_other_slot",
          "the last stage sends the gradient of the micro-batch before", "pp=2 1f1b",
          "step 1: gradient of blocks.2.mlp.projection.weight"},
         [](auto& s, auto& at) {
             if (at.pipeline == 0) return;
             s.change(of_kind(Kind::send), [](Action& a) { a.gradient_slot ^= 1; });
         },
         "is in another slot"},
    };
}

std::vector<ProgramMutant> wrong_sums_over_replicas() {
    return {
        {{"bucket_never_reduced", "one bucket of gradients stays with its replica", "dp=3",
          "step 1: weight of blocks.4.mlp.projection.weight"},
         [](auto& s, auto&) { s.erase(reduction, 1); },
         "has not been reduced"},
        {{"bucket_reduced_twice", "one bucket of gradients is summed over the replicas twice",
          "dp=2", "step 1: gradient of blocks.4.mlp.projection.weight"},
         [](auto& s, auto&) { repeat_sum(s, reduction, 1); },
         "are reduced twice"},
        {{"reduced_before_the_last_pass",
          "the final norm's gradients leave before the last micro-batch has added to them", "dp=2",
          "step 1: weight of final_norm.weight"},
         [](auto& s, auto&) { reduce_before_last_pass(s); },
         "before their last contribution"},
        {{"reduced_over_the_wrong_group",
          "the final norm's gradients are summed over all ranks, tensor ranks included",
          "dp=2,tp=2", "step 1: gradient of final_norm.weight"},
         [](auto& s, auto&) { s.at(reduction).transfer.group = GroupKind::world; },
         "gradients are reduced over the world group"},
    };
}

std::vector<ProgramMutant> wrong_sums_over_others() {
    return {
        {{"replicated_norm_never_summed",
          "under sequence parallelism one block's norms and biases are not summed over the tensor "
          "ranks",
          "tp=2,sp=1", "step 1: weight of blocks.4.mlp.projection.bias"},
         [](auto& s, auto&) { s.erase(tensor_sum, 1); },
         "has not been summed over tensor ranks"},
        {{"tied_embedding_never_summed",
          "the stages keep their own gradients of the tied embedding", "pp=2 1f1b",
          "step 1: weight of token_embedding.weight"},
         [](auto& s, auto&) { s.erase(tied_sum); },
         "has not been added to its copy's"},
        {{"tied_embedding_summed_twice", "the tied embedding's gradients are summed twice",
          "pp=2 1f1b", "step 1: gradient of token_embedding.weight"},
         [](auto& s, auto&) { repeat_sum(s, tied_sum); },
         "is added twice"},
        {{"norm_of_each_stage", "each stage clips by the norm of its own gradients", "pp=2 1f1b",
          "step 1: weight of token_embedding.weight"},
         [](auto& s, auto&) { s.at(norm_sum).transfer.group = GroupKind::data; },
         "the norm is not summed over all ranks"},
    };
}

std::vector<ProgramMutant> wrong_shards() {
    return {
        {{"stale_weights_after_the_update",
          "under ZeRO-1 the owners keep the new weights of one bucket for themselves",
          "dp=2,zero=1", "step 2: loss"},
         [](auto& s, auto&) { s.erase(gather, 1); },
         "(end): weight"},
        {{"gradients_left_in_their_place",
          "under ZeRO-2 a bucket's gradients stay where the next block's come", "dp=2,zero=2",
          "step 1: gradient of blocks.4.mlp.expansion.weight"},
         [](auto& s, auto&) { s.erase(reduction, 2); },
         "has not been reduced"},
        {{"stale_weights_in_the_backward_pass",
          "under ZeRO-3 a block goes backward with another block's weights", "dp=2,zero=3",
          "step 1: gradient of blocks.2.mlp.expansion.weight"},
         [](auto& s, auto&) { leave_out_later_gather(s); },
         "reads weights"},
    };
}

/// The bugs that LAMB invites: each rank scales by the norms of what it holds.
std::vector<ProgramMutant> norms_of_parts() {
    return {
        {{"tensor_norms_of_each_share",
          "under ZeRO each replica scales LAMB's updates by the norms of its own shares",
          "dp=3,zero=2", "step 1: weight of blocks.4.mlp.projection.weight", "step program",
          OptimizerKind::lamb},
         [](auto& s, auto&) { s.at(tensor_norms_sum).transfer.group = GroupKind::tensor; },
         "the tensors' norms are not summed over all ranks"},
        {{"tensor_norms_of_each_shard",
          "each tensor rank scales LAMB's updates by the norms of its own shards", "tp=2",
          "step 1: weight of position_embedding.weight", "step program", OptimizerKind::lamb},
         [](auto& s, auto&) { s.at(tensor_norms_sum).transfer.group = GroupKind::data; },
         "the tensors' norms are not summed over all ranks"},
        {{"tensor_norms_of_each_stage",
          "the last stage scales LAMB's update of the tied embedding without the first one's norms",
          "pp=2 1f1b", "step 1: weight of token_embedding.weight", "step program",
          OptimizerKind::lamb},
         [](auto& s, auto&) { s.at(tensor_norms_sum).transfer.group = GroupKind::data; },
         "the tensors' norms are not summed over all ranks"},
    };
}

std::vector<ProgramMutant> wrong_context() {
    const GroupKind context{{"context"}};
    const auto keys = transfer(What::stored_rows, context);
    const auto key_gradients = transfer(What::real_rows, context);
    return {
        {{"gradients_of_each_sequence",
          "the final norm's gradients are summed over the ranks of a sequence, not over replicas",
          "dp=2,cp=2", "step 1: weight of final_norm.weight"},
         [=](auto& s, auto&) { s.at(reduction).transfer.group = context; },
         "gradients are reduced over the context group"},
        {{"keys_never_passed_on", "one block's keys and values stay with their rank", "cp=2",
          "step 1: loss"},
         [=](auto& s, auto&) { s.erase(keys); },
         "has not been sent to other ranks"},
        {{"key_gradients_never_go_home",
          "the gradients of one block's keys and values stay with the last rank that adds to them",
          "cp=2", "step 1: gradient of blocks.4.attention.qkv.weight"},
         [=](auto& s, auto&) { s.erase(key_gradients); },
         "has not been sent to other ranks"},
    };
}

std::vector<ProgramMutant> wrong_experts() {
    const GroupKind experts{{"expert"}}, context{{"context"}};
    const auto rows = transfer(What::stored_rows, experts);
    const auto picks = transfer(What::real_rows, context);
    const auto expert_sum = transfer(What::gradients, GroupKind::expert_data);
    const auto expert_gather = transfer(What::weights, GroupKind::expert_data);
    return {
        {{"experts_summed_over_all_replicas",
          "gradients of experts are summed over ranks that hold others", "dp=2,ep=2 experts=2x4",
          "step 1: gradient of blocks.4.experts.0.projection.weight"},
         [=](auto& s, auto&) {
             s.change(expert_sum, [](Action& a) { a.transfer.group = GroupKind::data; });
         },
         "gradients are reduced over the data group"},
        {{"experts_never_summed", "each replica keeps its own gradients of one bucket of experts",
          "dp=2,ep=2 experts=2x4", "step 1: weight of blocks.4.experts.0.projection.weight"},
         [=](auto& s, auto&) { s.erase(expert_sum); },
         "has not been reduced"},
        {{"all_summed_as_experts",
          "the final norm's gradients are summed over the replicas of the same experts only",
          "dp=2,ep=2 experts=2x4", "step 1: weight of final_norm.weight"},
         [=](auto& s, auto&) { s.at(reduction).transfer.group = GroupKind::expert_data; },
         "gradients are reduced over the expert data group"},
        {{"rows_never_come_back",
          "what the experts of one block have made of other ranks' positions stays with them",
          "ep=2 experts=2x4", "step 1: loss"},
         [=](auto& s, auto&) { s.erase(rows, 1); },
         "has not been sent to other ranks"},
        {{"picks_never_summed",
          "in one block each rank of a sequence balances by the picks of its own positions",
          "cp=2 experts=2x4", "step 1: gradient of blocks.0.attention.projection.weight"},
         [=](auto& s, auto&) { s.erase(picks); },
         "has not been sent to other ranks"},
        {{"stale_experts_after_the_update",
          "under ZeRO-1 the owners keep the new weights of one bucket of experts for themselves",
          "dp=2,ep=2,zero=1 experts=2x4", "step 2: loss"},
         [=](auto& s, auto&) { s.erase(expert_gather); },
         "(end): weight"},
    };
}

}  // namespace

StepProgram ProgramMutant::program(const StepSpec& spec, int rank) const {
    Spoiler spoiler(spec, rank, step_program(spec, rank));
    plant(spoiler, coordinates_of(spec.plan, rank));
    return spoiler.spoilt();
}

const std::vector<ProgramMutant>& program_mutants() {
    static const std::vector<ProgramMutant> all = [] {
        std::vector<ProgramMutant> mutants;
        for (const auto& some :
             {wrong_shares_of_the_batch(), wrong_slots(), wrong_sums_over_replicas(),
              wrong_sums_over_others(), wrong_shards(), norms_of_parts(), wrong_context(),
              wrong_experts()}) {
            mutants.insert(mutants.end(), some.begin(), some.end());
        }
        return mutants;
    }();
    return all;
}

}  // namespace shardstone::validation
