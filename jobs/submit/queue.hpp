// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "jobs/submit/script.hpp"

namespace shardstone::submit {

/// What Slurm says of one job or array task.
struct QueueEntry {
    enum class Stage : std::uint8_t { waiting, running, ended };

    std::string job;  ///< "12" or, of an array, "12_3"; empty of a run without Slurm
    Stage stage = Stage::ended;
    std::string word;  ///< Slurm's: "PENDING (Resources)", "TIMEOUT"

    bool active() const { return stage != Stage::ended; }
    /// Whether it waits for somebody to release it: by user or administrator, or since its node
    /// could not start it.
    bool held() const;
    /// Once all points are done: whether it runs, or waits for its turn. One that still waits for
    /// other jobs may wait for a task that is held for ever.
    bool will_begin() const;
    /// With what to do about a held one.
    std::string words() const;
    std::string array() const { return job.substr(0, job.find('_')); }
};

/// The jobs of one study's folder that Slurm knows, among them those that ended minutes ago.
struct Queue {
    std::map<std::string, QueueEntry> points;  ///< by id: the active one, else the last
    std::vector<QueueEntry> reports;
    std::string silence = {};  ///< why it could not be asked; empty if it was
    /// Ids of the jobs of these points that are active: of an array the whole, "12", unless it has
    /// active tasks for others, and then those for these, "12_3".
    std::vector<std::string> active_jobs(const std::set<std::string>& of_points) const;
};

/// Reads lines "JOB|NAME|STATE|REASON". Others' jobs are ignored: names begin with the folder's
/// key. An array that ended as a whole, while it waited, has a line without a task: it is that of
/// all points on its ranks. A reason in a line that cannot be read is ignored as well.
Queue parse_queue(const Plan& plan, const std::string& lines);

/// Asks squeue for the jobs with the folder's names, whoever submitted them: a folder may be
/// shared. A cluster that hides jobs of others (PrivateData=jobs) hides them here as well. Throws
/// Error with its message if it does not answer, or is not there.
Queue ask_queue(const Plan& plan);

/// The same, with the message as its silence.
Queue ask_queue_if_it_answers(const Plan& plan);

}  // namespace shardstone::submit
