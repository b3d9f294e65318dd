// SPDX-License-Identifier: BSD-3-Clause
// The checker names what is wrong with passes and messages.
#include "validation/unit/reference/step/planted.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using Kind = Action::Kind;

// On two stages, rank 0 has units 0 (the embedding) to 3, rank 1 blocks 0 to 2 and the head as 3.
const std::vector<Mutation> passes{
    {"NeedInTheFuture", "dp=1", 0, [](auto& s) { s.at(pass(Kind::forward, 1)).needs = {9999}; },
     "waits for action 9999, which is not before it"},
    {"NoSuchSlot", "dp=1", 0, [](auto& s) { s.at(pass(Kind::forward, 1)).slot = 7; },
     "chunk 0 has no slot 7"},
    {"BackwardMissing", "dp=1", 0, [](auto& s) { s.erase(pass(Kind::backward, 3, 0)); },
     "(end): micro-batch 3 never passes unit 0 of chunk 0 backward"},
    {"BackwardLeavesOutAUnit", "dp=1", 0, [](auto& s) { s.erase(pass(Kind::backward, 1, 2)); },
     "micro-batch 1 passes unit 1 of chunk 0 backward, but unit 2 is next"},
    {"ForwardMissing", "dp=1", 0,
     [](auto& s) {
         for (int unit = 0; unit < 5; ++unit) s.erase(pass(Kind::forward, 3, unit));
         for (int unit = 0; unit < 5; ++unit) s.erase(pass(Kind::backward, 3, unit));
     },
     "the loss is summed before 1 micro-batch(es)"},
    {"UnitTwice", "dp=1", 0, [](auto& s) { s.repeat(pass(Kind::forward, 2, 1)); },
     "micro-batch 2 passes unit 1 of chunk 0 forward, but unit 2 is next"},
    {"UnitBackwardTwice", "dp=1", 0, [](auto& s) { s.repeat(pass(Kind::backward, 2, 1)); },
     "micro-batch 2 passes unit 1 of chunk 0 backward, but unit 0 is next"},
    {"BackwardBeforeForward", "dp=1", 0,
     [](auto& s) { std::swap(s.at(pass(Kind::forward, 1, 4)), s.at(pass(Kind::backward, 1, 4))); },
     "comes back through chunk 0 before it is through"},
    {"WrongScale", "dp=2", 1, [](auto& s) { s.at(pass(Kind::backward, 1, 1)).scale = 0.5; },
     "micro-batch 1 has scale 0.5, not 1"},
    {"WrongScaleForward", "dp=2", 1, [](auto& s) { s.at(pass(Kind::forward, 1, 4)).scale = 0; },
     "micro-batch 1 has scale 0, not 1"},
    {"SlotInUse", "pp=2", 0,
     [](auto& s) {
         for (Action& a : s.actions()) {
             if (a.is_pass() || a.kind == Kind::send || a.kind == Kind::receive) a.slot = 0;
         }
     },
     "slot 0 of chunk 0 still belongs to micro-batch 0"},
    {"OtherSlot", "pp=2", 0, [](auto& s) { s.at(pass(Kind::forward, 1, 1)).slot = 0; },
     "micro-batch 1 is in slot 1, not 0"},
    {"SentFromOtherSlot", "pp=2", 0, [](auto& s) { s.at(message(Kind::send, 1)).slot = 0; },
     "what micro-batch 1 sends from chunk 0 is in another slot"},
    {"GradientInOtherSlot", "pp=2", 1,
     [](auto& s) { s.at(message(Kind::send, 1, true)).gradient_slot ^= 1; },
     "what micro-batch 1 sends from chunk 0 is in another slot"},
    {"GradientSlotInUse", "pp=2", 1,
     [](auto& s) {
         for (Action& a : s.actions()) a.gradient_slot = 0;
     },
     "gradient slot 0 is still in use by micro-batch 0"},
    {"GradientSlotBeforeItIsSent", "pp=2", 1,
     [](auto& s) { s.forget(message(Kind::send, 0, true)); }, "is still in use by micro-batch 0"},
    {"SlotBeforeItIsSent", "pp=2", 0, [](auto& s) { s.forget(message(Kind::send, 0)); },
     "micro-batch 0 overwrites an output of chunk 0 that may not have been sent"},
    {"InputNotWaitedFor", "pp=2", 1, [](auto& s) { s.forget(message(Kind::receive, 2)); },
     "micro-batch 2 has not waited for its input of chunk 0"},
    {"GradientNotWaitedFor", "pp=2", 0, [](auto& s) { s.forget(message(Kind::receive, 2, true)); },
     "micro-batch 2 has not waited for the gradient of chunk 0's output"},
    {"NeverReceived", "pp=2", 1, [](auto& s) { s.erase(message(Kind::receive, 2)); },
     "micro-batch 2 has not waited for its input of chunk 0"},
    {"ReceivedTwice", "pp=2", 1, [](auto& s) { s.repeat(message(Kind::receive, 2)); },
     "what micro-batch 2 receives for chunk 0 comes twice or out of turn"},
    {"SentTwice", "pp=2", 0, [](auto& s) { s.repeat(message(Kind::send, 2)); },
     "what micro-batch 2 sends from chunk 0 leaves twice or out of turn"},
    {"NeverSent", "pp=2", 0, [](auto& s) { s.erase(message(Kind::send, 2)); },
     "micro-batch 2 overwrites an output of chunk 0 that may not have been sent"},
    {"GradientNeverSent", "pp=2", 1, [](auto& s) { s.erase(message(Kind::send, 3, true)); },
     "the gradient of micro-batch 3 is never sent from chunk 0"},
    {"SentBeforeItIsThere", "pp=2", 0,
     [](auto& s) { s.move(s.find(message(Kind::send, 1)), s.find(pass(Kind::forward, 1, 3))); },
     "what micro-batch 1 sends from chunk 0 leaves twice or out of turn"},
    {"OtherPeer", "dp=2,pp=3", 0,
     [](auto& s) { s.at(message(Kind::send, 1)).message.peer_stage = 2; },
     "the message of micro-batch 1 and chunk 0 is not one with stage 2"},
    {"MicroBatchOfAnother", "pp=2", 1,
     [](auto& s) { s.at(message(Kind::receive, 1)).micro_batch = 2; },
     "(forward): slot 0 of chunk 0 still belongs to micro-batch 2"},
    {"NotRecomputed", "dp=1", 0, [](auto& s) { s.erase(pass(Kind::recompute, 1, 2)); },
     "unit 2 of chunk 0 has not just been recomputed for micro-batch 1", "1f1b",
     Recompute::selective},
    {"RecomputedTooEarly", "dp=1", 0,
     [](auto& s) {
         s.move(s.find(pass(Kind::recompute, 1, 2)), s.find(pass(Kind::recompute, 1, 3)));
     },
     "unit 2 of chunk 0 has not just been recomputed for micro-batch 1", "1f1b", Recompute::full},
    {"NothingToRecompute", "dp=1", 0,
     [](auto& s) {
         Action action = s.at(pass(Kind::backward, 1, 2));
         action.kind = Kind::recompute;
         s.insert(s.find(pass(Kind::backward, 1, 2)), action);
     },
     "there is nothing to recompute in unit 2"},
    {"WeightHalfMissing", "pp=2", 1, [](auto& s) { s.erase(pass(Kind::backward_weight, 3, 0)); },
     "micro-batch 3 never passes unit 0 of chunk 0 backward", "zb-h1"},
    {"WeightHalfFirst", "pp=2", 0,
     [](auto& s) {
         const auto input = pass(Kind::backward_input, 1, 3);
         const auto weight = pass(Kind::backward_weight, 1, 3);
         s.move(s.find(weight), s.find(input));
         s.at(weight).needs = s.at(input).needs;
     },
     "the weights' half of unit 3 of chunk 0 is not next for micro-batch 1", "zb-h1"},
    {"WeightHalvesExchanged", "pp=2", 0,
     [](auto& s) {
         s.move(s.find(pass(Kind::backward_weight, 1, 2)),
                s.find(pass(Kind::backward_weight, 1, 3)));
     },
     "the weights' half of unit 2 of chunk 0 is not next for micro-batch 1", "zb-h1"},
    {"NoRoomForHalves", "pp=2", 0, [](auto& s) { s.program().splits_backward = false; },
     "half a backward pass in a program that does not split them", "zb-h1"},
};
INSTANTIATE_TEST_SUITE_P(Pass, Planted, testing::ValuesIn(passes), name_of);

}  // namespace
}  // namespace shardstone::validation
