// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "jobs/submit/state.hpp"

namespace shardstone::submit {

/// Runs points one after the other on this machine.
struct LocalRun {
    /// Told before each point and while it runs.
    std::function<void(const std::string&)> progress;
    /// Asked between points: whether to end.
    std::function<bool()> stops;
};

/// Throws Error if the site's launcher is missing.
void require_launcher(const Site& site);

/// The point that another call has under way in the plan's folder, as a queue would tell it.
Queue queue_here(const Plan& plan);

/// The words that start a point, and that its record goes to.
std::vector<std::string> local_words(const Plan& plan, const Point& point);

/// Runs those of the points that are to run; prints a line for each. A point that takes more than
/// the study's minutes is ended. How a point went is for states_of() to tell.
void run_locally(const Plan& plan, const std::vector<PointState>& states,
                 const std::string& revision, const LocalRun& how);

/// Makes the report of all records, with the same script as under Slurm. Throws Error with what it
/// said if it fails.
void make_report_here(const Plan& plan);

}  // namespace shardstone::submit
