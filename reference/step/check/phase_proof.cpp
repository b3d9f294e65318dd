// SPDX-License-Identifier: BSD-3-Clause
// Checks that passes run all their phases in order and wait for other ranks where they must.
#include "reference/step/check/phase_proof.hpp"

namespace shardstone::reference {

namespace {

using Kind = Action::Kind;

const std::vector<UnitPhase> none;

bool is_of_same_unit(const Action& a, const Action& b) {
    return a.micro_batch == b.micro_batch && a.chunk == b.chunk && a.unit == b.unit;
}

}  // namespace

PhaseProof::PhaseProof(const ProgramView& view)
    : RankProof(view), all_(phase_shape(view.spec, view.part)), phases_(&none) {}

void PhaseProof::see(std::size_t position, const Action& action, const Ended& ended) {
    if (action.is_pass()) {
        see_pass(position, action, ended);
    } else if (action.kind == Kind::transfer && action.transfer.is_of_phases()) {
        see_transfer(position, action);
    }
}

void PhaseProof::see_pass(std::size_t position, const Action& action, const Ended& ended) {
    view_.expect(!is_due_, position, "what phase {} has left has not been sent to other ranks",
                 next_ - 1);
    if (action.begins_pass()) {
        begin_pass(position, action, ended);
    } else {
        require_continued(position, action);
    }
    const auto count = static_cast<int>(phases().size());
    view_.expect(action.phases.count > 0 && action.phases.end() <= count, position,
                 "phases [{}, {}) of a pass that has {}", action.phases.first, action.phases.end(),
                 count);
    for (next_ = action.phases.first; next_ < action.phases.end(); ++next_) {
        view_.expect(!is_due_, position, "what phase {} has left has not been sent to other ranks",
                     next_ - 1);
        const UnitPhase& phase = phases()[static_cast<std::size_t>(next_)];
        require_arrived(position, phase.needs, ended);
        is_due_ = phase.transfer.has_value();
    }
    view_.expect(action.ends_pass == (next_ == count), position,
                 "phase {} of {} is {} the last of its pass", next_ - 1, count,
                 action.ends_pass ? "not" : "indeed");
    pass_ = action;
}

void PhaseProof::begin_pass(std::size_t position, const Action& action, const Ended& ended) {
    view_.expect(!is_open(), position, "begins a pass before phase {} of the one before", next_);
    require_arrived(position, static_cast<int>(transfers_.size()), ended);
    phases_ = &all_.of(view_.unit_of(action).kind, action.pass());
    transfers_.clear();
}

void PhaseProof::require_continued(std::size_t position, const Action& action) const {
    view_.expect(is_open() && action.kind == pass_.kind && is_of_same_unit(action, pass_), position,
                 "goes on with a pass of micro-batch {} that is not at hand", action.micro_batch);
    view_.expect(action.phases.first == next_, position, "begins with phase {}, but {} is next",
                 action.phases.first, next_);
}

/// The first `transfers` of the pass.
void PhaseProof::require_arrived(std::size_t position, int transfers, const Ended& ended) const {
    for (std::size_t i = 0; i < static_cast<std::size_t>(transfers); ++i) {
        view_.expect(i < transfers_.size() && ended.contains(transfers_[i]), position,
                     "does not wait for transfer {} of its phases", i);
    }
}

void PhaseProof::see_transfer(std::size_t position, const Action& action) {
    view_.expect(is_due_, position, "no phase has left anything for other ranks");
    const UnitPhase& phase = phases()[static_cast<std::size_t>(next_) - 1];
    view_.expect(is_of_same_unit(action, pass_), position,
                 "sends what micro-batch {} has left in unit {}, not that of micro-batch {} in {}",
                 action.micro_batch, action.unit, pass_.micro_batch, pass_.unit);
    view_.expect(action.transfer == transfer_of(*phase.transfer), position,
                 "is not the transfer of phase {}", next_ - 1);
    transfers_.push_back(position);
    is_due_ = false;
}

void PhaseProof::finish() {
    view_.expect(!is_due_, end(), "what phase {} has left is never sent to other ranks", next_ - 1);
    view_.expect(!is_open(), end(), "phase {} of the last pass is never run", next_);
}

}  // namespace shardstone::reference
