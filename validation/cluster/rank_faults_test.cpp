// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into ranks: faults that a network and its shaping cannot have.
//   SLOWED_RANK=R    a fifth of the CPU time of rank R is lost, a few milliseconds at a time
//   FLIPPED_RANK=R   rank R sends one long message with bit 5 of its element 1000 flipped; with
//                    FLIPPED_WHILE=FILE instead every one while there is such a file
// MPI is called without its header: the handles are those of MPICH and its derivatives.
#include <dlfcn.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr std::size_t flipped_element = 1000;
constexpr int flipped_bit = 5;
/// Later than all connections are made, and soon enough for the shortest run.
constexpr int flipped_message = 4;
constexpr int long_bytes = 65536;

bool is_rank(const char* variable) {
    const char* const wanted = std::getenv(variable);
    const char* const own = std::getenv("PMI_RANK");
    return wanted != nullptr && own != nullptr && std::strcmp(wanted, own) == 0;
}

double thread_cpu_s() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Of every 20 ms of CPU time 4 ms are lost.
constexpr int period_us = 20'000;
constexpr double lost_s = 4e-3;

void lose_time(int) {
    const double end_s = thread_cpu_s() + lost_s;
    while (thread_cpu_s() < end_s) {
    }
}

struct SlowRank {
    SlowRank() {
        if (!is_rank("SLOWED_RANK")) return;
        struct sigaction action {};
        action.sa_handler = lose_time;
        action.sa_flags = SA_RESTART;
        sigaction(SIGPROF, &action, nullptr);
        const itimerval timer{{0, period_us}, {0, period_us}};
        setitimer(ITIMER_PROF, &timer, nullptr);
    }
};
const SlowRank slow_rank;

/// Of the next long message.
bool flips_now() {
    static int messages = 0;
    const char* const file = std::getenv("FLIPPED_WHILE");
    if (file != nullptr) return access(file, F_OK) == 0;
    return ++messages == flipped_message;
}

}  // namespace

extern "C" int MPI_Isend(const void* data, int count, int type, int to, int tag, int comm,
                         int* request) {
    using Send = int(const void*, int, int, int, int, int, int*);
    static Send* const send = reinterpret_cast<Send*>(dlsym(RTLD_NEXT, "MPI_Isend"));
    static std::vector<std::uint64_t> changed;  // until the message has left
    const bool flips = is_rank("FLIPPED_RANK") && count >= long_bytes && flips_now();
    if (!flips) return send(data, count, type, to, tag, comm, request);
    changed.resize(static_cast<std::size_t>(count) / sizeof(std::uint64_t));
    std::memcpy(changed.data(), data, static_cast<std::size_t>(count));
    changed[flipped_element] ^= std::uint64_t{1} << flipped_bit;
    return send(changed.data(), count, type, to, tag, comm, request);
}
