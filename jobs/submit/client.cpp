// SPDX-License-Identifier: BSD-3-Clause
// Clients of Slurm (sbatch, squeue, sinfo), without the user's variables that would change their
// answer.
#include "jobs/submit/client.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <string_view>

#include "kernels/base/error.hpp"

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

std::vector<std::string> prefixed(const Site& site, const std::vector<std::string>& words) {
    auto all = site.client_prefix;
    all.insert(all.end(), words.begin(), words.end());
    return all;
}

}  // namespace

void require_client(const Site& site) {
    if (site.client_prefix.empty()) {
        for (const char* tool : {"sbatch", "squeue"}) {
            require(is_on_path(tool), [&] {
                return fmt::format(
                    "site {} needs Slurm, and there is no '{}' on the PATH: run "
                    "this on a login node, or with --site local",
                    site.name, tool);
            });
        }
    } else {
        require(is_on_path(site.client_prefix.front()), [&] {
            return fmt::format("client_prefix of site {}: there is no program '{}'", site.name,
                               site.client_prefix.front());
        });
    }
}

Outcome run_client(const Site& site, const std::vector<std::string>& words) {
    return run_command(prefixed(site, words), withheld_variables());
}

Outcome ask_client(const Site& site, const std::vector<std::string>& words) {
    return ask_command(prefixed(site, words), longest_answer, withheld_variables());
}

}  // namespace shardstone::submit
