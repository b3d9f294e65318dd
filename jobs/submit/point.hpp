// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "jobs/submit/site.hpp"
#include "jobs/submit/study.hpp"

namespace shardstone::submit {

/// One run of a study: what is started, and on what.
struct Point {
    std::string id;      ///< fit for a file's name: "ranks-8_plan-dp-8_run-1"
    std::string series;  ///< the id without the run: what all repetitions share
    int repetition = 1;
    int index = 0;  ///< among the points on as many ranks: its task in their job array
    int ranks = 1;
    int nodes = 1;
    int ranks_per_node = 1;
    int gpus_per_node = 0;               ///< that are asked for
    bool cyclic = false;                 ///< ranks are dealt to the nodes in turn
    std::vector<std::string> arguments;  ///< of the program, without those that `submit` adds
    std::vector<std::string> site_options = {};  ///< names of those that the study left to the site
};

/// All points of a study on a site, by ranks. Within these, all combinations are run once before
/// any is repeated, so that a drift of the machine meets all alike. Throws Error naming the study
/// or site for a number of ranks that does not fit the nodes, an expression without a value, or two
/// points of one name.
std::vector<Point> expand_study(const Study& study, const Site& site);

}  // namespace shardstone::submit
