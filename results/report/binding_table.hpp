// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/report/source.hpp"

namespace shardstone::results {

/// HTML: what the ranks of these records were bound to (record/binding.hpp: hardware threads, NUMA
/// nodes, variables that choose GPUs and NICs). A row for each binding and the ranks that had it,
/// once for all records of which both are true; folded where it is long. Empty if no record says
/// it.
std::string binding_table(const std::vector<const Source*>& sources);

}  // namespace shardstone::results
