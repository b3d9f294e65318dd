// SPDX-License-Identifier: BSD-3-Clause
// Activation recomputation: what a forward pass did not keep is computed again just before the
// backward pass needs it.
//
// What is saved:  selective: the attention branch of every block; full: all of a block but its
//                 input (model/memory_formula.hpp counts both).
// What it costs:  selective: the branch's forward pass without its last product; full: a forward
//                 pass of every block but its last product (of experts that one, too: the gates'
//                 gradients need it), and the collectives of that pass again.
//
// Chen et al. 2016 (sublinear memory); Korthikanti et al. 2023 (selective).
#include <fmt/format.h>

#include "kernels/base/error.hpp"
#include "reference/step/strategy.hpp"

namespace shardstone::reference {

namespace {

class Recomputation : public Strategy {
  public:
    void before(ProgramBuilder& builder, const UnitPass& pass) override {
        if (pass.is_forward() || pass.what.kind != Unit::Kind::block) return;
        builder.add_pass(Pass::recompute, pass.unit);
    }
};

void require_whole_backward(const StepSpec& spec) {
    const bool splits = find_pipeline_schedule(spec.pipeline.schedule).splits_backward;
    require(spec.recompute == Recompute::none || !splits, [&] {
        return fmt::format(
            "--recompute {} with --schedule {}: both halves of its backward pass would compute the "
            "same again; use --schedule 1f1b or --recompute none",
            to_string(spec.recompute), spec.pipeline.schedule);
    });
}

const StrategyRegistration recomputation_registration{{
    .order = 30,
    .name = "recomputation",
    .applies = [](const StepSpec& spec) { return spec.recompute != Recompute::none; },
    .make = make_strategy<Recomputation>,
    .require = require_whole_backward,
}};

}  // namespace

}  // namespace shardstone::reference
