// SPDX-License-Identifier: BSD-3-Clause
// Runs all proofs over the step programs of a plan before any of them is executed.
#include "reference/step/check/program_check.hpp"

#include "reference/step/check/batch_proof.hpp"
#include "reference/step/check/end_proof.hpp"
#include "reference/step/check/gradient_proof.hpp"
#include "reference/step/check/pass_proof.hpp"
#include "reference/step/check/phase_proof.hpp"
#include "reference/step/check/weight_proof.hpp"
#include "reference/step/timeline.hpp"

namespace shardstone::reference {

namespace {

/// Only who waits for whom matters.
class NoCosts : public StepCosts {
  public:
    double compute_s(int, const Action&) const override { return 0.0; }
    double message_s(int, const Action&) const override { return 0.0; }
    double transfer_s(int, const GroupTransfer&) const override { return 0.0; }
};

void check_rank(const ProgramView& view) {
    check_names(view);
    PassProof passes(view);
    PhaseProof phases(view);
    GradientProof gradients(view);
    WeightProof weights(view);
    EndProof end(view);
    RankProof* const proofs[]{&passes, &phases, &gradients, &weights, &end};
    Ended ended(view.program.actions.size());
    for (std::size_t i = 0; i < view.program.actions.size(); ++i) {
        const Action& action = view.program.actions[i];
        ended.add(action.needs);
        for (RankProof* proof : proofs) proof->see(i, action, ended);
    }
    for (RankProof* proof : proofs) proof->finish();
}

}  // namespace

void check_step_programs(const StepSpec& spec, std::span<const StepProgram> programs) {
    require(std::ssize(programs) == spec.plan.ranks(), [&] {
        return fmt::format("{} step programs for the {} ranks of plan {}", programs.size(),
                           spec.plan.ranks(), to_string(spec.plan));
    });
    std::vector<ProgramView> views;
    views.reserve(programs.size());
    for (std::size_t r = 0; r < programs.size(); ++r) {
        check_rank(views.emplace_back(spec, programs[r], static_cast<int>(r)));
    }
    check_sequences(views);
    run_in_virtual_time(spec.plan, programs, NoCosts{});
    check_messages(views);
    check_places(views);
}

}  // namespace shardstone::reference
