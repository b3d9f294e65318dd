// SPDX-License-Identifier: BSD-3-Clause
#include "reference/trainer/tensor_link.hpp"

#include "kernels/base/element_type.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

namespace coll = collectives;

}  // namespace

template <class Real>
TensorLink<Real>::TensorLink(Exchange& exchange, PhaseClock& clock, const StepSpec& spec)
    : exchange_(exchange),
      clock_(clock),
      rows_(spec.batch.micro_tokens()),
      sequence_parallel_(spec.plan.sequence == 1) {
    if (sequence_parallel_) {
        collect_ = prepare_rows("all_gather", "ring", spec);
        reduce_ = prepare_rows("reduce_scatter", "ring", spec);
    } else {
        reduce_ = prepare_all(spec, rows_ * spec.model.channels, coll::Reduction::sum);
    }
    sum_ = prepare_all(spec, 2 * rows_, coll::Reduction::sum);
    max_ = prepare_all(spec, rows_, coll::Reduction::max);
}

template <class Real>
std::size_t TensorLink<Real>::prepare_rows(std::string_view operation, std::string_view algorithm,
                                           const StepSpec& spec) {
    const std::int64_t channels = spec.model.channels;
    coll::CollectiveSpec made{
        {rows_ * channels, element_traits<Real>::type, coll::Reduction::sum}, 0, {}};
    for (int rank = 0; rank < spec.plan.tensor; ++rank) {
        made.shares.push_back(even_share(rows_, spec.plan.tensor, rank).count * channels);
    }
    return exchange_.prepare(GroupKind::tensor, operation, algorithm, made);
}

template <class Real>
std::size_t TensorLink<Real>::prepare_all(const StepSpec& spec, std::int64_t count,
                                          coll::Reduction reduction) {
    return exchange_.prepare(GroupKind::tensor, "all_reduce", spec.communication.all_reduce,
                             {{count, element_traits<Real>::type, reduction}, 0, {}});
}

template <class Real>
void TensorLink<Real>::run(std::size_t prepared, void* data) {
    const PhaseScope scope(clock_, Phase::communication);
    exchange_.wait(exchange_.start(prepared, data));
}

template <class Real>
void TensorLink<Real>::collect(Matrix<Real> full) {
    SHARDSTONE_EXPECTS(full.leading == full.columns);
    if (sequence_parallel_) run(collect_, full.data);
}

template <class Real>
void TensorLink<Real>::reduce(Matrix<Real> partial) {
    SHARDSTONE_EXPECTS(partial.leading == partial.columns);
    run(reduce_, partial.data);
}

template <class Real>
void TensorLink<Real>::sum(std::span<Real> values) {
    SHARDSTONE_EXPECTS(std::ssize(values) == 2 * rows_);
    run(sum_, values.data());
}

template <class Real>
void TensorLink<Real>::max(std::span<Real> values) {
    SHARDSTONE_EXPECTS(std::ssize(values) == rows_);
    run(max_, values.data());
}

template <class Real>
void TensorLink<Real>::meanwhile() {
    const PhaseScope scope(clock_, Phase::communication);
    exchange_.progress();
}

template class TensorLink<float>;
template class TensorLink<double>;

}  // namespace shardstone::reference
