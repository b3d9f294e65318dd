// SPDX-License-Identifier: BSD-3-Clause
// The option --resume of commands that can go on from a journal or an incomplete record.
#include "jobs/command/resume.hpp"

#include "kernels/base/error.hpp"

namespace shardstone::command {

void declare_resume(CLI::App& app, std::string& from) {
    app.add_option("--resume", from,
                   "Go on from what a run with the same options had finished: its journal "
                   "(RECORD.journal) or its incomplete record");
}

results::Unfinished earlier_run(const std::string& from, const std::string& kind) {
    return from.empty() ? results::Unfinished{} : results::read_unfinished(from, kind);
}

void require_output_for_resumed(const std::string& from, const std::filesystem::path& json,
                                const std::filesystem::path& hdf5) {
    require(from.empty() || !json.empty() || !hdf5.empty(),
            "--resume measures what is missing and has no file to put the whole into: say with "
            "--json or --hdf5");
}

}  // namespace shardstone::command
