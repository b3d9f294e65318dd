// SPDX-License-Identifier: BSD-3-Clause
#include "reference/strategies/tensor_parallel.hpp"

#include <fmt/format.h>

#include <utility>

#include "kernels/base/error.hpp"
#include "reference/step/strategy.hpp"

namespace shardstone::reference {

namespace {

using Operation = GroupTransfer::Operation;
using Kind = Action::Kind;

/// With sequence parallelism the replicated parameters (norms, biases of row-parallel layers,
/// positions) see only the rank's own rows: their gradients are summed over the group before they
/// go anywhere else. Without it every rank computes the same gradient from all rows.
class SequenceParallel : public Strategy {
  public:
    void after(ProgramBuilder& builder, const UnitPass& pass) override {
        const bool every_micro_batch = builder.state().sharding().gradients;
        if (!every_micro_batch && !pass.last_micro_batch) return;
        for (const std::size_t index : builder.finished_groups(pass)) {
            const ParameterGroup& group = builder.layout().groups()[index];
            if (group.replicated == 0) continue;
            const Range range{group.end() - group.replicated, group.replicated};
            builder.add_transfer(
                {Operation::all_reduce, GroupTransfer::What::gradients, GroupKind::tensor, range},
                builder.reductions_of(range));
        }
    }
};

void require_enough_to_share(const StepSpec& spec) {
    const int ranks = spec.plan.tensor;
    require(spec.plan.sequence == 0 || ranks > 1, [&] {
        return fmt::format("plan {}: sequence parallelism works on tensor ranks; use tp=2 or more",
                           to_string(spec.plan));
    });
    require(spec.model.heads >= ranks, [&] {
        return fmt::format(
            "plan {}: {} attention heads do not go round {} tensor ranks; use at "
            "most tp={}",
            to_string(spec.plan), spec.model.heads, ranks, spec.model.heads);
    });
    const std::int64_t rows = spec.batch.micro_tokens();
    require(spec.plan.sequence == 0 || rows >= ranks, [&] {
        return fmt::format(
            "plan {}: {} positions per micro-batch do not go round {} tensor ranks; "
            "use sp=0 or a larger --micro-batch",
            to_string(spec.plan), rows, ranks);
    });
}

/// The calls of a TensorGroup that the layers of model/ make in one pass.
class Calls {
  public:
    Calls(const StepSpec& spec, Kind pass) : spec_(spec), pass_(pass) {}

    std::vector<TensorTransfer> of(const Unit& unit) {
        switch (unit.kind) {
            case Unit::Kind::embedding:
                embedding();
                break;
            case Unit::Kind::block:
                branch(true);
                if (pass_ != Kind::recompute || spec_.recompute == Recompute::full) branch(false);
                break;
            case Unit::Kind::head:
                head();
                break;
        }
        return std::move(calls_);
    }

  private:
    bool forward() const { return pass_ == Kind::forward || pass_ == Kind::recompute; }
    bool makes_input() const { return !forward() && pass_ != Kind::backward_weight; }
    bool makes_weights() const { return !forward() && pass_ != Kind::backward_input; }

    void collect(bool stored = true) {
        if (spec_.plan.sequence == 0) return;
        calls_.push_back({Operation::all_gather, rows(), spec_.model.channels, stored});
    }
    void reduce() {
        const bool by_rows = spec_.plan.sequence == 1;
        calls_.push_back({by_rows ? Operation::reduce_scatter : Operation::all_reduce, rows(),
                          spec_.model.channels});
    }
    void all_reduce(std::int64_t per_row) {
        calls_.push_back({Operation::all_reduce, rows(), per_row});
    }

    void embedding() {
        if (forward()) reduce();
        if (makes_input()) collect(false);  // the gradient, which no product reads
    }
    /// Attention or MLP. The last product of what is recomputed is left out: the branch's output
    /// was kept, or is not needed.
    void branch(bool attention) {
        if (forward()) {
            collect();
            const bool returns =
                pass_ == Kind::forward || (attention && spec_.recompute == Recompute::full);
            if (returns) reduce();
        }
        if (makes_input()) {
            collect();  // the gradient of the output
            reduce();
        }
        if (makes_weights()) collect();  // the norm's output again, of which only own rows are kept
    }
    void head() {
        if (forward()) {
            collect();
            all_reduce(1);  // maximum
            all_reduce(2);  // sum of exponentials and the target's logit
        }
        if (makes_input()) reduce();
        if (makes_weights()) collect();
    }
    std::int64_t rows() const { return spec_.batch.micro_tokens(); }

    const StepSpec& spec_;
    Kind pass_;
    std::vector<TensorTransfer> calls_;
};

const StrategyRegistration tensor_parallel_registration{{
    .order = 15,
    .name = "sequence parallel",
    .applies = [](const StepSpec& spec) { return spec.plan.sequence == 1; },
    .make = make_strategy<SequenceParallel>,
    .require = require_enough_to_share,
}};

}  // namespace

std::vector<TensorTransfer> tensor_transfers(const StepSpec& spec, const Unit& unit, Kind pass) {
    if (spec.plan.tensor == 1) return {};
    return Calls(spec, pass).of(unit);
}

}  // namespace shardstone::reference
