// SPDX-License-Identifier: BSD-3-Clause
// The updates of all optimizers on the GPU: the host's rules, element by element, bitwise the same.
#include <type_traits>

#include "kernels/base/device/elements.hpp"
#include "kernels/base/device/grid.hpp"
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

template <int count, class Rule, class... T>
__device__ inline void update_at(std::int64_t at, const Rule& rule, T*... arrays) {
    [&](Pack<std::remove_const_t<T>, count>... packs) {
#pragma unroll
        for (int i = 0; i < count; ++i) rule(packs.element[i]...);
        const auto store = [at](const auto& pack, auto* array) {
            if constexpr (!std::is_const_v<std::remove_pointer_t<decltype(array)>>) {
                store_pack(pack, array + at);
            }
        };
        (store(packs, arrays), ...);
    }(load_pack<std::remove_const_t<T>, count>(arrays + at)...);
}

template <class T, class Rule, class... Others>
__global__ void update(Packs<std::remove_const_t<T>> packs, FactorsAt factors, Rule rule, T* first,
                       Others*... others) {
    if (factors.skips()) return;
    rule.take(factors);
    for_each_of_grid(packs.packs + packs.singles, [=](std::int64_t i) {
        if (i < packs.packs) {
            update_at<packs.width>(packs.place_of_pack(i), rule, first, others...);
        } else {
            update_at<1>(packs.place_of_single(i - packs.packs), rule, first, others...);
        }
    });
}

/// Enqueues rule(first[i], others[i]...) for each i in [0, count), unless the factors skip it: it
/// changes elements of arrays that are not const. They do not overlap.
template <class Rule, class T, class... Others>
void update_elements(cudaStream_t stream, std::int64_t count, const FactorsAt& factors,
                     const Rule& rule, T* first, Others*... others) {
    if (count == 0) return;
    const auto packs = Packs<std::remove_const_t<T>>::of(count, first, others...);
    launch(update<T, Rule, Others...>, elementwise(packs.pieces()), stream, packs, factors, rule,
           first, others...);
}

}  // namespace

template <class Real>
void adamw_update(CudaQueue queue, const AdamwSettings& settings, const AdamwStep& step,
                  const ParameterRange<Real, Cuda>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(2) && step.step >= 1);
    update_elements(queue.stream(), count_of(range.weights), step.factors,
                    AdamwRule<Real>(settings, step), numbers(range.weights),
                    numbers(range.gradients), numbers(range.first_moments),
                    numbers(range.second_moments));
}

template <class Real>
void sgd_update(CudaQueue queue, const SgdStep& step, Cuda::Span<Real> weights,
                Cuda::Span<const Real> gradients) {
    SHARDSTONE_EXPECTS(weights.size() == gradients.size());
    update_elements(queue.stream(), count_of(weights), step.factors, SgdRule<Real>(step),
                    numbers(weights), numbers(gradients));
}

template <class Real>
void momentum_update(CudaQueue queue, const MomentumSettings& settings, const MomentumStep& step,
                     const ParameterRange<Real, Cuda>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(1));
    update_elements(queue.stream(), count_of(range.weights), step.factors,
                    MomentumRule<Real>(settings, step), numbers(range.weights),
                    numbers(range.gradients), numbers(range.first_moments));
}

template <class Real>
void lars_update(CudaQueue queue, const LarsStep& step, const ParameterRange<Real, Cuda>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(1));
    update_elements(queue.stream(), count_of(range.weights), step.factors, LarsRule<Real>(step),
                    numbers(range.weights), numbers(range.gradients), numbers(range.first_moments));
}

template <class Real>
void lamb_moments(CudaQueue queue, const LambSettings& settings, const FactorsAt& factors,
                  const ParameterRange<Real, Cuda>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(2));
    update_elements(queue.stream(), count_of(range.weights), factors, LambMoments<Real>(settings),
                    numbers(range.gradients), numbers(range.first_moments),
                    numbers(range.second_moments));
}

template <class Real>
void lamb_update(CudaQueue queue, const LambSettings& settings, std::int64_t step, double rate,
                 const FactorsAt& factors, const ParameterRange<Real, Cuda>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(2) && step >= 1);
    const LambUpdate<Real> rule{{settings, step}, rate};
    update_elements(queue.stream(), count_of(range.weights), factors, rule, numbers(range.weights),
                    fixed(range.first_moments), fixed(range.second_moments));
}

#define SHARDSTONE_INSTANTIATE(Real)                                                               \
    template void adamw_update(CudaQueue, const AdamwSettings&, const AdamwStep&,                  \
                               const ParameterRange<Real, Cuda>&);                                 \
    template void sgd_update(CudaQueue, const SgdStep&, Cuda::Span<Real>, Cuda::Span<const Real>); \
    template void momentum_update(CudaQueue, const MomentumSettings&, const MomentumStep&,         \
                                  const ParameterRange<Real, Cuda>&);                              \
    template void lars_update(CudaQueue, const LarsStep&, const ParameterRange<Real, Cuda>&);      \
    template void lamb_moments(CudaQueue, const LambSettings&, const FactorsAt&,                   \
                               const ParameterRange<Real, Cuda>&);                                 \
    template void lamb_update(CudaQueue, const LambSettings&, std::int64_t, double,                \
                              const FactorsAt&, const ParameterRange<Real, Cuda>&);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
