// SPDX-License-Identifier: BSD-3-Clause
// The checker names what is wrong with the phases of passes, and with what they send.
#include "validation/unit/reference/step/planted.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using Kind = Action::Kind;
using What = GroupTransfer::What;

// With sequence parallelism a block's forward pass is a norm, a gather, attention up to its partial
// result, a reduce-scatter, the residual and the next norm, and so on.
const std::vector<Mutation> phases{
    {"NotGathered", "tp=2,sp=1", 1, [](auto& s) { s.erase(sent(s, Kind::forward, 2, 0)); },
     "what phase 0 has left has not been sent to other ranks"},
    {"NotSummed", "tp=2", 0, [](auto& s) { s.erase(sent(s, Kind::forward, 2, 0)); },
     "what phase 3 has left has not been sent to other ranks"},
    {"SummedTwice", "tp=2", 1,
     [](auto& s) {
         const std::size_t at = sent(s, Kind::forward, 2, 0);
         s.insert(at + 1, s.at(at));
     },
     "no phase has left anything for other ranks"},
    {"SumNotAwaited", "tp=2", 1,
     [](auto& s) { s.at(segment(s, Kind::forward, 2, 1)).needs.clear(); },
     "does not wait for transfer 0 of its phases"},
    {"GradientSumNotAwaited", "tp=2", 0,
     [](auto& s) { s.at(segment(s, Kind::backward, 2, 2)).needs.clear(); },
     "does not wait for transfer 0 of its phases"},
    {"LastGatherNotAwaited", "pp=2,tp=2,sp=1", 0,
     [](auto& s) { s.at(segment(s, Kind::backward_input, 0, 0) + 2).needs.clear(); },
     "does not wait for transfer 0 of its phases", "zb-h1"},
    {"GatheredInsteadOfSummed", "tp=2,sp=1", 1,
     [](auto& s) {
         s.at(sent(s, Kind::forward, 2, 1)).transfer.operation =
             GroupTransfer::CollectiveKind::all_gather;
     },
     "is not the transfer of phase 3"},
    {"SummedInsteadOfTheLargest", "tp=2", 1,
     [](auto& s) { s.at(sent(s, Kind::forward, 4, 0)).transfer.what = What::stream_rows; },
     "is not the transfer of phase 2"},
    {"InTheOtherType", "tp=2,sp=1", 0,
     [](auto& s) { s.at(sent(s, Kind::forward, 2, 0)).transfer.what = What::stream_rows; },
     "is not the transfer of phase 0"},
    {"HalfTheColumns", "tp=2", 0,
     [](auto& s) { s.at(sent(s, Kind::forward, 2, 0)).transfer.columns /= 2; },
     "is not the transfer of phase 3"},
    {"NotAllRows", "tp=2", 0,
     [](auto& s) { --s.at(sent(s, Kind::forward, 2, 0)).transfer.range.count; },
     "is not the transfer of phase 3"},
    {"OtherMicroBatchSent", "tp=2", 1,
     [](auto& s) { s.at(sent(s, Kind::forward, 2, 0)).micro_batch = 0; },
     "sends what micro-batch 0 has left in unit 2, not that of micro-batch 1 in 2"},
    {"SegmentsExchanged", "tp=2", 0,
     [](auto& s) {
         std::swap(s.at(segment(s, Kind::forward, 2, 1)).phases,
                   s.at(segment(s, Kind::forward, 2, 2)).phases);
     },
     "begins with phase 9, but 4 is next"},
    {"PhaseLeftOut", "tp=2", 0,
     [](auto& s) {
         PhaseRange& range = s.at(segment(s, Kind::forward, 2, 1)).phases;
         ++range.first;
         --range.count;
     },
     "begins with phase 5, but 4 is next"},
    {"TooManyPhases", "dp=1", 0, [](auto& s) { ++s.at(pass(Kind::forward, 1, 2)).phases.count; },
     "phases [0, 11) of a pass that has 10"},
    {"SegmentsJoined", "tp=2", 0,
     [](auto& s) { s.at(segment(s, Kind::forward, 2, 0)).phases.count += 2; },
     "what phase 3 has left has not been sent to other ranks"},
    {"EndsTooEarly", "dp=1", 0, [](auto& s) { --s.at(pass(Kind::forward, 1, 2)).phases.count; },
     "phase 8 of 10 is not the last of its pass"},
    {"NeverEnds", "dp=1", 0, [](auto& s) { s.at(pass(Kind::forward, 1, 0)).ends_pass = false; },
     "phase 1 of 2 is indeed the last of its pass"},
    {"OtherPassInBetween", "tp=2", 0,
     [](auto& s) {
         const std::size_t late = segment(s, Kind::forward, 2, 1);
         s.move(s.find(pass(Kind::forward, 2, 0)), late);
     },
     "begins a pass before phase 4 of the one before", "gpipe"},
};
// A ring's forward pass of a block of three ranks is norm, product and the first pass-on, attention
// to the own keys, the next pass-on, attention, and attention to the last keys; its backward pass
// the first pass-on, attention, the next one, attention and the gradients' first pass-on,
// attention, their last one, the rest.
const std::vector<Mutation> rings{
    {"KeysNotAwaited", "cp=3", 1,
     [](auto& s) { s.at(segment(s, Kind::forward, 2, 2)).needs.clear(); },
     "does not wait for transfer 0 of its phases"},
    {"LastKeysNotAwaited", "cp=3", 2,
     [](auto& s) { s.at(segment(s, Kind::forward, 2, 4)).needs.clear(); },
     "does not wait for transfer 1 of its phases"},
    {"KeysNotPassedOn", "cp=3", 0, [](auto& s) { s.erase(sent(s, Kind::forward, 2, 2)); },
     "what phase 4 has left has not been sent to other ranks"},
    {"KeysSummedInsteadOfPassedOn", "cp=2", 0,
     [](auto& s) {
         s.at(sent(s, Kind::forward, 2, 0)).transfer.operation =
             GroupTransfer::CollectiveKind::all_reduce;
     },
     "is not the transfer of phase 2"},
    {"KeysToTheTensorGroup", "tp=2,cp=2", 0,
     [](auto& s) { s.at(sent(s, Kind::forward, 2, 0)).transfer.group = GroupKind::tensor; },
     "is not the transfer of phase 2"},
    {"KeyGradientsNotAwaited", "cp=3", 1,
     [](auto& s) { s.at(segment(s, Kind::backward, 2, 5)).needs.clear(); },
     "does not wait for transfer 2 of its phases"},
    {"KeyGradientsNotAwaitedAtHome", "cp=3", 0,
     [](auto& s) { s.at(segment(s, Kind::backward, 2, 6)).needs.clear(); },
     "does not wait for transfer 3 of its phases"},
    {"KeyGradientsInTheTypeOfKeys", "cp=2", 1,
     [](auto& s) { s.at(sent(s, Kind::backward, 2, 2)).transfer.what = What::stored_rows; },
     "is not the transfer of phase 14"},
};
INSTANTIATE_TEST_SUITE_P(Ring, Planted, testing::ValuesIn(rings), name_of);
INSTANTIATE_TEST_SUITE_P(Phase, Planted, testing::ValuesIn(phases), name_of);

}  // namespace
}  // namespace shardstone::validation
