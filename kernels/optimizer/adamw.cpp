// SPDX-License-Identifier: BSD-3-Clause
// The AdamW update of a range of weights, with decoupled weight decay and bias correction.
#include "kernels/optimizer/adamw.hpp"

#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/optimizer/host_update.hpp"
#include "kernels/optimizer/rules.hpp"

namespace shardstone {

template <class Real>
AdamwRule<Real>::AdamwRule(const AdamwSettings& settings, const AdamwStep& step) {
    const auto t = static_cast<double>(step.step);
    const double correction1 = 1.0 - std::pow(settings.beta1, t);
    const double correction2 = 1.0 - std::pow(settings.beta2, t);
    keep = static_cast<Real>(1.0 - step.learning_rate * settings.weight_decay);
    beta1 = static_cast<Real>(settings.beta1);
    new1 = static_cast<Real>(1.0 - settings.beta1);
    beta2 = static_cast<Real>(settings.beta2);
    new2 = static_cast<Real>(1.0 - settings.beta2);
    step_size = static_cast<Real>(step.learning_rate / correction1);
    inverse_root_correction = static_cast<Real>(1.0 / std::sqrt(correction2));
    epsilon = static_cast<Real>(settings.epsilon);
}

template <class Real>
void adamw_update(HostQueue queue, const AdamwSettings& settings, const AdamwStep& step,
                  const ParameterRange<Real>& range) {
    SHARDSTONE_EXPECTS(range.has_moments(2) && step.step >= 1);
    update_elements(queue, std::ssize(range.weights), step.factors, AdamwRule<Real>(settings, step),
                    range.weights.data(), range.gradients.data(), range.first_moments.data(),
                    range.second_moments.data());
}

template AdamwRule<float>::AdamwRule(const AdamwSettings&, const AdamwStep&);
template AdamwRule<double>::AdamwRule(const AdamwSettings&, const AdamwStep&);
template void adamw_update(HostQueue, const AdamwSettings&, const AdamwStep&,
                           const ParameterRange<float>&);
template void adamw_update(HostQueue, const AdamwSettings&, const AdamwStep&,
                           const ParameterRange<double>&);

}  // namespace shardstone
