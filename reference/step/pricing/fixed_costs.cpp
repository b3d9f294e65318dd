// SPDX-License-Identifier: BSD-3-Clause
// Step costs with a fixed time per stage pass, for comparing schedules in the abstract.
#include "reference/step/pricing/fixed_costs.hpp"

namespace shardstone::reference {

double FixedCosts::compute_s(int /*rank*/, const Action& action) const {
    if (!action.begins_pass() || action.unit != 0) return 0.0;
    switch (action.kind) {
        case Action::Kind::forward:
            return forward_s;
        case Action::Kind::backward:
            return backward_input_s + backward_weight_s;
        case Action::Kind::backward_input:
            return backward_input_s;
        case Action::Kind::backward_weight:
            return backward_weight_s;
        default:
            return 0.0;
    }
}

}  // namespace shardstone::reference
