// SPDX-License-Identifier: BSD-3-Clause
// Whether /dev/shm holds what the MPI library will want, told before it is asked.
#include "collectives/cluster/shared_memory_room.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "collectives/cluster/launcher_abort.hpp"
#include "collectives/cluster/process.hpp"
#include "kernels/base/exit_code.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::collectives {

namespace {

constexpr const char* shared_memory = "/dev/shm";

/// The first rank of a node speaks for it; the launcher ends them all.
[[noreturn]] void end_for_lack(const std::string& reason) {
    if (launcher_local_rank() == 0) {
        say_failure(reason.c_str(), /*with_rank=*/launcher_size() > 1);
        let_stderr_drain();
        ask_launcher_to_abort(number_of(ExitCode::bad_input));
    } else {
        std::this_thread::sleep_for(std::chrono::seconds(4));
    }
    ::_exit(number_of(ExitCode::bad_input));
}

}  // namespace

void require_room_in_shared_memory() {
    // 4.2 MiB is what MPICH 4.0.2 over UCX 1.13 takes for each rank (measured with 2 and 8).
    constexpr std::int64_t per_rank_bytes = std::int64_t{5} << 20;
    rlimit file{};
    if (::getrlimit(RLIMIT_FSIZE, &file) == 0 && file.rlim_cur < per_rank_bytes) {
        end_for_lack(fmt::format(
            "files may grow to {} (ulimit -f), and MPI makes one of up to {} "
            "for each rank: raise that limit",
            format_size(static_cast<std::int64_t>(file.rlim_cur)), format_size(per_rank_bytes)));
    }
    const int ranks = launcher_local_size();
    struct statvfs room {};
    if (ranks < 2 || ::statvfs(shared_memory, &room) != 0) return;
    const bool read_only = (room.f_flag & ST_RDONLY) != 0;
    const auto left_bytes = static_cast<std::int64_t>(room.f_bavail * room.f_frsize);
    if (!read_only && left_bytes >= ranks * per_rank_bytes) return;
    const std::string what =
        read_only ? "is read-only" : "has " + format_size(left_bytes) + " left";
    end_for_lack(fmt::format(
        "{} {}, and {} on this node share {} in it: make room there, or mount "
        "it with more",
        shared_memory, what, counted(ranks, "rank"), format_size(ranks * per_rank_bytes)));
}

}  // namespace shardstone::collectives
