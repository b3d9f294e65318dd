// SPDX-License-Identifier: BSD-3-Clause
// The LAMB update in its three steps: moments, squares of the direction, weights.
#include "kernels/optimizer/lamb.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/base/error.hpp"
#include "kernels/optimizer/host_update.hpp"
#include "kernels/optimizer/rules.hpp"

namespace shardstone {

template <class Real>
void lamb_moments(HostQueue queue, const LambSettings& settings, const FactorsAt& factors,
                  const ParameterRange<Real>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(2));
    update_elements(queue, std::ssize(range.weights), factors, LambMoments<Real>(settings),
                    range.gradients.data(), range.first_moments.data(),
                    range.second_moments.data());
}

template <class Real>
void lamb_squares(HostQueue, const LambSettings& settings, std::int64_t step,
                  const ParameterRange<Real>& range, SquareSum::Limbs& limbs) {
    SHARDSTONE_EXPECTS(range.has_moments(2) && step >= 1);
    const LambDirection<Real> direction(settings, step);
    SquareSum sum(limbs);
    std::array<Real, 1024> u;
    for (std::size_t begin = 0; begin < range.weights.size(); begin += u.size()) {
        const std::size_t count = std::min(u.size(), range.weights.size() - begin);
        const Real* w = range.weights.data() + begin;
        const Real* m = range.first_moments.data() + begin;
        const Real* v = range.second_moments.data() + begin;
#pragma omp simd
        for (std::size_t i = 0; i < count; ++i) u[i] = direction(w[i], m[i], v[i]);
        sum.add(std::span<const Real>(u.data(), count));
    }
    limbs = sum.limbs();
}

template <class Real>
void lamb_update(HostQueue queue, const LambSettings& settings, std::int64_t step, double rate,
                 const FactorsAt& factors, const ParameterRange<Real>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(2) && step >= 1);
    const LambUpdate<Real> rule{{settings, step}, rate};
    update_elements(queue, std::ssize(range.weights), factors, rule, range.weights.data(),
                    range.first_moments.data(), range.second_moments.data());
}

template void lamb_moments(HostQueue, const LambSettings&, const FactorsAt&,
                           const ParameterRange<float>&);
template void lamb_moments(HostQueue, const LambSettings&, const FactorsAt&,
                           const ParameterRange<double>&);
template void lamb_squares(HostQueue, const LambSettings&, std::int64_t,
                           const ParameterRange<float>&, SquareSum::Limbs&);
template void lamb_squares(HostQueue, const LambSettings&, std::int64_t,
                           const ParameterRange<double>&, SquareSum::Limbs&);
template void lamb_update(HostQueue, const LambSettings&, std::int64_t, double, const FactorsAt&,
                          const ParameterRange<float>&);
template void lamb_update(HostQueue, const LambSettings&, std::int64_t, double, const FactorsAt&,
                          const ParameterRange<double>&);

}  // namespace shardstone
