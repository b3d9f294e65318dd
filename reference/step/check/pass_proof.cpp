// SPDX-License-Identifier: BSD-3-Clause
// Follows each micro-batch through a rank's chunks: passes, slots, messages and recomputation.
#include "reference/step/check/pass_proof.hpp"

#include <algorithm>

namespace shardstone::reference {

namespace {

using Kind = Action::Kind;
using What = GroupTransfer::What;

}  // namespace

PassProof::PassProof(const ProgramView& view)
    : RankProof(view), gradient_slots_(static_cast<std::size_t>(view.program.gradient_slots)) {
    for (int chunk = 0; chunk < view.chunks(); ++chunk) {
        const int slots = view.program.slots[static_cast<std::size_t>(chunk)];
        slots_.emplace_back(static_cast<std::size_t>(slots));
        for (std::int64_t m = 0; m < view.spec.micro_batches(); ++m) {
            Crossing& made = crossings_.emplace_back();
            made.chunk = chunk;
            made.micro_batch = m;
        }
    }
}

std::size_t PassProof::place(const Action& action) const {
    return static_cast<std::size_t>(action.chunk * view_.spec.micro_batches() + action.micro_batch);
}

void PassProof::see(std::size_t position, const Action& action, const Ended& ended) {
    if (action.is_pass()) {
        view_.expect(action.scale == 1.0, position, "micro-batch {} has scale {}, not 1",
                     action.micro_batch, action.scale);
    }
    switch (action.kind) {
        case Kind::forward:
            see_forward(position, action, ended);
            break;
        case Kind::recompute:
            see_recompute(position, action, ended);
            break;
        case Kind::backward:
        case Kind::backward_input:
        case Kind::backward_weight:
            see_backward(position, action, ended);
            break;
        case Kind::receive:
            return see_receive(position, action, ended);
        case Kind::send:
            return see_send(position, action);
        case Kind::transfer:
            if (action.transfer.what == What::stage_rows) see_gather(position, action, ended);
            return;
        default:
            return;
    }
    if (action.kind == Kind::recompute) {
        recompute_ = position;
    } else if (action.ends_pass) {
        recompute_.reset();
    }
}

void PassProof::take_slot(std::size_t position, const Action& action) {
    Crossing& self = crossing(action);
    if (!self.slot) {
        Holder& holder =
            slots_[static_cast<std::size_t>(action.chunk)][static_cast<std::size_t>(action.slot)];
        view_.expect(!holder, position, "slot {} of chunk {} still belongs to micro-batch {}",
                     action.slot, action.chunk, holder ? crossings_[*holder].micro_batch : 0);
        holder = place(action);
        self.slot = action.slot;
    }
    view_.expect(self.slot == action.slot, position, "micro-batch {} is in slot {}, not {}",
                 action.micro_batch, *self.slot, action.slot);
}

void PassProof::take_gradient_slot(std::size_t position, const Action& action, const Ended& ended) {
    Crossing& self = crossing(action);
    Holder& holder = gradient_slots_[static_cast<std::size_t>(action.gradient_slot)];
    if (!self.gradient_slot) {
        if (holder) {
            const Crossing& other = crossings_[*holder];
            const bool is_through = other.inputs == view_.units_in(other.chunk);
            const bool has_left = is_first_part(other.chunk) ||
                                  (other.gradient_sent && ended.contains(*other.gradient_sent));
            view_.expect(is_through && has_left, position,
                         "gradient slot {} is still in use by micro-batch {}", action.gradient_slot,
                         other.micro_batch);
        }
        holder = place(action);
        self.gradient_slot = action.gradient_slot;
    }
    view_.expect(self.gradient_slot == action.gradient_slot && holder == place(action), position,
                 "the gradient of micro-batch {} is not in gradient slot {}", action.micro_batch,
                 action.gradient_slot);
}

void PassProof::see_forward(std::size_t position, const Action& action, const Ended& ended) {
    take_slot(position, action);
    Crossing& self = crossing(action);
    view_.expect(action.unit == self.forward, position,
                 "micro-batch {} passes unit {} of chunk {} forward, but unit {} is next",
                 action.micro_batch, action.unit, action.chunk, self.forward);
    if (action.unit == 0 && !is_first_part(action.chunk)) {
        view_.expect(is_there(self.input, ended), position,
                     "micro-batch {} has not waited for its input of chunk {}", action.micro_batch,
                     action.chunk);
    }
    if (action.ends_pass) ++self.forward;
}

/// The forward pass is over, its output sent: the activations may be used up.
void PassProof::require_input_order(std::size_t position, const Action& action,
                                    const Ended& ended) {
    take_slot(position, action);
    const Crossing& self = crossing(action);
    view_.expect(self.forward == view_.units_in(action.chunk), position,
                 "micro-batch {} comes back through chunk {} before it is through",
                 action.micro_batch, action.chunk);
    if (is_last_part(action.chunk)) return;
    view_.expect(self.sent && ended.contains(*self.sent), position,
                 "micro-batch {} overwrites an output of chunk {} that may not have been sent",
                 action.micro_batch, action.chunk);
    view_.expect(is_there(self.gradient, ended), position,
                 "micro-batch {} has not waited for the gradient of chunk {}'s output",
                 action.micro_batch, action.chunk);
}

void PassProof::see_recompute(std::size_t position, const Action& action, const Ended& ended) {
    view_.expect(
        view_.spec.recompute != Recompute::none && view_.unit_of(action).kind == Unit::Kind::block,
        position, "there is nothing to recompute in unit {}", action.unit);
    require_input_order(position, action, ended);
}

void PassProof::require_recomputed(std::size_t position, const Action& action) const {
    const bool needed =
        view_.spec.recompute != Recompute::none && view_.unit_of(action).kind == Unit::Kind::block;
    if (!needed) return;
    const auto is_same = [&](const Action& other) {
        return other.micro_batch == action.micro_batch && other.chunk == action.chunk &&
               other.unit == action.unit;
    };
    view_.expect(recompute_ && is_same(view_.program.actions[*recompute_]), position,
                 "unit {} of chunk {} has not just been recomputed for micro-batch {}", action.unit,
                 action.chunk, action.micro_batch);
}

void PassProof::see_backward(std::size_t position, const Action& action, const Ended& ended) {
    require_input_order(position, action, ended);
    require_recomputed(position, action);
    Crossing& self = crossing(action);
    const int last = view_.units_in(action.chunk) - 1;
    const bool whole = action.kind == Kind::backward;
    view_.expect(whole || view_.program.splits_backward, position,
                 "half a backward pass in a program that does not split them");
    if (action.kind != Kind::backward_weight) {
        take_gradient_slot(position, action, ended);
        view_.expect(action.unit == last - self.inputs, position,
                     "micro-batch {} passes unit {} of chunk {} backward, but unit {} is next",
                     action.micro_batch, action.unit, action.chunk, last - self.inputs);
        if (action.ends_pass) ++self.inputs;
    }
    if (action.kind != Kind::backward_input) {
        const int inputs = self.inputs + (whole && !action.ends_pass ? 1 : 0);
        view_.expect(action.unit == last - self.weights && self.weights < inputs, position,
                     "the weights' half of unit {} of chunk {} is not next for micro-batch {}",
                     action.unit, action.chunk, action.micro_batch);
        if (action.ends_pass) ++self.weights;
    }
    if (self.weights > last) {
        slots_[static_cast<std::size_t>(self.chunk)][static_cast<std::size_t>(*self.slot)].reset();
    }
}

void PassProof::require_peer(std::size_t position, const Action& action, int part) const {
    const bool there = part >= 0 && part < view_.parts() && view_.spec.plan.pipeline > 1;
    view_.expect(there && action.message.peer_stage == view_.stage_of_part(part), position,
                 "the message of micro-batch {} and chunk {} is not one with stage {}",
                 action.micro_batch, action.chunk, action.message.peer_stage);
}

void PassProof::see_receive(std::size_t position, const Action& action, const Ended& ended) {
    Crossing& self = crossing(action);
    const bool gradient = action.message.gradient;
    require_peer(position, action, view_.part_number(action.chunk) + (gradient ? 1 : -1));
    const bool in_time = gradient ? self.forward == view_.units_in(action.chunk) && self.inputs == 0
                                  : self.forward == 0;
    Position& received = (gradient ? self.gradient : self.input).received;
    view_.expect(in_time && !received, position,
                 "what micro-batch {} receives for chunk {} comes twice or out of turn",
                 action.micro_batch, action.chunk);
    take_slot(position, action);
    if (gradient) take_gradient_slot(position, action, ended);
    received = position;
}

bool PassProof::is_there(const Arrival& arrival, const Ended& ended) const {
    const Position& last = view_.spec.pipeline.scatter_gather ? arrival.gathered : arrival.received;
    return last && ended.contains(*last);
}

void PassProof::see_gather(std::size_t position, const Action& action, const Ended& ended) {
    view_.expect(view_.spec.pipeline.scatter_gather &&
                     action.transfer == gather_of_message(view_.spec, view_.part),
                 position, "gathers what no stage sends in shares");
    Crossing& self = crossing(action);
    const bool gradient = action.message.gradient;
    Arrival& arrival = gradient ? self.gradient : self.input;
    view_.expect(arrival.received && ended.contains(*arrival.received), position,
                 "gathers for chunk {} what micro-batch {} has not waited for", action.chunk,
                 action.micro_batch);
    view_.expect(!arrival.gathered, position, "gathers for chunk {} again what micro-batch {} has",
                 action.chunk, action.micro_batch);
    const bool there =
        gradient ? self.gradient_slot == action.gradient_slot : self.slot == action.slot;
    view_.expect(there, position, "what micro-batch {} gathers for chunk {} is in another slot",
                 action.micro_batch, action.chunk);
    arrival.gathered = position;
}

void PassProof::see_send(std::size_t position, const Action& action) {
    Crossing& self = crossing(action);
    const bool gradient = action.message.gradient;
    require_peer(position, action, view_.part_number(action.chunk) + (gradient ? -1 : 1));
    const int units = view_.units_in(action.chunk);
    const bool in_time =
        gradient ? self.inputs == units : self.forward == units && self.inputs == 0;
    Position& sent = gradient ? self.gradient_sent : self.sent;
    view_.expect(in_time && !sent, position,
                 "what micro-batch {} sends from chunk {} leaves twice or out of turn",
                 action.micro_batch, action.chunk);
    const bool there =
        gradient
            ? self.gradient_slot == action.gradient_slot &&
                  gradient_slots_[static_cast<std::size_t>(action.gradient_slot)] == place(action)
            : self.slot == action.slot;
    view_.expect(there, position, "what micro-batch {} sends from chunk {} is in another slot",
                 action.micro_batch, action.chunk);
    sent = position;
}

void PassProof::require_through(const Crossing& crossing) const {
    const int units = view_.units_in(crossing.chunk);
    view_.expect(crossing.forward == units, end(),
                 "micro-batch {} never passes unit {} of chunk {} forward", crossing.micro_batch,
                 crossing.forward, crossing.chunk);
    const int backward = std::min(crossing.inputs, crossing.weights);
    view_.expect(backward == units, end(),
                 "micro-batch {} never passes unit {} of chunk {} backward", crossing.micro_batch,
                 units - 1 - backward, crossing.chunk);
    view_.expect(is_first_part(crossing.chunk) || crossing.gradient_sent, end(),
                 "the gradient of micro-batch {} is never sent from chunk {}", crossing.micro_batch,
                 crossing.chunk);
}

void PassProof::finish() {
    for (const Crossing& crossing : crossings_) require_through(crossing);
}

}  // namespace shardstone::reference
