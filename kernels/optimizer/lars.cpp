// SPDX-License-Identifier: BSD-3-Clause
// The LARS update of a range of weights.
#include "kernels/optimizer/lars.hpp"

#include "kernels/base/error.hpp"
#include "kernels/optimizer/host_update.hpp"
#include "kernels/optimizer/rules.hpp"

namespace shardstone {

template <class Real>
void lars_update(HostQueue queue, const LarsStep& step, const ParameterRange<Real>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(1));
    update_elements(queue, std::ssize(range.weights), step.factors, LarsRule<Real>(step),
                    range.weights.data(), range.gradients.data(), range.first_moments.data());
}

template void lars_update(HostQueue, const LarsStep&, const ParameterRange<float>&);
template void lars_update(HostQueue, const LarsStep&, const ParameterRange<double>&);

}  // namespace shardstone
