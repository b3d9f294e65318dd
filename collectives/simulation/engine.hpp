// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "collectives/simulation/fabric.hpp"
#include "collectives/simulation/step_lists.hpp"

namespace shardstone::collectives {

/// Traffic of the links of one class. A link is one direction of a rank's port, of a NIC or of a
/// leaf switch's uplinks (fabric.hpp).
struct ClassTraffic {
    double bytes = 0.0;  ///< of all messages together
    double busiest_bytes =
        0.0;  ///< through the link with the most traffic relative to its capacity
    double capacity_gb_s = 0.0;  ///< of that link
    double busy_s = 0.0;         ///< time of that link for its bytes at full rate
};

struct Simulated {
    double time_s = 0.0;  ///< from the common start until the last rank has finished
    double messages = 0.0;
    std::array<ClassTraffic, link_classes> traffic;  ///< by LinkClass

    const ClassTraffic& of(LinkClass link_class) const {
        return traffic[static_cast<std::size_t>(link_class)];
    }
    /// The average rate of the busiest link over the whole time, for comparison with its capacity.
    double rate_gb_s(LinkClass link_class) const {
        return time_s > 0.0 ? of(link_class).busiest_bytes / time_s * 1e-9 : 0.0;
    }
};

/// Simulates step lists on a fabric, as events in time.
///
/// A message starts once both ends have reached its step (rendezvous) and both ports are free: a
/// rank has one port to send and one to receive, first come first served, each busy until the last
/// byte has left; alpha is latency behind that, during which the ports may serve another channel's
/// message. It moves at 1 / beta of its link class, or, where NICs or uplinks are shared and full,
/// at its max-min fair share of them (shared_links.hpp); so where nothing is shared this is the
/// alpha-beta model exactly. Data received for reduction then take gamma per byte on their rank,
/// one reduction at a time; if the same step still sends those blocks, after those sends.
///
/// The lists are those of all ranks of the fabric, from a schedule that has passed the checker;
/// throws Error naming a rank and step if they cannot be simulated to their end.
Simulated play(const StepLists& lists, const Fabric& fabric);

}  // namespace shardstone::collectives
