// SPDX-License-Identifier: BSD-3-Clause
// Actions are appended to a rank's step program, with what each of them has to wait for.
#include "reference/step/program_builder.hpp"

#include <algorithm>
#include <utility>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

using Group = ParameterGroup::Kind;

constexpr Action::Kind kind_of(Pass pass) {
    return static_cast<Action::Kind>(pass);
}
static_assert(kind_of(Pass::recompute) == Action::Kind::recompute);
static_assert(kind_of(Pass::backward_weight) == Action::Kind::backward_weight);

}  // namespace

bool UnitPass::reads_weights() const {
    if (stage_pass.pass == Pass::backward_weight) return false;
    return is_forward() || what.kind != Unit::Kind::embedding;
}

ProgramBuilder::ProgramBuilder(const StepSpec& spec, int rank)
    : spec_(spec),
      at_(coordinates_of(spec.plan, rank)),
      part_(part_of(spec, rank)),
      layout_(spec.model, part_),
      state_(spec, layout_, at_),
      phases_(phase_shape(spec, part_)) {}

std::size_t ProgramBuilder::add(Action action) {
    if (action.is_pass() || action.kind == Action::Kind::receive) {
        action.needs.insert(action.needs.end(), next_needs_.begin(), next_needs_.end());
        next_needs_.clear();
    }
    std::ranges::sort(action.needs);
    const auto [first, last] = std::ranges::unique(action.needs);
    action.needs.erase(first, last);
    actions_.push_back(std::move(action));
    return actions_.size() - 1;
}

void ProgramBuilder::add_pass(Pass pass, int unit) {
    const auto units = part_.chunks[static_cast<std::size_t>(stage_pass_.chunk)].units();
    const auto& phases = phases_.of(units[static_cast<std::size_t>(unit)].kind, pass);
    std::vector<std::size_t> transfers;  // that nobody has waited for
    int waited = 0;
    for (const PhaseRange& segment : segments_of(phases)) {
        Action action = of_stage_pass(kind_of(pass), unit);
        action.phases = segment;
        action.ends_pass = segment.end() == static_cast<int>(phases.size());
        int needed = phases[static_cast<std::size_t>(segment.first)].needs - waited;
        if (!spec_.communication.overlap) needed = static_cast<int>(transfers.size());
        const auto end = transfers.begin() + std::max(0, needed);
        action.needs.assign(transfers.begin(), end);
        waited += static_cast<int>(action.needs.size());
        transfers.erase(transfers.begin(), end);
        add(action);
        const auto& last = phases[static_cast<std::size_t>(segment.end()) - 1];
        if (last.transfer) transfers.push_back(add_transfer_of(action, *last.transfer));
    }
    next_needs(transfers);
}

/// What the phases have left.
std::size_t ProgramBuilder::add_transfer_of(const Action& phases, const PhaseTransfer& transfer) {
    Action action = phases;
    action.kind = Action::Kind::transfer;
    action.transfer = transfer_of(transfer);
    action.needs.clear();
    return add(std::move(action));
}

std::size_t ProgramBuilder::add_transfer(const GroupTransfer& transfer,
                                         std::vector<std::size_t> needs) {
    Action action;
    action.kind = Action::Kind::transfer;
    action.transfer = transfer;
    action.needs = std::move(needs);
    const std::size_t position = add(std::move(action));
    if (transfer.what == GroupTransfer::What::gradients) remember(position);
    return position;
}

void ProgramBuilder::remember(std::size_t position) {
    const auto range_of = [this](std::size_t at) { return actions_[at].transfer.range; };
    const Range range = range_of(position);
    // Whoever needs the new one need not name those that it has waited for itself.
    std::erase_if(reductions_, [&](std::size_t earlier) {
        const auto& needs = actions_[position].needs;
        const Range old = range_of(earlier);
        return range.first <= old.first && old.end() <= range.end() &&
               std::ranges::find(needs, earlier) != needs.end();
    });
    reductions_.push_back(position);
}

Action ProgramBuilder::of_stage_pass(Action::Kind kind, int unit) const {
    Action action = stage_pass_;
    action.kind = kind;
    action.unit = unit;
    return action;
}

std::vector<std::size_t> ProgramBuilder::finished_groups(const UnitPass& pass) const {
    std::vector<std::size_t> finished;
    if (!pass.makes_gradients()) return finished;
    for (const std::size_t group : layout_.groups_of(pass.what)) {
        const bool awaits_embedding = pass.what.kind == Unit::Kind::head &&
                                      layout_.groups()[group].kind == Group::token &&
                                      part_.has_embedding();
        if (!awaits_embedding) finished.push_back(group);
    }
    return finished;
}

std::vector<std::size_t> ProgramBuilder::reductions_of(const Range& range) const {
    std::vector<std::size_t> found;
    for (const std::size_t position : reductions_) {
        const Range& reduced = actions_[position].transfer.range;
        if (reduced.first < range.end() && range.first < reduced.end()) found.push_back(position);
    }
    return found;
}

}  // namespace shardstone::reference
