// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/inventory/inventory.hpp"

namespace shardstone::results {

/// Where nodes differ from the usual (properties.hpp), where counters of errors stand out
/// (odd_counters()), and where devices stay below what they can do (devices_below_their_limits()):
/// what bends measurements first, then by kind and node. `hosts`: by node. Pure.
std::vector<AsymmetryRow> find_asymmetries(const Inventory& all,
                                           const std::vector<std::string>& hosts);

/// Counters of errors: uncorrected ones always, others if a node counted more than ten times what
/// the median of the other nodes did in one device for the same counter; up to ten since it was
/// booted are only noted, and of a single node left out. Pure.
std::vector<AsymmetryRow> odd_counters(const Inventory& all, int nodes);

/// Devices with fewer lanes than they have, or slower ones, NVLinks that are down, and a single
/// node, or all, whose cores differ in governor. What is the same on all of several nodes is one
/// row without a node, and only noted: the servers are made like that. Pure.
std::vector<AsymmetryRow> devices_below_their_limits(const Inventory& all, int nodes);

/// A row for `node` with why and command of its rule; bends as the rule says.
AsymmetryRow asymmetry(double node, const std::string& kind, const std::string& subject,
                       const std::string& found, const std::string& usual);

}  // namespace shardstone::results
