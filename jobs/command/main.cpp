// SPDX-License-Identifier: BSD-3-Clause
// The `shardstone` command: parse, run, report errors in one line. Subcommands register themselves.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <new>
#include <sstream>
#include <system_error>

#include "collectives/cluster/process.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/list_option.hpp"
#include "jobs/command/number_option.hpp"
#include "jobs/command/parse_error.hpp"
#include "jobs/command/stall_option.hpp"
#include "jobs/command/standard_streams.hpp"
#include "kernels/base/cpu_time_limit.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/interrupt.hpp"

namespace {

using namespace shardstone;

constexpr const char* beginning =
    "Shardstone: benchmark and reference suite for training large language models on clusters.\n"
    "Run a subcommand under mpiexec or srun for several ranks, e.g.\n"
    "  mpiexec -n 8 shardstone collectives --op all_reduce --algorithm all -b 4 -e 4M -f 8\n\n"
    "Exit codes (a launcher may return its own, for a killed rank for instance 128 + the signal "
    "or\n"
    "the signal alone)\n";

constexpr const char* where_failures_are =
    "\nThe reason why a job of several ranks failed is also kept, as one line of JSON per rank "
    "that\n"
    "could give it, in RECORD.failures.jsonl next to the first requested output, or, without one,\n"
    "in shardstone-failures-UID.jsonl in $TMPDIR or /tmp.\n\n"
    "Scripts should rely on `shardstone verify RECORD` rather than on a launcher's exit code:\n"
    "MPICH's mpiexec occasionally returns 0 when it is itself sent SIGINT or SIGTERM. Nor does it\n"
    "survive a reader that closes the pipe (mpiexec ... | head -1): it ends with 141, and its "
    "ranks\n"
    "with it, before there is a record; the results are then in RECORD.journal ('shardstone\n"
    "recover'). Without mpiexec such a run continues and writes its files.";

std::string overview() {
    std::string text = beginning;
    for (const auto& [code, meaning] : exit_code_meanings()) {
        text += fmt::format("  {:>3}  {}\n", number_of(code), meaning);
    }
    return text + where_failures_are;
}

/// Every rank of a job parses the same words: the first one speaks for all.
int report(const std::string& message, ExitCode code = ExitCode::bad_input) {
    if (collectives::launcher_rank() == 0) {
        std::fprintf(stderr, "shardstone: %s\n", message.c_str());
    }
    return number_of(code);
}

/// The innermost subcommand of those that were named.
const CLI::App* chosen(const CLI::App& app) {
    const auto named = app.get_subcommands();
    return named.empty() ? &app : chosen(*named.front());
}

/// An option that was given without its word: that of a shell variable which is not set.
std::string emptied_option(const CLI::App& app) {
    for (const CLI::Option* option : app.get_options()) {
        if (option->count() == 0) continue;
        const auto words = option->results();
        if (std::ranges::find(words, "") != words.end()) return option->get_name();
    }
    const auto named = app.get_subcommands();
    return named.empty() ? "" : emptied_option(*named.front());
}

/// Before anything is printed.
void honour_json_on_stdout(const CLI::App& subcommand) {
    const CLI::Option* json = subcommand.get_option_no_throw("--json");
    if (json == nullptr || json->count() == 0) return;
    if (json->as<std::string>() == command::stdout_name) command::reserve_stdout_for_json();
}

/// What is measured for a file is worth more than what is printed meanwhile.
void guard_outputs(const CLI::App& subcommand) {
    bool first = true;
    for (const char* name : {"--json", "--hdf5", "--output", "--trace"}) {
        const CLI::Option* option = subcommand.get_option_no_throw(name);
        if (option == nullptr) continue;
        const auto file =
            option->count() > 0 ? option->as<std::string>() : option->get_default_str();
        if (file.empty() || file == command::stdout_name) continue;
        if (first) keep_failures_beside(file);
        first = false;
        command::outlive_readers();
    }
}

int run(int argc, char** argv) {
    CLI::App app{overview(), "shardstone"};
    app.set_version_flag("--version", SHARDSTONE_VERSION);
    app.require_subcommand(1);
    std::map<const CLI::App*, std::function<int()>> actions;
    std::map<const CLI::App*, command::RunsOn> runs_on;
    for (const auto& subcommand : command::subcommands()) {
        CLI::App* child = app.add_subcommand(subcommand.name, subcommand.summary);
        child->footer(subcommand.details);
        actions[child] = subcommand.declare(*child);
        if (subcommand.runs_on == command::RunsOn::all_ranks) command::declare_stall_after(*child);
        runs_on[child] = subcommand.runs_on;
    }
    command::check_numbers(app);
    const bool first = collectives::launcher_rank() == 0;
    const std::string gap = command::refusal_of_gaps(app, command::command_line());
    if (!gap.empty()) return report(gap);
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
    const std::string emptied = emptied_option(app);
    require(emptied.empty(),
            [&] { return fmt::format("{}: {}", emptied, command::nothing_given); });
    const CLI::App* subcommand = app.get_subcommands().front();
    if (runs_on.at(subcommand) == command::RunsOn::rank_0 && !first) return 0;
    // Before signals are caught, or one from here on is said to end rank 0.
    name_speaker(collectives::launcher_rank(), "");
    say_how_signals_end_it(/*several_ranks=*/false);  // which those that start MPI do once more
    guard_outputs(*chosen(app));
    honour_json_on_stdout(*chosen(app));
    return actions.at(subcommand)();
}

int guarded_run(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const Error& error) {
        return report(error.what(), error.code());
    } catch (const std::bad_alloc&) {
        return report("not enough memory for the request: reduce it");
    } catch (const std::system_error& error) {  // a full disk, a folder that may not be read
        return report(error.what());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "shardstone: %s\n", error.what());
        return number_of(ExitCode::our_bug);
    }
}

bool is_limited(decltype(RLIMIT_AS) resource) {
    rlimit limit{};
    return ::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// OpenBLAS starts a thread for each core when it is loaded, before anything of ours runs. We use
/// one, but each of the others takes its buffer, and where a limit leaves no room for that, tries
/// again and again: a core is busy, and what is left is too little for small work. So the program
/// begins anew, with one thread.
void begin_again_with_one_blas_thread(char** argv) {
    constexpr const char* threads = "OPENBLAS_NUM_THREADS";
    if (std::getenv(threads) != nullptr) return;
    if (!is_limited(RLIMIT_AS) && !is_limited(RLIMIT_DATA)) return;
    std::error_code failed;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
    if (failed || ::setenv(threads, "1", 0) != 0) return;
    ::execv(program.c_str(), argv);  // returns where it cannot: then as it is
}

/// Before CUDA looks. A rank of a plan has a stream for each of its groups and stages; of those
/// that share one of CUDA's 8 default ways to the GPU one waits for the other, and kernels of NCCL
/// that wait for other ranks could then wait for each other.
void ask_for_a_way_for_every_stream() {
    ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", /*overwrite=*/0);
}

/// Ends without destructors of static objects and what libraries have registered for the end, none
/// of which has anything of ours left to do: records are closed, MPI is finalized. Under a limit of
/// memory OpenBLAS would wait there for ever for threads as above, which a user may have asked for.
/// With the sanitizers the end is the usual one, in which they look for leaks.
int end_with(int code) {
#if defined(__SANITIZE_ADDRESS__)
    return code;
#else
    std::fflush(nullptr);
    std::_Exit(code);
#endif
}

}  // namespace

int main(int argc, char** argv) {
    begin_again_with_one_blas_thread(argv);
    ask_for_a_way_for_every_stream();
    command::occupy_standard_descriptors();
    command::forgive_failed_prints();
    heed_cpu_time_limit();
    std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit of size is an error, not the end
    return end_with(command::code_after_flush(guarded_run(argc, argv)));
}
