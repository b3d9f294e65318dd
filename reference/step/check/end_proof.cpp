// SPDX-License-Identifier: BSD-3-Clause
// Checks the end of a rank's step: loss, norms, amaxes and update come once and in the right order.
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
    } else if (action.kind == Kind::tensor_norms) {
        see_tensor_norms(position, ended);
    } else if (action.kind == Kind::update) {
        once(update_, position, "the weights are updated");
        const auto& last = view_.spec.tensor_norms ? tensor_norms_sum_ : norm_sum_;
        view_.expect(last && ended.contains(*last), position, "the update does not wait for the {}",
                     view_.spec.tensor_norms ? "tensors' norms" : "norm");
    } else if (action.kind == Kind::transfer) {
        see_sum(position, action.transfer);
    }
}

void EndProof::see_pass(std::size_t position, const Action& action) {
    view_.expect(!norm_ && !update_, position, "a pass comes after the norm");
    view_.expect(!amaxes_, position, "a pass comes after the amaxes");
    const bool is_loss = action.kind == Kind::forward && action.ends_pass &&
                         view_.unit_of(action).kind == Unit::Kind::head;
    if (is_loss) --losses_;
}

void EndProof::see_tensor_norms(std::size_t position, const Ended& ended) {
    view_.expect(view_.spec.tensor_norms, position, "this optimizer has no use for tensors' norms");
    once(tensor_norms_, position, "the tensors' norms are taken");
    view_.expect(norm_sum_ && ended.contains(*norm_sum_), position,
                 "the tensors' norms do not wait for the norm");
    view_.expect(!update_, position, "the tensors' norms are taken after the update");
}

void EndProof::see_sum(std::size_t position, const GroupTransfer& transfer) {
    const bool over_all = transfer.group == GroupKind::world &&
                          transfer.operation == GroupTransfer::CollectiveKind::all_reduce;
    const auto summed = [&](const char* what) {
        view_.expect(over_all, position, "{} not summed over all ranks", what);
    };
    if (transfer.what == What::loss) {
        summed("the loss is");
        see_loss_sum(position);
    } else if (transfer.what == What::norm) {
        once(norm_sum_, position, "the norm is summed");
        summed("the norm is");
        view_.expect(norm_.has_value(), position, "the norm is summed before it is taken");
    } else if (transfer.what == What::tensor_norms) {
        once(tensor_norms_sum_, position, "the tensors' norms are summed");
        summed("the tensors' norms are");
        view_.expect(tensor_norms_.has_value(), position,
                     "the tensors' norms are summed before they are taken");
    } else if (transfer.what == What::amaxes) {
        view_.expect(over_all, position, "the amaxes are not those of all ranks");
        see_amaxes(position);
    }
}

void EndProof::see_loss_sum(std::size_t position) {
    once(loss_, position, "the loss is summed");
    view_.expect(losses_ == 0, position,
                 "the loss is summed before {} micro-batch(es) have added to it", losses_);
}

void EndProof::see_amaxes(std::size_t position) {
    view_.expect(view_.spec.precision.fp8_products, position, "this precision has no FP8 tensors");
    once(amaxes_, position, "the amaxes are exchanged");
}

void EndProof::finish() {
    view_.expect(loss_.has_value(), end(), "the loss is never summed");
    view_.expect(norm_.has_value(), end(), "the norm is never taken");
    view_.expect(norm_sum_.has_value(), end(), "the norm is never summed");
    view_.expect(!view_.spec.tensor_norms || tensor_norms_sum_, end(),
                 "the tensors' norms are never summed");
    view_.expect(!view_.spec.precision.fp8_products || amaxes_, end(),
                 "the amaxes are never exchanged");
    view_.expect(update_.has_value(), end(), "the weights are never updated");
}

}  // namespace shardstone::reference
