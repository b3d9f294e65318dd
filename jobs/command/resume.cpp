// SPDX-License-Identifier: BSD-3-Clause
// The option --resume of commands that can continue from a journal or an incomplete record.
#include "jobs/command/resume.hpp"

#include "kernels/base/error.hpp"

namespace shardstone::command {

void declare_resume(CLI::App& app, std::string& from) {
    app.add_option("--resume", from,
                   "Continue an earlier run with the same options from its journal "
                   "(RECORD.journal) or its incomplete record");
}

results::Unfinished earlier_run(const std::string& from, const std::string& kind) {
    return from.empty() ? results::Unfinished{} : results::read_unfinished(from, kind);
}

void require_output_for_resumed(const std::string& from, const std::filesystem::path& json,
                                const std::filesystem::path& hdf5) {
    require(from.empty() || !json.empty() || !hdf5.empty(),
            "--resume needs a file for the complete record: give --json or --hdf5");
}

}  // namespace shardstone::command
