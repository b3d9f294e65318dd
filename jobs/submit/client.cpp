// SPDX-License-Identifier: BSD-3-Clause
// Clients of Slurm (sbatch, squeue, sinfo), without the user's variables that would change their
// answer.
#include "jobs/submit/client.hpp"

#include <unistd.h>

#include <string_view>

namespace shardstone::submit {

namespace {

bool is_withheld(std::string_view name) {
    if (name == "SBATCH_ACCOUNT") return false;
    return name.starts_with("SBATCH_") || name.starts_with("SQUEUE_");
}

std::vector<std::string> withheld_variables() {
    std::vector<std::string> names;
    for (char** entry = ::environ; *entry != nullptr; ++entry) {
        const std::string_view setting(*entry);
        const std::string_view name = setting.substr(0, setting.find('='));
        if (is_withheld(name)) names.emplace_back(name);
    }
    return names;
}

}  // namespace

Outcome run_client(const Site& site, const std::vector<std::string>& words) {
    auto all = site.client_prefix;
    all.insert(all.end(), words.begin(), words.end());
    return run_command(all, withheld_variables());
}

}  // namespace shardstone::submit
