// SPDX-License-Identifier: BSD-3-Clause
// SGD with heavy-ball or Nesterov momentum on a range of weights.
#include "kernels/optimizer/momentum.hpp"

#include "kernels/base/error.hpp"
#include "kernels/optimizer/host_update.hpp"
#include "kernels/optimizer/rules.hpp"

namespace shardstone {

template <class Real>
void momentum_update(HostQueue queue, const MomentumSettings& settings, const MomentumStep& step,
                     const ParameterRange<Real>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(1));
    update_elements(queue, std::ssize(range.weights), step.factors,
                    MomentumRule<Real>(settings, step), range.weights.data(),
                    range.gradients.data(), range.first_moments.data());
}

template void momentum_update(HostQueue, const MomentumSettings&, const MomentumStep&,
                              const ParameterRange<float>&);
template void momentum_update(HostQueue, const MomentumSettings&, const MomentumStep&,
                              const ParameterRange<double>&);

}  // namespace shardstone
