// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "jobs/submit/queue.hpp"
#include "jobs/submit/state.hpp"

namespace shardstone::submit {

/// Throws Error if sbatch or squeue is missing, or a module of the site cannot be loaded here.
void require_slurm(const Site& site);

/// A script and how it is submitted: what a dry run shows.
struct Submission {
    std::string script;  ///< its name in the folder: "ranks-8.sbatch"
    std::string text;
    std::string what;  ///< "8 ranks: 3 of 5 points (0,3-4)"
};

/// One array job for each number of ranks that has points to run, and then the report.
std::vector<Submission> submissions_of(const Plan& plan, const std::vector<PointState>& states);

/// Renames the records of points that are to run, which do not count: a task does nothing where it
/// finds a record that is verified, though it may be of another run. What is in
/// the way of new ones is removed.
void set_aside_records(const Plan& plan, const std::vector<PointState>& states);

/// Writes the scripts of submissions_of() into the folder and submits them, each as it is ready;
/// prints a line for each. The report waits for all of them and for what is already under way of
/// points that are not done. Throws Error with what Slurm said and what to do; what was submitted
/// before stays so, and the next call knows it.
void submit_all(const Plan& plan, const std::vector<PointState>& states, const Queue& queue);

/// What a refusal of sbatch says, on one line, with what to do about it.
std::string explain_refusal(const Site& site, const std::string& said);

}  // namespace shardstone::submit
