// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/cluster/description.hpp"
#include "collectives/operation/spec.hpp"
#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

/// A message of n bytes over a link of this class takes alpha + n beta (R. W. Hockney, "The
/// communication challenge for MPP", Parallel Computing 20(3), 1994); or, if the link was measured
/// at several sizes, the measured time.
struct LinkCost {
    double alpha_s = 0.0;
    double beta_s_per_byte = 0.0;
    SizeCurve measured = {};
    double start_s = 0.0;  ///< time of a collective besides its messages

    /// Least time per byte of a piece of a vector, in s; see CostParameters::within().
    double least_beta = 0.0;

    double time_s(std::int64_t size_bytes) const {
        const auto bytes = static_cast<double>(size_bytes);
        return measured.empty() ? alpha_s + beta_s_per_byte * bytes
                                : std::max(measured.time_s(size_bytes), least_beta * bytes);
    }
    /// Time in addition to alpha per byte of a message of this size.
    double beta_at(std::int64_t size_bytes) const {
        if (measured.empty() || size_bytes == 0) return beta_s_per_byte;
        return std::max(0.0, time_s(size_bytes) - alpha_s) / static_cast<double>(size_bytes);
    }
};

struct CostParameters {
    LinkCost intra_node;
    LinkCost inter_node;
    double gamma_s_per_byte = 0.0;  ///< reducing one received byte into the vector
    SizeCurve reduction = {};       ///< the same as measured at several sizes
    double least_gamma = 0.0;       ///< as LinkCost::least_beta
    LinkCost shared_memory = {};    ///< messages inside a node that bypass MPI
    std::vector<MeasuredCollective> direct = {};

    double reduction_s(std::int64_t size_bytes) const {
        const auto bytes = static_cast<double>(size_bytes);
        return reduction.empty() ? gamma_s_per_byte * bytes
                                 : std::max(reduction.time_s(size_bytes), least_gamma * bytes);
    }

    /// Parameters for the pieces of a vector of this many bytes. Curves come from repeated
    /// messages, small ones from cache. A piece of a vector larger than the caches is not in cache
    /// either, so its bytes take at least as long as those of a message of the vector's length.
    CostParameters within(std::int64_t vector_bytes) const;
};

/// Time from the common start until the last rank has finished, by simulating the schedule
/// (simulation/engine.hpp) on a fabric where the ranks of a node share its NICs, if there are any
/// given, and nothing else. The schedule has passed the checker.
double predict_time_s(const Schedule& schedule, const CollectiveSpec& spec,
                      const CostParameters& costs,
                      const std::optional<NicDescription>& nics = std::nullopt);

}  // namespace shardstone::collectives
