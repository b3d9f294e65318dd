// SPDX-License-Identifier: BSD-3-Clause
// The textbook AdamW update of a single parameter in FP64, with bias-corrected moments.
#include "validation/oracle/adamw.hpp"

#include <cmath>

namespace shardstone::validation::oracle {

AdamwParameter adamw(const AdamwConstants& constants, AdamwParameter parameter, double g,
                     int step) {
    parameter.first_moment = constants.beta1 * parameter.first_moment + (1.0 - constants.beta1) * g;
    parameter.second_moment =
        constants.beta2 * parameter.second_moment + (1.0 - constants.beta2) * g * g;
    const double m_hat = parameter.first_moment / (1.0 - std::pow(constants.beta1, step));
    const double v_hat = parameter.second_moment / (1.0 - std::pow(constants.beta2, step));
    parameter.weight -= constants.learning_rate * (m_hat / (std::sqrt(v_hat) + constants.epsilon) +
                                                   constants.weight_decay * parameter.weight);
    return parameter;
}

}  // namespace shardstone::validation::oracle
