// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "reference/step/timeline.hpp"

namespace shardstone::reference {

/// What a rank saw of waiting for processor cores in one step, and when its step was; all times on
/// the clock of the step's spans.
struct RankWaits {
    /// For how long the rank was ready, but on no core: since its computation before, and in it.
    struct Computation {
        double before_s = 0.0;
        double within_s = 0.0;
    };

    double begin_s = 0.0;  ///< with what is done before the first action, and after the last
    double end_s = 0.0;
    /// In program order; where a device computes, which needs no core, those before only: the rank
    /// may come late to what follows.
    std::vector<Computation> computations;
    /// Up to each look at the messages that moved some: for how long they may have been there, but
    /// the rank on no core to see them. In the order of time, and apart.
    std::vector<ActionSpan> late_looks;
};

/// For how long between two moments at least one of these ranks was late to look.
double late_between(std::span<const RankWaits* const> ranks, const ActionSpan& between);

}  // namespace shardstone::reference
