// SPDX-License-Identifier: BSD-3-Clause
// The checker names what is wrong with messages that tensor ranks share out.
#include "validation/unit/reference/step/planted.hpp"

namespace shardstone::validation {
namespace {

using namespace reference;
using Kind = Action::Kind;
using What = GroupTransfer::What;

Spoiler::Test gather(std::int64_t micro_batch, bool gradient = false) {
    return [=](const Action& action) {
        return action.kind == Kind::transfer && action.transfer.what == What::stage_rows &&
               action.micro_batch == micro_batch && action.message.gradient == gradient;
    };
}

Mutation shared(const char* name, int rank, std::function<void(Spoiler&)> plant,
                const char* complaint) {
    Mutation mutation{name, "tp=2,pp=2", rank, std::move(plant), complaint};
    mutation.scatter_gather = true;
    return mutation;
}

// Ranks 0 and 1 are the first stage, 2 and 3 the second.
const std::vector<Mutation> gathers{
    shared(
        "NeverGathered", 2, [](auto& s) { s.erase(gather(2)); },
        "micro-batch 2 has not waited for its input of chunk 0"),
    shared(
        "GradientNeverGathered", 1, [](auto& s) { s.erase(gather(2, true)); },
        "micro-batch 2 has not waited for the gradient of chunk 0's output"),
    shared(
        "GatherNotWaitedFor", 3, [](auto& s) { s.forget(gather(1)); },
        "micro-batch 1 has not waited for its input of chunk 0"),
    shared(
        "GatheredBeforeItIsThere", 2, [](auto& s) { s.at(gather(1)).needs.clear(); },
        "gathers for chunk 0 what micro-batch 1 has not waited for"),
    shared(
        "GatheredTwice", 2, [](auto& s) { s.repeat(gather(3)); },
        "gathers for chunk 0 again what micro-batch 3 has"),
    shared(
        "GatheredElsewhere", 1, [](auto& s) { s.at(gather(1, true)).gradient_slot ^= 1; },
        "what micro-batch 1 gathers for chunk 0 is in another slot"),
    shared(
        "OtherRows", 3, [](auto& s) { --s.at(gather(1)).transfer.range.count; }, "is not all"),
    shared(
        "OtherColumns", 3, [](auto& s) { ++s.at(gather(1)).transfer.columns; },
        "gathers what no stage sends in shares"),
    shared(
        "GradientForStream", 2, [](auto& s) { s.at(gather(1)).message.gradient = true; },
        "gathers for chunk 0 what micro-batch 1 has not waited for"),
};
INSTANTIATE_TEST_SUITE_P(Gather, Planted, testing::ValuesIn(gathers), name_of);

const std::vector<Mutation> whole{
    {"GatheredWhole", "tp=2,pp=2", 2,
     [](auto& s) { s.replace([](StepSpec& spec) { spec.pipeline.scatter_gather = true; }); },
     "gathers what no stage sends in shares"},
};
INSTANTIATE_TEST_SUITE_P(WholeMessages, Planted, testing::ValuesIn(whole), name_of);

}  // namespace
}  // namespace shardstone::validation
