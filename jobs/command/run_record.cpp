// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/command/run_record.hpp"

#include "collectives/cluster/session.hpp"
#include "jobs/command/command.hpp"
#include "results/schema/schema.hpp"

namespace shardstone::command {

results::Record new_run_record(const std::string& kind, const std::string& title,
                               const collectives::Communicator& world) {
    results::Record record = results::new_record(kind, title, command_line());
    record.environment["mpi"] = collectives::mpi_library();
    record.environment["ranks"] = world.size();
    record.environment["nodes"] = world.topology().nodes();
    return record;
}

void require_outputs_writable(std::initializer_list<std::filesystem::path> paths) {
    for (const auto& path : paths) {
        if (!path.empty()) results::require_writable(path);
    }
}

void write_record(results::Record record, const std::filesystem::path& json,
                  const std::filesystem::path& hdf5) {
    results::require_described(record);
    results::end_run(record);
    if (!json.empty()) results::write_json(record, json);
    if (!hdf5.empty()) results::write_hdf5(record, hdf5);
}

}  // namespace shardstone::command
