// SPDX-License-Identifier: BSD-3-Clause
// By how much each node, NIC and port is slower or faster than the others: the whole cluster at a
// glance.
#pragma once

#include <span>
#include <vector>

#include "validation/interconnect/components.hpp"
#include "validation/interconnect/pair_times.hpp"

namespace shardstone::validation {

/// Nodes with several NICs (node); NICs with their cables by direction (cable_out, cable_in),
/// relative to their node; and uplink ports by direction (port_up, port_down).
struct Effect {
    Component component = {};
    double log_slowdown = 0.0;  ///< logarithm of the time relative to the median of all tests
    double error = 0.0;         ///< standard error of it
    int tests = 0;
};

struct Effects {
    std::vector<Effect> of_components = {};
    double noise = 0.0;  ///< standard deviation of one test about the sum of its effects
};

/// The logarithm of the time of a test between nodes is the sum of the usual one of its path, the
/// effects of what it crosses, and noise, fitted by median polish (Tukey 1977; Hoaglin, Mosteller
/// and Tukey 1983, chapter 6), which a minority of bad tests in each group does not move. Ports
/// come first, so that a bad port is not taken for all NICs of its leaf. The sum describes; which
/// parts are at fault is for find_suspects().
Effects fit_effects(std::span<const Place> places, std::span<const PairTime> times_of_one_size);

}  // namespace shardstone::validation
