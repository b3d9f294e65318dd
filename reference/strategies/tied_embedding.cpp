// SPDX-License-Identifier: BSD-3-Clause
// The token embedding of a pipelined model: the first stage looks tokens up in it, the last one
// multiplies by it (Press and Wolf 2017), so both hold a copy.
//
// What is sent:   its gradient, summed over the two stages by an all-reduce.
// When and why:   once per step, when each stage's own replicas have summed theirs: the gradient of
//                 a tied tensor is the sum over its uses, and copies that start equal and get equal
//                 gradients stay equal. Under ZeRO each rank sums only the share that it owns.
// What it costs:  the embedding's size sent per end stage and step (half of it with ZeRO's shares
//                 of two replicas, and so on); the memory of the copy.
//
// The norm counts the first stage's copy alone.
#include "reference/step/strategy.hpp"

namespace shardstone::reference {

namespace {

class TiedEmbedding : public Strategy {
  public:
    void finish(ProgramBuilder& builder) override {
        const ModelPart& part = builder.part();
        if (!part.has_embedding() && !part.has_head()) return;
        const auto token = builder.layout().group_index(ParameterGroup::Kind::token);
        for (const Range& bucket : builder.state().buckets(token)) {
            const Range range = builder.state().owned_of(bucket);
            if (range.count == 0) continue;
            builder.add_transfer({GroupTransfer::CollectiveKind::all_reduce,
                                  GroupTransfer::What::gradients, GroupKind::tied, range},
                                 builder.reductions_of(range));
        }
    }
};

const StrategyRegistration tied_embedding_registration{{
    .order = 70,
    .name = "tied embedding",
    .applies = [](const StepSpec& spec) { return spec.plan.pipeline > 1; },
    .make = make_strategy<TiedEmbedding>,
}};

}  // namespace

}  // namespace shardstone::reference
