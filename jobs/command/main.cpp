// SPDX-License-Identifier: BSD-3-Clause
// The `shardstone` command: parse, run, report errors in one line. Subcommands register themselves.
#include <cstdio>
#include <map>

#include "collectives/cluster/session.hpp"
#include "jobs/command/command.hpp"
#include "kernels/base/cpu_check.hpp"
#include "kernels/base/error.hpp"

namespace {

using namespace shardstone;

constexpr const char* overview =
    "Shardstone: benchmark and reference suite for training large language models on clusters.\n"
    "Run a subcommand under mpiexec or srun for several ranks, e.g.\n"
    "  mpiexec -n 8 shardstone collectives --op all_reduce --algorithm all -b 4 -e 4M -f 8\n"
    "Exit codes: 0 all well, 1 a check failed or a bug, 2 bad input or environment.";

/// Every rank of a job parses the same words: the first one speaks for all.
int report(const std::string& message) {
    if (collectives::launcher_rank() == 0) {
        std::fprintf(stderr, "shardstone: %s\n", message.c_str());
    }
    return 2;
}

int run(int argc, char** argv) {
    CLI::App app{overview, "shardstone"};
    app.set_version_flag("--version", SHARDSTONE_VERSION);
    app.require_subcommand(1);
    std::map<const CLI::App*, std::function<int()>> actions;
    for (const auto& subcommand : command::subcommands()) {
        CLI::App* child = app.add_subcommand(subcommand.name, subcommand.summary);
        child->footer(subcommand.details);
        actions[child] = subcommand.declare(*child);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) {  // --help, --version
        return collectives::launcher_rank() == 0 ? app.exit(success) : 0;
    } catch (const CLI::ParseError& error) {
        return report(std::string(error.what()) + " (see --help)");
    }
    return actions.at(app.get_subcommands().front())();
}

}  // namespace

int main(int argc, char** argv) {
    try {
        require_cpu_supported();
        return run(argc, argv);
    } catch (const Error& error) {
        return report(error.what());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "shardstone: %s\n", error.what());
        return 1;
    }
}
