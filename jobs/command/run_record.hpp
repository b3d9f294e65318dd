// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "collectives/cluster/communicator.hpp"
#include "jobs/command/outputs.hpp"
#include "results/record/record.hpp"

namespace shardstone::command {

/// collectives::run_session() for commands that write a record: first the ranks look whether they
/// can do their part (run_preflight()) and tell each other what machines they are on. What fails of
/// a node's health meanwhile (health.hpp) makes a code of 0 that of a failed check.
int run_recorded(const std::function<int(collectives::Communicator&)>& body);

/// Adds to a record what only the ranks know: "mpi" and "mpi_device" (library and how it was built
/// to talk), "ranks", "nodes", "declared_nodes" where others were declared than found, "machines"
/// (one for each node: machine_description() of its first rank), "cpus_of_ranks" (where each rank
/// may run), and what run_preflight() found. Within run_recorded(). Local; for rank 0.
void add_surroundings(results::Record& record, const collectives::Communicator& world);

/// A fresh record with surroundings. Local; for rank 0.
results::Record new_run_record(const std::string& kind, const std::string& title,
                               const collectives::Communicator& world);

/// Writes the formats whose path is not empty, with the same contents; "-" for JSON is stdout
/// (standard_streams.hpp). One that cannot be written does not keep the other from it
/// (write_each()); `written` is called after each file.
void write_formats(const results::Record& record, const std::filesystem::path& json,
                   const std::filesystem::path& hdf5, const std::function<void()>& written);

/// Notes how long the run took and writes the formats as write_formats() does; once one file is
/// there, the run's journal (run_journal.hpp) goes, and the failure logs of records that it
/// replaced (outputs.hpp). How to go on from an incomplete one is noted (go_on.hpp). Texts that are
/// not UTF-8 are escaped (texts.hpp). A table or column that results/schema does not describe is an
/// error of ours.
void write_record(results::Record record, const std::filesystem::path& json,
                  const std::filesystem::path& hdf5);

}  // namespace shardstone::command
