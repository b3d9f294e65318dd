// SPDX-License-Identifier: BSD-3-Clause
// The option --resume of commands that can go on from a journal or an incomplete record.
#include "jobs/command/resume.hpp"

namespace shardstone::command {

void declare_resume(CLI::App& app, std::string& from) {
    app.add_option("--resume", from,
                   "Go on from what a run with the same options had finished: its journal "
                   "(RECORD.journal) or its incomplete record");
}

results::Unfinished earlier_run(const std::string& from) {
    return from.empty() ? results::Unfinished{} : results::read_unfinished(from);
}

}  // namespace shardstone::command
