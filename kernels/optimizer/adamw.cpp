// SPDX-License-Identifier: BSD-3-Clause
// The AdamW update of a range of weights, with decoupled weight decay and bias correction.
#include "kernels/optimizer/adamw.hpp"

#include "kernels/base/error.hpp"
#include "kernels/optimizer/host_update.hpp"
#include "kernels/optimizer/rules.hpp"

namespace shardstone {

template <class Real>
void adamw_update(HostQueue queue, const AdamwSettings& settings, const AdamwStep& step,
                  const ParameterRange<Real>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(2) && step.step >= 1);
    update_elements(queue, std::ssize(range.weights), AdamwRule<Real>(settings, step),
                    range.weights.data(), range.gradients.data(), range.first_moments.data(),
                    range.second_moments.data());
}

template void adamw_update(HostQueue, const AdamwSettings&, const AdamwStep&,
                           const ParameterRange<float>&);
template void adamw_update(HostQueue, const AdamwSettings&, const AdamwStep&,
                           const ParameterRange<double>&);

}  // namespace shardstone
