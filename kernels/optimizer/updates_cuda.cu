// SPDX-License-Identifier: BSD-3-Clause
// The updates of all optimizers on the GPU: the host's rules, element by element, bitwise the same.
#include "kernels/base/device/packs.hpp"
#include "kernels/base/device/unfused.hpp"
#include "kernels/optimizer/rules.hpp"

namespace shardstone {

namespace {

using namespace device;

template <class Real>
Unfused<Real>* numbers(const Cuda::Span<Real>& span) {
    return reinterpret_cast<Unfused<Real>*>(span.data());
}
template <class Real>
const Unfused<Real>* numbers(const Cuda::Span<const Real>& span) {
    return reinterpret_cast<const Unfused<Real>*>(span.data());
}
/// Of what a rule only reads.
template <class Real>
const Unfused<Real>* fixed(const Cuda::Span<Real>& span) {
    return numbers(span);
}

template <class Real>
std::int64_t count_of(const Cuda::Span<Real>& span) {
    return static_cast<std::int64_t>(span.size());
}

}  // namespace

template <class Real>
void adamw_update(CudaQueue queue, const AdamwSettings& settings, const AdamwStep& step,
                  const ParameterRange<Real, Cuda>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(2) && step.step >= 1);
    update_elements(queue.stream(), count_of(range.weights), AdamwRule<Real>(settings, step),
                    numbers(range.weights), numbers(range.gradients), numbers(range.first_moments),
                    numbers(range.second_moments));
}

template <class Real>
void sgd_update(CudaQueue queue, const SgdStep& step, Cuda::Span<Real> weights,
                Cuda::Span<const Real> gradients) {
    SHARDSTONE_EXPECTS(weights.size() == gradients.size());
    update_elements(queue.stream(), count_of(weights), SgdRule<Real>(step), numbers(weights),
                    numbers(gradients));
}

template <class Real>
void momentum_update(CudaQueue queue, const MomentumSettings& settings, const MomentumStep& step,
                     const ParameterRange<Real, Cuda>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(1));
    update_elements(queue.stream(), count_of(range.weights), MomentumRule<Real>(settings, step),
                    numbers(range.weights), numbers(range.gradients), numbers(range.first_moments));
}

template <class Real>
void lars_update(CudaQueue queue, const LarsStep& step, const ParameterRange<Real, Cuda>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(1));
    update_elements(queue.stream(), count_of(range.weights), LarsRule<Real>(step),
                    numbers(range.weights), numbers(range.gradients), numbers(range.first_moments));
}

template <class Real>
void lamb_moments(CudaQueue queue, const LambSettings& settings, double gradient_scale,
                  const ParameterRange<Real, Cuda>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(2));
    update_elements(queue.stream(), count_of(range.weights),
                    LambMoments<Real>(settings, gradient_scale), numbers(range.gradients),
                    numbers(range.first_moments), numbers(range.second_moments));
}

template <class Real>
void lamb_update(CudaQueue queue, const LambSettings& settings, std::int64_t step, double rate,
                 const ParameterRange<Real, Cuda>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(2) && step >= 1);
    const LambUpdate<Real> rule{{settings, step}, static_cast<Real>(rate)};
    update_elements(queue.stream(), count_of(range.weights), rule, numbers(range.weights),
                    fixed(range.first_moments), fixed(range.second_moments));
}

#define SHARDSTONE_INSTANTIATE(Real)                                                               \
    template void adamw_update(CudaQueue, const AdamwSettings&, const AdamwStep&,                  \
                               const ParameterRange<Real, Cuda>&);                                 \
    template void sgd_update(CudaQueue, const SgdStep&, Cuda::Span<Real>, Cuda::Span<const Real>); \
    template void momentum_update(CudaQueue, const MomentumSettings&, const MomentumStep&,         \
                                  const ParameterRange<Real, Cuda>&);                              \
    template void lars_update(CudaQueue, const LarsStep&, const ParameterRange<Real, Cuda>&);      \
    template void lamb_moments(CudaQueue, const LambSettings&, double,                             \
                               const ParameterRange<Real, Cuda>&);                                 \
    template void lamb_update(CudaQueue, const LambSettings&, std::int64_t, double,                \
                              const ParameterRange<Real, Cuda>&);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
