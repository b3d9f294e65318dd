// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "jobs/submit/script.hpp"

namespace shardstone::submit {

// The folder of a study at a site, which holds all that there is to know of it:
//
//     submit.json              study, site, program and its revision, key of its jobs
//     study.toml site.toml     as they were given last
//     points/ID/               of each point: record.json, stdout, stderr, exit_code; time_limit
//                              if that ended it without Slurm, which says so itself
//     scripts/ logs/           what was given to Slurm last, and what its jobs said
//     report.html
//
// Which points are done is read from their records alone, what is under way from Slurm's queue:
// nothing here has to be kept up to date by anybody who might be killed.

/// Sets the plan's folder (absolute) and key. The key is that of submit.json, so that a folder that
/// was moved, or is named by another path, keeps its jobs; a new folder's depends on its place and
/// on all that submit.json holds. Throws Error for a place that Slurm's scripts cannot name, and
/// for a submit.json that is damaged.
void place_plan(Plan& plan, const std::filesystem::path& folder, const std::string& revision);

/// The revision of the program that made this folder; empty if there is no such folder yet.
std::string revision_of(const std::filesystem::path& folder);

/// Throws Error if the folder is another's, or was made with another study, name of the study,
/// site or revision of the program, saying what differs and what to do. A missing or empty one is
/// fine, and so is a study that has only grown (growth.hpp).
void require_same_folder(const Plan& plan, const std::string& revision);

/// Creates what is missing of the folder, whose lock is held, and sets the key of the plan as
/// place_plan() does. A study that has grown replaces the one before. Throws Error as
/// require_same_folder() does, and if the disk is full.
void make_study_folder(Plan& plan, const std::string& revision);

/// Lets the next call make the folder anew, with another study or site as well, if none of its
/// points has a record. To be called, with the lock held, once nothing is queued or runs.
void release_folder_without_records(const Plan& plan);

inline constexpr const char* time_limit_file = "time_limit";

std::filesystem::path point_folder(const Plan& plan, const Point& point);

}  // namespace shardstone::submit
