// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "jobs/submit/script.hpp"

namespace shardstone::submit {

// The folder of a study at a site, which holds all that there is to know of it:
//
//     submit.json              study, site, program and its revision
//     study.toml site.toml     as they were given
//     points/ID/               of each point: record.json, stdout, stderr, exit_code; time_limit
//                              if that ended it without Slurm, which says so itself
//     scripts/ logs/           what was given to Slurm last, and what its jobs said
//     report.html
//
// Which points are done is read from their records alone, what is under way from Slurm's queue:
// nothing here has to be kept up to date by anybody who might be killed.

/// Sets the plan's folder (absolute) and key, which depends on all that submit.json holds.
void place_plan(Plan& plan, const std::filesystem::path& folder, const std::string& revision);

/// The revision of the program that made this folder; empty if there is no such folder yet.
std::string revision_of(const std::filesystem::path& folder);

/// Throws Error if the folder is another's, or was made with another study, site or revision of
/// the program, saying what differs and what to do. A missing or empty one is fine.
void require_same_folder(const Plan& plan, const std::string& revision);

/// Creates what is missing of the folder. Throws Error if the disk is full.
void make_study_folder(const Plan& plan, const std::string& revision);

inline constexpr const char* time_limit_file = "time_limit";

std::filesystem::path point_folder(const Plan& plan, const Point& point);

/// Held while points are submitted or run, by this process and by those that it starts, so that no
/// run of an earlier call writes where a new one does.
class FolderLock {
  public:
    /// Waits up to 20 s for others. Throws Error naming the folder.
    explicit FolderLock(const std::filesystem::path& folder);
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    ~FolderLock();

  private:
    int descriptor_ = -1;
};

}  // namespace shardstone::submit
