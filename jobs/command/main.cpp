// SPDX-License-Identifier: BSD-3-Clause
// The `shardstone` command: parse, run, report errors in one line. Subcommands register themselves.
#include <cstdio>
#include <map>
#include <new>
#include <sstream>
#include <system_error>

#include "collectives/cluster/session.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/parse_error.hpp"
#include "jobs/command/standard_streams.hpp"
#include "kernels/base/cpu_check.hpp"
#include "kernels/base/error.hpp"

namespace {

using namespace shardstone;

constexpr const char* overview =
    "Shardstone: benchmark and reference suite for training large language models on clusters.\n"
    "Run a subcommand under mpiexec or srun for several ranks, e.g.\n"
    "  mpiexec -n 8 shardstone collectives --op all_reduce --algorithm all -b 4 -e 4M -f 8\n"
    "Exit codes: 0 all well, 1 a check failed or a bug, 2 bad input or environment, 130 stopped.";

/// Every rank of a job parses the same words: the first one speaks for all.
int report(const std::string& message) {
    if (collectives::launcher_rank() == 0) {
        std::fprintf(stderr, "shardstone: %s\n", message.c_str());
    }
    return 2;
}

/// The innermost subcommand of those that were named.
const CLI::App* chosen(const CLI::App& app) {
    const auto named = app.get_subcommands();
    return named.empty() ? &app : chosen(*named.front());
}

/// Before anything is printed.
void honour_json_on_stdout(const CLI::App& subcommand) {
    const CLI::Option* json = subcommand.get_option_no_throw("--json");
    if (json == nullptr || json->count() == 0) return;
    if (json->as<std::string>() == command::stdout_name) command::reserve_stdout_for_json();
}

int run(int argc, char** argv) {
    CLI::App app{overview, "shardstone"};
    app.set_version_flag("--version", SHARDSTONE_VERSION);
    app.require_subcommand(1);
    std::map<const CLI::App*, std::function<int()>> actions;
    std::map<const CLI::App*, command::RunsOn> runs_on;
    for (const auto& subcommand : command::subcommands()) {
        CLI::App* child = app.add_subcommand(subcommand.name, subcommand.summary);
        child->footer(subcommand.details);
        actions[child] = subcommand.declare(*child);
        runs_on[child] = subcommand.runs_on;
    }
    const bool first = collectives::launcher_rank() == 0;
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) {  // --help, --version
        std::ostringstream text;
        const int code = app.exit(success, text);
        if (first) std::fputs(text.str().c_str(), stdout);
        return code;
    } catch (const CLI::ParseError& error) {
        return report(command::explain(error, app, command::command_line()));
    }
    const CLI::App* subcommand = app.get_subcommands().front();
    if (runs_on.at(subcommand) == command::RunsOn::rank_0 && !first) return 0;
    honour_json_on_stdout(*chosen(app));
    return actions.at(subcommand)();
}

int guarded_run(int argc, char** argv) {
    try {
        require_cpu_supported();
        return run(argc, argv);
    } catch (const Error& error) {
        return report(error.what());
    } catch (const std::bad_alloc&) {
        return report("not enough memory for what was asked: give less");
    } catch (const std::system_error& error) {  // a full disk, a folder that may not be read
        return report(error.what());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "shardstone: %s\n", error.what());
        return 1;
    }
}

}  // namespace

int main(int argc, char** argv) {
    command::occupy_standard_descriptors();
    return command::code_after_flush(guarded_run(argc, argv));
}
