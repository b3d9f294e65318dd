// SPDX-License-Identifier: BSD-3-Clause
#include "reference/trainer/tensor_link.hpp"

#include "kernels/base/element_type.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

namespace coll = collectives;

}  // namespace

TensorLink::TensorLink(Exchange& exchange, PhaseClock& clock, const StepSpec& spec,
                       ElementType real, ElementType stored)
    : exchange_(exchange),
      clock_(clock),
      real_(real),
      stored_(stored),
      rows_(spec.batch.micro_tokens()),
      sequence_parallel_(spec.plan.sequence == 1) {
    if (sequence_parallel_) {
        collect_ = prepare_rows("all_gather", spec, real);
        collect_stored_ = stored == real ? collect_ : prepare_rows("all_gather", spec, stored);
        reduce_ = prepare_rows("reduce_scatter", spec, real);
    } else {
        reduce_ = prepare_all(spec, rows_ * spec.model.channels, coll::Reduction::sum);
    }
    sum_ = prepare_all(spec, 2 * rows_, coll::Reduction::sum);
    max_ = prepare_all(spec, rows_, coll::Reduction::max);
}

std::size_t TensorLink::prepare_rows(std::string_view operation, const StepSpec& spec,
                                     ElementType type) {
    const std::int64_t channels = spec.model.channels;
    coll::CollectiveSpec made{{rows_ * channels, type, coll::Reduction::sum}, 0, {}};
    for (int rank = 0; rank < spec.plan.tensor; ++rank) {
        made.shares.push_back(even_share(rows_, spec.plan.tensor, rank).count * channels);
    }
    return exchange_.prepare(GroupKind::tensor, operation, "ring", made);
}

std::size_t TensorLink::prepare_all(const StepSpec& spec, std::int64_t count,
                                    coll::Reduction reduction) {
    return exchange_.prepare(GroupKind::tensor, "all_reduce", spec.communication.all_reduce,
                             {{count, real_, reduction}, 0, {}});
}

void TensorLink::run(std::size_t prepared, void* data) {
    const PhaseScope scope(clock_, Phase::communication);
    exchange_.wait(exchange_.start(prepared, data));
}

void TensorLink::collect(const Rows& full) {
    SHARDSTONE_EXPECTS(full.type == real_ || full.type == stored_);
    if (!sequence_parallel_) return;
    run(full.type == stored_ ? collect_stored_ : collect_, full.data);
}

void TensorLink::reduce(const Rows& partial) {
    SHARDSTONE_EXPECTS(partial.type == real_);
    run(reduce_, partial.data);
}

void TensorLink::sum(const Rows& values) {
    SHARDSTONE_EXPECTS(values.type == real_ && values.rows * values.columns == 2 * rows_);
    run(sum_, values.data);
}

void TensorLink::max(const Rows& values) {
    SHARDSTONE_EXPECTS(values.type == real_ && values.rows * values.columns == rows_);
    run(max_, values.data);
}

void TensorLink::meanwhile() {
    const PhaseScope scope(clock_, Phase::communication);
    exchange_.progress();
}

}  // namespace shardstone::reference
