// SPDX-License-Identifier: BSD-3-Clause
#include "reference/step/check/end_proof.hpp"

namespace shardstone::reference {

namespace {

using Kind = Action::Kind;
using What = GroupTransfer::What;

}  // namespace

EndProof::EndProof(const ProgramView& view)
    : RankProof(view), losses_(view.part.has_head() ? view.spec.micro_batches() : 0) {}

void EndProof::once(std::optional<std::size_t>& place, std::size_t position, const char* what) {
    view_.expect(!place, position, "{} twice", what);
    place = position;
}

void EndProof::see(std::size_t position, const Action& action, const Ended& ended) {
    if (action.is_pass()) {
        see_pass(position, action);
    } else if (action.kind == Kind::norm) {
        once(norm_, position, "the norm is taken");
    } else if (action.kind == Kind::update) {
        once(update_, position, "the weights are updated");
        view_.expect(norm_sum_ && ended.contains(*norm_sum_), position,
                     "the update does not wait for the norm");
    } else if (action.kind == Kind::transfer) {
        see_sum(position, action.transfer);
    }
}

void EndProof::see_pass(std::size_t position, const Action& action) {
    view_.expect(!norm_ && !update_, position, "a pass comes after the norm");
    const bool is_loss =
        action.kind == Kind::forward && view_.unit_of(action).kind == Unit::Kind::head;
    if (is_loss) --losses_;
}

void EndProof::see_sum(std::size_t position, const GroupTransfer& transfer) {
    if (transfer.what != What::loss && transfer.what != What::norm) return;
    const bool is_loss = transfer.what == What::loss;
    once(is_loss ? loss_ : norm_sum_, position,
         is_loss ? "the loss is summed" : "the norm is summed");
    view_.expect(transfer.group == GroupKind::world &&
                     transfer.operation == GroupTransfer::Operation::all_reduce,
                 position, "the {} is not summed over all ranks", is_loss ? "loss" : "norm");
    view_.expect(!is_loss || losses_ == 0, position,
                 "the loss is summed before {} micro-batch(es) have added to it", losses_);
    view_.expect(is_loss || norm_, position, "the norm is summed before it is taken");
}

void EndProof::finish() {
    view_.expect(loss_.has_value(), end(), "the loss is never summed");
    view_.expect(norm_.has_value(), end(), "the norm is never taken");
    view_.expect(norm_sum_.has_value(), end(), "the norm is never summed");
    view_.expect(update_.has_value(), end(), "the weights are never updated");
}

}  // namespace shardstone::reference
