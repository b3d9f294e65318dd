// SPDX-License-Identifier: BSD-3-Clause
// Looks up what actions of a step program refer to, and refuses those that name what is not there.
#include "reference/step/check/program_view.hpp"

#include <algorithm>

#include "reference/model/rows.hpp"
#include "reference/precision/fp8_scales.hpp"

namespace shardstone::reference {

namespace {

using Kind = Action::Kind;
using What = GroupTransfer::What;

bool is_below(std::int64_t number, std::int64_t end) {
    return number >= 0 && number < end;
}

void check_stage_pass(const ProgramView& view, std::size_t position, const Action& action) {
    const StepProgram& program = view.program;
    view.expect(is_below(action.micro_batch, view.spec.micro_batches()), position,
                "there is no micro-batch {}", action.micro_batch);
    view.expect(is_below(action.chunk, view.chunks()), position, "there is no chunk {}",
                action.chunk);
    view.expect(is_below(action.unit, view.units_in(action.chunk)), position,
                "chunk {} has no unit {}", action.chunk, action.unit);
    view.expect(is_below(action.slot, program.slots[static_cast<std::size_t>(action.chunk)]),
                position, "chunk {} has no slot {}", action.chunk, action.slot);
    view.expect(is_below(action.gradient_slot, program.gradient_slots), position,
                "there is no gradient slot {}", action.gradient_slot);
    view.expect(is_below(action.message.peer_stage, view.spec.plan.pipeline), position,
                "there is no stage {}", action.message.peer_stage);
}

void check_range(const ProgramView& view, std::size_t position, const GroupTransfer& transfer) {
    const auto [first, count] = transfer.range;
    if (transfer.what == What::norm) {
        view.expect(first == 0 && count == 1, position, "[{}, {}) is not the one norm", first,
                    first + count);
        return;
    }
    const auto require_all = [&](std::int64_t all, const char* things) {
        view.expect(first == 0 && count == all, position, "[{}, {}) is not all {} {}", first,
                    first + count, all, things);
    };
    if (transfer.what == What::loss) return require_all(loss_sums_of(view.spec.model), "losses");
    if (transfer.what == What::tensor_norms) {
        return require_all(tensor_count(view.spec.model), "tensors");
    }
    if (transfer.what == What::amaxes) {
        return require_all(Fp8Tensor::count(view.spec.model.layers), "FP8 tensors");
    }
    if (transfer.what == What::stage_rows) {
        const BatchShape& batch = view.spec.batch;
        return require_all(view.part.positions(batch.micro_batch, batch.sequence), "positions");
    }
    if (transfer.is_of_phases()) return;  // held against the phase's own (phase_proof.hpp)
    view.expect(view.group_of(transfer.range).has_value(), position,
                "[{}, {}) does not lie in one parameter group", first, first + count);
}

}  // namespace

ProgramView::ProgramView(const StepSpec& step_spec, const StepProgram& step_program, int number)
    : spec(step_spec),
      program(step_program),
      rank(number),
      at(coordinates_of(spec.plan, rank)),
      part(part_of(spec, rank)),
      layout(spec.model, part),
      state(spec, layout, at) {
    for (const ModelChunk& chunk : part.chunks) {
        units_.push_back(chunk.units());
        auto& groups = groups_.emplace_back();
        for (const Unit& unit : units_.back()) groups.push_back(layout.groups_of(unit));
    }
}

std::optional<std::size_t> ProgramView::group_of(const Range& range) const {
    const auto& groups = layout.groups();
    const auto after = std::ranges::upper_bound(groups, range.first, {}, &ParameterGroup::first);
    if (after == groups.begin() || range.count <= 0) return std::nullopt;
    const auto group = std::prev(after);
    if (range.end() > group->end()) return std::nullopt;
    return index(group - groups.begin());
}

bool ProgramView::is_bucket(const Range& range) const {
    const auto group = group_of(range);
    if (!group) return false;
    const auto buckets = state.buckets(*group);
    return std::ranges::find(buckets, range) != buckets.end();
}

void ProgramView::refuse(std::size_t action, const std::string& what) const {
    const auto& actions = program.actions;
    const std::string kind =
        action < actions.size() ? fmt::format(" ({})", to_string(actions[action].kind)) : " (end)";
    fail(fmt::format("step program of rank {}, action {}{}: {}", rank, action, kind, what));
}

void check_names(const ProgramView& view) {
    view.expect(std::ssize(view.program.slots) == view.chunks(), 0, "slots for {} chunks, not {}",
                view.program.slots.size(), view.chunks());
    for (std::size_t i = 0; i < view.program.actions.size(); ++i) {
        const Action& action = view.program.actions[i];
        for (const std::size_t need : action.needs) {
            view.expect(need < i, i, "waits for action {}, which is not before it", need);
        }
        if (action.kind == Kind::transfer) check_range(view, i, action.transfer);
        const bool of_stage_pass =
            action.kind != Kind::transfer || action.transfer.is_of_stage_pass();
        if (of_stage_pass && (action.is_pass() || action.is_communication()))
            check_stage_pass(view, i, action);
    }
}

}  // namespace shardstone::reference
