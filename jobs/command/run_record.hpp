// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "collectives/cluster/communicator.hpp"
#include "jobs/command/outputs.hpp"
#include "results/record/record.hpp"

namespace shardstone::command {

/// collectives::run_session() for commands that write a record: first the ranks check whether they
/// can run (run_preflight()) and exchange descriptions of their machines. A failure of a node's
/// health meanwhile (health.hpp) turns an exit code of 0 into that of a failed check.
int run_recorded(const std::function<int(collectives::Communicator&)>& body);

/// Adds to a record the information known only to the ranks: "mpi" and "mpi_device" (the library
/// and its communication device), "ranks", "nodes", "declared_nodes" if they differ from the
/// detected ones, "systems" (operating systems that run them: nodes that are containers of one
/// machine have one, and share its cores), "kernels" (the libraries of this rank that compute:
/// kernel_record.hpp), "machines" (one for each node: machine_description() of its first rank),
/// "cpus_of_ranks" and "binding_of_ranks" (binding.hpp), and what run_preflight() finds. Within
/// run_recorded(). Local; for rank 0.
void add_surroundings(results::Record& record, const collectives::Communicator& world);

/// A new record with surroundings. Local; for rank 0.
results::Record new_run_record(const std::string& kind, const std::string& title,
                               const collectives::Communicator& world);

/// Writes the formats whose path is not empty, with the same contents; "-" for JSON is stdout
/// (standard_streams.hpp). Failure of one format does not prevent the other (write_each());
/// `written` is called after each file.
void write_formats(const results::Record& record, const std::filesystem::path& json,
                   const std::filesystem::path& hdf5, const std::function<void()>& written);

/// Records the duration of the run and writes the formats like write_formats(); once one file
/// exists, removes the run's journal (run_journal.hpp), and the failure logs of records that it
/// replaced (outputs.hpp). For an incomplete record, notes the command to continue (go_on.hpp).
/// Texts that are not UTF-8 are escaped (texts.hpp). A table or column not described by
/// results/schema is an error of ours.
void write_record(results::Record record, const std::filesystem::path& json,
                  const std::filesystem::path& hdf5);

}  // namespace shardstone::command
