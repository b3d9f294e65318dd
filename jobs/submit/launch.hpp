// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "jobs/submit/point.hpp"
#include "jobs/submit/site.hpp"

namespace shardstone::submit {

/// The launcher with everything that it needs to start a point's ranks on the site, bound as the
/// site says; the program follows.
std::vector<std::string> launch_words(const Site& site, const Point& point);

/// Of a Slurm job (or step) for the point: nodes, tasks, cores, GPUs.
std::vector<std::string> resource_words(const Site& site, const Point& point);

}  // namespace shardstone::submit
