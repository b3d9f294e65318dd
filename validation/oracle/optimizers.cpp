// SPDX-License-Identifier: BSD-3-Clause
// Textbook updates of whole tensors in FP64: momentum, Nesterov, LARS and LAMB.
#include "validation/oracle/optimizers.hpp"

#include <cmath>

namespace shardstone::validation::oracle {

double norm(const Values& values) {
    long double sum = 0.0L;
    for (const double value : values) sum += static_cast<long double>(value) * value;
    return static_cast<double>(std::sqrt(sum));
}

Tensor momentum(const MomentumConstants& constants, Tensor tensor, const Values& g, bool nesterov) {
    for (std::size_t i = 0; i < g.size(); ++i) {
        double& w = tensor.weights[i];
        double& velocity = tensor.first_moments[i];
        const double d = g[i] + constants.weight_decay * w;
        velocity = constants.momentum * velocity + d;
        w -= constants.learning_rate * (nesterov ? d + constants.momentum * velocity : velocity);
    }
    return tensor;
}

Tensor lars(const MomentumConstants& constants, double trust, Tensor tensor, const Values& g) {
    const double weights = norm(tensor.weights);
    const double local_rate = trust * weights / (norm(g) + constants.weight_decay * weights);
    for (std::size_t i = 0; i < g.size(); ++i) {
        double& w = tensor.weights[i];
        double& velocity = tensor.first_moments[i];
        velocity = constants.momentum * velocity +
                   constants.learning_rate * local_rate * (g[i] + constants.weight_decay * w);
        w -= velocity;
    }
    return tensor;
}

Values lamb_direction(const AdamwConstants& constants, const Tensor& tensor, int step) {
    Values direction(tensor.weights.size());
    for (std::size_t i = 0; i < direction.size(); ++i) {
        const double m_hat = tensor.first_moments[i] / (1.0 - std::pow(constants.beta1, step));
        const double v_hat = tensor.second_moments[i] / (1.0 - std::pow(constants.beta2, step));
        direction[i] = m_hat / (std::sqrt(v_hat) + constants.epsilon) +
                       constants.weight_decay * tensor.weights[i];
    }
    return direction;
}

Tensor lamb(const AdamwConstants& constants, Tensor tensor, const Values& g, int step) {
    for (std::size_t i = 0; i < g.size(); ++i) {
        double& m = tensor.first_moments[i];
        double& v = tensor.second_moments[i];
        m = constants.beta1 * m + (1.0 - constants.beta1) * g[i];
        v = constants.beta2 * v + (1.0 - constants.beta2) * g[i] * g[i];
    }
    const Values direction = lamb_direction(constants, tensor, step);
    const double ratio = norm(tensor.weights) / norm(direction);
    for (std::size_t i = 0; i < g.size(); ++i) {
        tensor.weights[i] -= constants.learning_rate * ratio * direction[i];
    }
    return tensor;
}

}  // namespace shardstone::validation::oracle
