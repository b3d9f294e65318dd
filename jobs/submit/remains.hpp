// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "jobs/submit/folder.hpp"
#include "jobs/submit/queue.hpp"

namespace shardstone::submit {

/// What the last run of a point left, its record aside. A run that has not come as far as its
/// point's folder finds there the files of the run before, which say nothing of this one.
struct Remains {
    std::filesystem::path folder;  ///< of the point
    std::filesystem::path log;     ///< of its task under Slurm; empty if there is none
    std::string logged;            ///< in it, from the run's begin to its end
    bool wrote_in_folder = false;  ///< whether the folder's files are its own
    bool is_child = false;         ///< of a `submit`, which notes its exit code, and not of Slurm

    bool any() const { return wrote_in_folder || !log.empty(); }
};

/// Of the run that `entry` is, or, where the queue knows none, of the one whose log is the latest.
Remains remains_of(const Plan& plan, const Point& point, const QueueEntry* entry);

/// Of a run whose job goes on: that it has ended, with what code and when; "" if it has not.
std::string end_of_run(const Remains& run);

/// Why a run ended without a record that counts, and the file that says so: the time limit where
/// that ended it, else `refusal` of the record if there is one, else the last words. Where there is
/// a journal and no record, also how to make one of it.
std::string why_it_ended(const Study& study, const Remains& run, const std::string& refusal);

}  // namespace shardstone::submit
