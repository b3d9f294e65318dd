// SPDX-License-Identifier: BSD-3-Clause
// Plain SGD with weight decay, which keeps no optimizer state.
#include "kernels/optimizer/sgd.hpp"

#include "kernels/base/error.hpp"
#include "kernels/optimizer/host_update.hpp"
#include "kernels/optimizer/rules.hpp"

namespace shardstone {

template <class Real>
void sgd_update(HostQueue queue, const SgdStep& step, std::span<Real> weights,
                std::span<const Real> gradients) {
    SHARDSTONE_EXPECTS(weights.size() == gradients.size());
    update_elements(queue, std::ssize(weights), step.factors, SgdRule<Real>(step), weights.data(),
                    gradients.data());
}

template void sgd_update(HostQueue, const SgdStep&, std::span<float>, std::span<const float>);
template void sgd_update(HostQueue, const SgdStep&, std::span<double>, std::span<const double>);

}  // namespace shardstone
