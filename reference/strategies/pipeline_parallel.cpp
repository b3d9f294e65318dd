// SPDX-License-Identifier: BSD-3-Clause
// Pipeline parallelism: every stage holds some layers, and micro-batches pass through the stages.
//
// What is split:  the layers, by whole blocks, as evenly as they divide or as told.
// What is sent:   the residual stream of each micro-batch to the next stage, its gradient back.
// When and why:   as soon as a chunk's last (backward: first) unit has run; the schedule
//                 (step/schedules/) decides which micro-batch is next, and so how long stages idle
//                 and how many micro-batches' activations they keep.
// What it costs:  2 B T C elements per micro-batch and boundary (a share of the rows each with
//                 sequence parallelism), and the schedule's bubble.
//
// Huang et al. 2019 (GPipe); Narayanan et al. 2021 (Megatron-LM); the naive split is the schedule
// "naive".
#include <map>
#include <utility>

#include "reference/step/strategy.hpp"

namespace shardstone::reference {

namespace {

class PipelineParallel : public Strategy {
  public:
    void before(ProgramBuilder& builder, const UnitPass& pass) override {
        if (!pass.first_of_stage_pass) return;
        if (pass.stage_pass.pass == Pass::backward_weight) return;
        const int part = builder.part_number(pass.stage_pass.chunk);
        wait_for_slot(builder, pass);
        if (pass.is_forward()) {
            if (part > 0) receive(builder, pass, part - 1, false);
        } else if (part + 1 < builder.parts()) {
            receive(builder, pass, part + 1, true);
        }
    }

    void after(ProgramBuilder& builder, const UnitPass& pass) override {
        if (!pass.last_of_stage_pass) return;
        const int part = builder.part_number(pass.stage_pass.chunk);
        if (pass.is_forward()) {
            if (part + 1 < builder.parts()) send(builder, pass, part + 1, false);
        } else if (pass.stage_pass.pass != Pass::backward_weight) {
            if (part > 0) send(builder, pass, part - 1, true);
        }
    }

  private:
    using Place = std::pair<int, int>;  ///< chunk (-1: a gradient of the stream) and slot

    static Place place_of(const Action& action, bool gradient) {
        return gradient ? Place{-1, action.gradient_slot} : Place{action.chunk, action.slot};
    }

    static Action message(ProgramBuilder& builder, Action::Kind kind, const UnitPass& pass,
                          int other_part, int receiving_part, bool gradient) {
        Action action = builder.of_stage_pass(kind, pass.unit);
        const std::int64_t crossing =
            pass.stage_pass.micro_batch * builder.parts() + receiving_part;
        action.message = {builder.stage_of_part(other_part), 2 * crossing + (gradient ? 1 : 0),
                          gradient};
        return action;
    }

    void receive(ProgramBuilder& builder, const UnitPass& pass, int from, bool gradient) const {
        const int own = builder.part_number(pass.stage_pass.chunk);
        builder.next_needs(
            builder.add(message(builder, Action::Kind::receive, pass, from, own, gradient)));
    }

    void send(ProgramBuilder& builder, const UnitPass& pass, int to, bool gradient) {
        Action action = message(builder, Action::Kind::send, pass, to, to, gradient);
        const Place place = place_of(action, gradient);
        sends_[place] = builder.add(std::move(action));
    }

    /// What comes next overwrites a slot that an earlier stage pass may still be sending from: the
    /// output of the slot's activations when they are used up, the gradient when its slot is used
    /// again.
    void wait_for_slot(ProgramBuilder& builder, const UnitPass& pass) {
        const Action action = builder.of_stage_pass(Action::Kind::forward, pass.unit);
        for (const bool gradient : {false, true}) {
            if (gradient && pass.is_forward()) continue;
            const auto sent = sends_.find(place_of(action, gradient));
            if (sent == sends_.end()) continue;
            builder.next_needs(sent->second);
            sends_.erase(sent);
        }
    }

    std::map<Place, std::size_t> sends_;
};

const StrategyRegistration pipeline_parallel_registration{{
    .order = 10,
    .name = "pipeline parallel",
    .applies = [](const StepSpec& spec) { return spec.plan.pipeline > 1; },
    .make = make_strategy<PipelineParallel>,
}};

}  // namespace

}  // namespace shardstone::reference
