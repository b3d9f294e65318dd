// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/inventory/inventory.hpp"

namespace shardstone::results {

/// What one node has of a property.
struct Value {
    std::string text;              ///< by which it is compared, if it is no number
    double number = not_measured;  ///< by which it is compared, if it is one
    std::string shown = {};        ///< to people; empty: `text`, or the number
    /// Of the node's devices, ascending, where they are what `text` says.
    std::vector<double> numbers = {};
};

/// One property on every node of a cluster.
struct Property {
    std::string kind, subject;
    std::vector<Value> values;  ///< by node
};

/// What the nodes are compared by: their facts but for counters, and what their devices amount to,
/// whatever the devices are called ("8 x InfiniBand 50 GB/s; Ethernet 0.125 GB/s: eth0"). Pure.
std::vector<Property> properties_of(const Inventory& all, int nodes);

/// The value that most nodes share; of several, that of the first node.
struct Usual {
    std::size_t node = 0;  ///< a node that has it
    bool decided = false;  ///< more than half have it
};

/// Whether two values count as the same, numbers (of devices: each with the one of the same place)
/// within a relative tolerance. Pure.
bool alike(const Value& one, const Value& other, double tolerance);
Usual usual_of(const std::vector<Value>& values, double tolerance);

/// "2 TiB", "96", "performance".
std::string in_words(const Property& property, const Value& value);

}  // namespace shardstone::results
