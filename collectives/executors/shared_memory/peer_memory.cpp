// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes in other processes' memory by way of the kernel, tried out before they are used.
#include "collectives/executors/shared_memory/peer_memory.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <random>

#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

using Transfer = ssize_t (*)(pid_t process, const iovec* local, unsigned long local_count,
                             const iovec* remote, unsigned long remote_count, unsigned long flags);

/// Returns how many bytes it could move: the kernel may stop early, at the latest after 2 GiB.
/// errno says why when they are not all.
std::int64_t move(Transfer transfer, int process, std::uint64_t address, std::byte* local,
                  std::int64_t size_bytes) {
    std::int64_t moved = 0;
    while (moved < size_bytes) {
        const auto rest = static_cast<std::size_t>(size_bytes - moved);
        const iovec here{local + moved, rest};
        const iovec there{reinterpret_cast<void*>(address + static_cast<std::uint64_t>(moved)),
                          rest};
        const ssize_t now = transfer(process, &here, 1, &there, 1, 0);
        if (now <= 0) break;
        moved += now;
    }
    return moved;
}

void move_all(Transfer transfer, int process, int rank, std::uint64_t address, std::byte* local,
              std::int64_t size_bytes) {
    errno = 0;
    const std::int64_t moved = move(transfer, process, address, local, size_bytes);
    require(moved == size_bytes, [&] {
        const int error = errno;
        return fmt::format(
            "cannot {} {} bytes at {:#x} in the memory of rank {} (process {}) after the first {}: "
            "{}; keep each rank's vector in place until the run is done, or use "
            "shared_memory_direct or ring",
            transfer == process_vm_readv ? "read" : "write", size_bytes, address, rank, process,
            moved, std::strerror(error));
    });
}

/// Where a rank can be tried, as doubles: process, address, and what is found there. An address
/// that a double could not hold would be found unreachable.
using Trial = std::array<double, 3>;

/// Another process may have the number in this container that a rank has in its own: nothing is
/// written before the right word was read, and then that word.
bool passes(const Trial& trial) {
    const auto process = static_cast<int>(trial[0]);
    const auto address = static_cast<std::uint64_t>(trial[1]);
    double word = 0.0;
    auto* const local = reinterpret_cast<std::byte*>(&word);
    return move(process_vm_readv, process, address, local, sizeof word) == sizeof word &&
           word == trial[2] &&
           move(process_vm_writev, process, address, local, sizeof word) == sizeof word;
}

/// Whether this rank reaches all others.
bool reaches(const std::vector<double>& trials) {
    for (std::size_t first = 0; first < trials.size(); first += Trial().size()) {
        if (!passes({trials[first], trials[first + 1], trials[first + 2]})) return false;
    }
    return true;
}

}  // namespace

PeerMemory::PeerMemory(const Communicator& communicator) {
    // A word like no other process has there.
    std::random_device entropy;
    const auto word = static_cast<double>(std::uint64_t{entropy()} << 21 | entropy() >> 11);
    const auto trials = communicator.all_gather(
        Trial{static_cast<double>(getpid()),
              static_cast<double>(reinterpret_cast<std::uintptr_t>(&word)), word});
    for (std::size_t first = 0; first < trials.size(); first += Trial().size()) {
        processes_.push_back(static_cast<int>(trials[first]));
    }
    const auto on_all_ranks = [&] { return communicator.min(reaches(trials) ? 1.0 : 0.0) > 0.0; };
    reachable_ = on_all_ranks();
    if (reachable_) return;
    // Fails where there is no Yama, and then the second trial says so.
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    communicator.barrier();
    reachable_ = on_all_ranks();
}

void PeerMemory::read(int rank, std::uint64_t address, void* to, std::int64_t size_bytes) const {
    move_all(process_vm_readv, processes_[static_cast<std::size_t>(rank)], rank, address,
             static_cast<std::byte*>(to), size_bytes);
}

void PeerMemory::write(int rank, std::uint64_t address, const void* from,
                       std::int64_t size_bytes) const {
    // The kernel's interface takes both directions alike; it only reads here.
    move_all(process_vm_writev, processes_[static_cast<std::size_t>(rank)], rank, address,
             static_cast<std::byte*>(const_cast<void*>(from)), size_bytes);
}

}  // namespace shardstone::collectives
