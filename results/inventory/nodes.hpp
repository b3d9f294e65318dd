// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "results/inventory/inventory.hpp"

namespace shardstone::results {

/// A node in short, from its facts and devices, with how many of `asymmetries` are its own. Host
/// name and ranks are left empty: no fact tells them. Pure.
NodeRow node_in_short(const Inventory& all, std::span<const AsymmetryRow> asymmetries, double node);

}  // namespace shardstone::results
