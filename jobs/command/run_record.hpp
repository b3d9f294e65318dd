// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>

#include "collectives/cluster/communicator.hpp"
#include "results/format/record.hpp"

namespace shardstone::command {

/// A fresh record that also says what only the ranks know: the MPI library, how many ranks, how
/// they lie on nodes. Local; for rank 0.
results::Record new_run_record(const std::string& kind, const std::string& title,
                               const collectives::Communicator& world);

/// Throws Error when one of the paths that are not empty cannot be written; before hours of work.
void require_outputs_writable(std::initializer_list<std::filesystem::path> paths);

/// Notes how long the run took and writes the formats whose path is not empty, with the same
/// contents. A table or column that results/schema does not describe is an error of ours.
void write_record(results::Record record, const std::filesystem::path& json,
                  const std::filesystem::path& hdf5);

}  // namespace shardstone::command
