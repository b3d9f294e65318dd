// SPDX-License-Identifier: BSD-3-Clause
// Ends a program on a CPU that it was not built for with a word, before any of its code could end
// it with an illegal instruction. Compiled for the least CPU (collectives/CMakeLists.txt); see
// kernels/base/cpu_check.hpp for what it may call.
#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kernels/base/cpu_check.hpp"
#include "kernels/base/exit_code.hpp"

namespace shardstone::collectives {

namespace {

constexpr int code = static_cast<int>(ExitCode::bad_input);

/// Nothing where no launcher started this process.
const char* rank_of_launcher() {
    for (const char* name : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}) {
        if (const char* const rank = getenv(name)) return rank;
    }
    return nullptr;
}

/// Other ranks wait in MPI_Init for this one, and launchers notice nothing before it has been
/// there, too. Ranks of a command that runs on one do not come: that is waited for no longer.
[[noreturn]] void end_job() {
    constexpr unsigned longest_wait_s = 20;
    constexpr unsigned until_read_us = 100'000;  // by a launcher, of what was printed
    signal(SIGALRM, [](int) { _exit(code); });
    alarm(longest_wait_s);
    MPI_Init(nullptr, nullptr);
    usleep(until_read_us);
    MPI_Abort(MPI_COMM_WORLD, code);
    _exit(code);
}

/// 101: the first that programs may have; the constructors of all other files come later.
__attribute__((constructor(101))) void refuse_cpu() {
    char missing[400];
    if (missing_cpu_features(required_cpu_features, missing, sizeof missing) == 0) return;
    const char* const rank = rank_of_launcher();
    struct utsname names = {};
    uname(&names);
    // In one piece, so that lines of several ranks do not mix.
    char line[1000];
    const int length = snprintf(
        line, sizeof line,
        "shardstone: %s%s%s%s: this CPU has no %s, which this program was built for (%s): run it "
        "on others, or build it for the least of them, for this one with cmake "
        "-DSHARDSTONE_ARCH=%s\n",
        rank == nullptr ? "" : "rank ", rank == nullptr ? "" : rank, rank == nullptr ? "" : " on ",
        names.nodename, missing, SHARDSTONE_ARCH, nearest_architecture());
    if (write(STDERR_FILENO, line, static_cast<size_t>(length)) < 0) _exit(code);
    if (rank == nullptr) _exit(code);
    end_job();
}

}  // namespace

}  // namespace shardstone::collectives
