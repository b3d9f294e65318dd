// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "jobs/submit/point.hpp"
#include "jobs/submit/site.hpp"
#include "jobs/submit/study.hpp"

namespace shardstone::submit {

/// A study at a site, with what its scripts name.
struct Plan {
    Study study;
    Site site;
    std::vector<Point> points;
    std::string program;                  ///< path of `shardstone`
    std::string folder;                   ///< absolute path of the study's folder
    std::string key;                      ///< of the folder: begins the names of its jobs
    std::vector<std::string> notes = {};  ///< what whoever submits it has to know, a line each
};

/// "scaling-weak.1a2b3c4d.ranks-8": the job of the points on this many ranks.
std::string job_name(const Plan& plan, int ranks);
std::string report_job_name(const Plan& plan);

/// The points on this many ranks, by index.
std::vector<Point> points_on(const Plan& plan, int ranks);

/// "0-3,7", of ascending numbers.
std::string ranges_of(const std::vector<int>& indices);

/// Text of an sbatch script: an array job of the points on this many ranks of which `indices` are
/// to run. A task whose record is there and verified does nothing, so that Slurm may requeue it.
std::string array_script(const Plan& plan, int ranks, const std::vector<int>& indices);

/// The job that makes the report of all records.
std::string report_script(const Plan& plan);

/// All points one after the other in one allocation, then the report: for who wants one file to
/// edit. Takes the program from $PATH or $SHARDSTONE, and its folder from where it is submitted;
/// submitted again, it runs what is missing.
std::string plain_script(const Plan& plan);

}  // namespace shardstone::submit
