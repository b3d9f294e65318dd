// SPDX-License-Identifier: BSD-3-Clause
// Data parallelism: every replica holds the whole model (or its share of the other axes) and trains
// on its share of the global batch.
//
// What is split:  the sequences of the global batch.
// What is sent:   the gradients, summed over the replicas by an all-reduce, in buckets; those of
//                 experts over the replicas that hold the same ones (expert_parallel.cpp).
// When and why:   once per step, however many micro-batches: a bucket leaves as soon as the last
//                 backward pass has finished its unit, so that most of the transfer hides behind
//                 the rest of the pass (overlap); or all after the pass, for comparison.
// What it costs:  2 (P - 1) / P of the parameters sent per rank and step (ring), no memory.
//
// Li et al., "PyTorch Distributed", VLDB 2020.
#include "reference/step/strategy.hpp"

namespace shardstone::reference {

namespace {

class DataParallel : public Strategy {
  public:
    void after(ProgramBuilder& builder, const UnitPass& pass) override {
        if (!builder.spec().communication.overlap || !pass.last_micro_batch) return;
        for (const std::size_t group : builder.finished_groups(pass)) reduce(builder, group);
    }

    void finish(ProgramBuilder& builder) override {
        if (builder.spec().communication.overlap) return;
        for (std::size_t g = 0; g < builder.layout().groups().size(); ++g) reduce(builder, g);
    }

  private:
    /// Where owners update for all, gradients go to them alone (zero.cpp).
    static void reduce(ProgramBuilder& builder, std::size_t group) {
        if (builder.state().sharding().optimizer || builder.state().replicas(group) == 1) return;
        const GroupKind over = replicas_of(builder.layout().groups()[group].kind);
        for (const Range& bucket : builder.state().buckets(group)) {
            builder.add_transfer({GroupTransfer::CollectiveKind::all_reduce,
                                  GroupTransfer::What::gradients, over, bucket},
                                 builder.reductions_of(bucket));
        }
    }
};

const StrategyRegistration data_parallel_registration{{
    .order = 50,
    .name = "data parallel",
    .applies = [](const StepSpec& spec) { return replicas(spec.plan) > 1; },
    .make = make_strategy<DataParallel>,
}};

}  // namespace

}  // namespace shardstone::reference
