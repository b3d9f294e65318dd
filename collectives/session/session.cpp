// SPDX-License-Identifier: BSD-3-Clause
// MPI's start and end around a run, with every failure turned into one message and exit code.
#include "collectives/session/session.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "collectives/cluster/launcher_abort.hpp"
#include "collectives/cluster/native.hpp"
#include "collectives/cluster/process.hpp"
#include "collectives/cluster/shared_memory_room.hpp"
#include "collectives/cluster/time_slice.hpp"
#include "collectives/cluster/waiting.hpp"
#include "collectives/watchdog/last_words.hpp"
#include "collectives/watchdog/start_guard.hpp"
#include "collectives/watchdog/watchdog.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/interrupt.hpp"
#include "kernels/base/running_kernel.hpp"
#include "kernels/base/threads.hpp"
#include "kernels/base/whereabouts.hpp"

namespace shardstone::collectives {

namespace {

/// The first rank of this rank's node, as MPI has nodes.
int first_rank_of_node() {
    MPI_Comm node = MPI_COMM_NULL;
    int first = 0;
    SHARDSTONE_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &first));
    SHARDSTONE_MPI(
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    SHARDSTONE_MPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, node));
    SHARDSTONE_MPI(MPI_Comm_free(&node));
    return first;
}

/// The first rank of this rank's machine, whose cores nodes share that are containers, or emulated.
int first_rank_of_machine() {
    const int first_of_node = first_rank_of_node();  // collective, also where some need it not
    double mine = running_kernel();
    if (mine < 0.0) mine = -1.0 - first_of_node;  // unknown: nodes are machines
    int ranks = 1;
    SHARDSTONE_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
    std::vector<double> machines(static_cast<std::size_t>(ranks));
    SHARDSTONE_MPI(
        MPI_Allgather(&mine, 1, MPI_DOUBLE, machines.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD));
    return static_cast<int>(std::ranges::find(machines, mine) - machines.begin());
}

/// Counts the ranks on each machine and the cores they may run on together (a launcher may have
/// bound each to its own). What is decided by it, as how often something is measured, must be the
/// same on all machines: so the fullest one counts for all.
void configure_waiting() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    sched_getaffinity(0, sizeof(cores), &cores);
    MPI_Comm machine = MPI_COMM_NULL;
    int ranks = 1;
    SHARDSTONE_MPI(MPI_Comm_split(MPI_COMM_WORLD, first_rank_of_machine(), 0, &machine));
    SHARDSTONE_MPI(MPI_Comm_size(machine, &ranks));
    SHARDSTONE_MPI(MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof(cores), MPI_BYTE, MPI_BOR, machine));
    SHARDSTONE_MPI(MPI_Comm_free(&machine));
    int on_a_core = (ranks + CPU_COUNT(&cores) - 1) / CPU_COUNT(&cores);
    SHARDSTONE_MPI(MPI_Allreduce(MPI_IN_PLACE, &on_a_core, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    Waiter::configure(on_a_core, 1);
}

std::string reason_by(const Communicator& world, const char* what) {
    return world.size() == 1 ? what
                             : fmt::format("rank {} on {}: {}", world.rank(), node_name(), what);
}

/// A rank that is alone has nobody wait for it, so it ends in order with the code.
int end_job(const Communicator& world, Watchdog* watchdog, const char* what, ExitCode code) {
    std::fflush(stdout);
    if (code == ExitCode::lost_rank && watchdog != nullptr) watchdog->name_lost_rank();
    note_failure(what, code);
    const bool alone = world.size() == 1;
    say_failure(what, !alone);
    if (watchdog != nullptr) {
        watchdog->announce_end(reason_by(world, what));
    } else if (world.is_root()) {
        say_last_words(reason_by(world, what));
    }
    if (alone) return number_of(code);
    let_stderr_drain();
    MPI_Abort(MPI_COMM_WORLD, number_of(code));
    std::_Exit(number_of(code));
}

/// What all ranks know already. Input that is refused before anything runs is no failure to keep.
int end_in_order(const AgreedError& error) {
    if (!error.reports()) return number_of(error.code());
    std::fflush(stdout);
    if (error.code() != ExitCode::bad_input) note_failure(error.what(), error.code());
    say_failure(error.what(), false);
    return number_of(error.code());
}

int guarded(const std::function<int(Communicator&)>& body, Communicator& world,
            Watchdog* watchdog) {
    try {
        const int code = body(world);
        world.barrier();
        return code;
    } catch (const AgreedError& error) {
        return end_in_order(error);
    } catch (const Error& error) {
        return end_job(world, watchdog, error.what(), error.code());
    } catch (const std::bad_alloc&) {
        return end_job(world, watchdog, "not enough memory for the request: reduce it",
                       ExitCode::bad_input);
    } catch (const std::system_error& error) {  // of files and streams
        return end_job(world, watchdog, error.what(), ExitCode::bad_input);
    } catch (const std::exception& error) {
        return end_job(world, watchdog, error.what(), ExitCode::our_bug);
    }
}

/// What is done before MPI starts; says why it could not be, and returns the code to end with.
std::optional<ExitCode> prepare_start(pid_t launcher, std::optional<StartGuard>& guard) {
    ask_for_short_time_slices();  // first, so that threads that MPI starts have them too
    // Until MPI says more, what the launcher says.
    name_speaker(launcher_rank(), "");
    do_when_stopped(ask_launcher_to_abort);
    say_how_signals_end_it(launcher_size() > 1);
    require_room_in_shared_memory();
    try {
        if (const auto limits = stall_limits(); limits && launcher_size() > 1) {
            guard.emplace(*limits, launcher);
        }
        start_thread([] {}).join();  // a library that MPI stands on aborts where it can have none
    } catch (const Error& error) {
        name_speaker(launcher_rank(), "");
        note_failure(error.what(), error.code());
        say_failure(error.what(), launcher_size() > 1);
        return error.code();
    }
    return std::nullopt;
}

}  // namespace

int run_session(const std::function<int(Communicator&)>& body) {
    const pid_t launcher = ::getppid();  // it may die before anybody looks
    std::optional<StartGuard> guard;
    if (const auto failed = prepare_start(launcher, guard)) return number_of(*failed);
    int level = 0;  // the watchdog's thread calls MPI only to end everything
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    do_when_stopped(nullptr);
    say_how_signals_end_it(launcher_size() > 1);  // again: libraries have come that catch faults
    int code = 0;
    std::unique_ptr<Watchdog> watchdog;
    {
        configure_waiting();
        Communicator world(std::make_unique<NativeCommunicator>(MPI_COMM_WORLD));
        name_speaker(world.rank(), node_name());
        enter_phase("setting up");
        try {
            if (const auto limits = stall_limits()) {
                watchdog = std::make_unique<Watchdog>(world, *limits, launcher);
            }
        } catch (const Error& error) {
            return end_job(world, nullptr, error.what(), error.code());
        }
        guard.reset();
        code = guarded(body, world, watchdog.get());
    }
    enter_phase("ending");
    const InLibrary here;
    MPI_Finalize();
    return code;
}

}  // namespace shardstone::collectives
