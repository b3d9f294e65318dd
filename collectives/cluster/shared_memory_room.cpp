// SPDX-License-Identifier: BSD-3-Clause
// Whether /dev/shm holds what the MPI library will want, told before it is asked.
#include "collectives/cluster/shared_memory_room.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "collectives/cluster/launcher_abort.hpp"
#include "kernels/base/exit_code.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::collectives {

namespace {

constexpr const char* shared_memory = "/dev/shm";

int number_in(const char* variable, const char* other_variable) {
    const char* value = std::getenv(variable);
    if (value == nullptr) value = std::getenv(other_variable);
    return value == nullptr ? -1 : std::atoi(value);
}

}  // namespace

void require_room_in_shared_memory() {
    // 4.2 MiB is what MPICH 4.0.2 over UCX 1.13 takes for each rank (measured with 2 and 8).
    constexpr std::int64_t per_rank_bytes = std::int64_t{5} << 20;
    const int ranks = number_in("MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE");
    struct statvfs room {};
    if (ranks < 2 || ::statvfs(shared_memory, &room) != 0) return;
    const bool read_only = (room.f_flag & ST_RDONLY) != 0;
    const auto left_bytes = static_cast<std::int64_t>(room.f_bavail * room.f_frsize);
    if (!read_only && left_bytes >= ranks * per_rank_bytes) return;
    if (number_in("MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK") == 0) {
        const std::string what =
            read_only ? "is read-only" : "has " + format_size(left_bytes) + " left";
        say_failure(fmt::format("{} {}, and {} on this node share {} in it: make room there, or "
                                "mount it with more",
                                shared_memory, what, counted(ranks, "rank"),
                                format_size(ranks * per_rank_bytes))
                        .c_str(),
                    /*with_rank=*/true);
        let_stderr_drain();
        ask_launcher_to_abort(number_of(ExitCode::bad_input));
    }
    std::this_thread::sleep_for(std::chrono::seconds(4));  // the launcher ends them all
    ::_exit(number_of(ExitCode::bad_input));
}

}  // namespace shardstone::collectives
