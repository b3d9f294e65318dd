// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "collectives/operation/spec.hpp"
#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

/// A message of n bytes over a link of this class takes alpha + n beta (R. W. Hockney, "The
/// communication challenge for MPP", Parallel Computing 20(3), 1994).
struct LinkCost {
    double alpha_s = 0.0;
    double beta_s_per_byte = 0.0;

    double time_s(std::int64_t size_bytes) const {
        return alpha_s + beta_s_per_byte * static_cast<double>(size_bytes);
    }
};

struct CostParameters {
    LinkCost intra_node;
    LinkCost inter_node;
    double gamma_s_per_byte = 0.0;  ///< reducing one received byte into the vector
};

/// Time from the common start until the last rank has finished, by playing the schedule through as
/// simulation/engine.hpp says, on a fabric whose links between nodes are not shared. The schedule
/// has passed the checker.
double predict_time_s(const Schedule& schedule, const CollectiveSpec& spec,
                      const CostParameters& costs);

}  // namespace shardstone::collectives
