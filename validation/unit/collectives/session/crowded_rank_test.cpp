// SPDX-License-Identifier: BSD-3-Clause
// crowded_rank EXPECTED MACHINE CORE...: a rank of a job, bound to these of the cores that it may
// use (0 is the first), on a machine of that name. It ends with 0 if as many ranks as expected are
// counted for each core, and with 77 where there are too few cores.
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "collectives/cluster/waiting.hpp"
#include "collectives/session/session.hpp"

namespace {

using namespace shardstone;

std::vector<int> allowed_cores() {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    sched_getaffinity(0, sizeof mask, &mask);
    std::vector<int> cores;
    for (int core = 0; core < CPU_SETSIZE; ++core) {
        if (CPU_ISSET(core, &mask)) cores.push_back(core);
    }
    return cores;
}

/// Whether there were as many.
bool bind_to(const std::vector<std::size_t>& wanted) {
    const auto cores = allowed_cores();
    cpu_set_t mask;
    CPU_ZERO(&mask);
    for (const std::size_t one : wanted) {
        if (one >= cores.size()) return false;
        CPU_SET(cores[one], &mask);
    }
    return sched_setaffinity(0, sizeof mask, &mask) == 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const int expected = std::atoi(argv[1]);
    setenv("SHARDSTONE_MACHINE", argv[2], 1);
    std::vector<std::size_t> cores;
    for (int i = 3; i < argc; ++i) cores.push_back(static_cast<std::size_t>(std::atoi(argv[i])));
    if (!bind_to(cores)) return 77;
    return collectives::run_session([&](collectives::Communicator& world) {
        const int counted = collectives::Waiter::ranks_per_core();
        if (counted == expected) return 0;
        std::fprintf(stderr, "rank %d of %d: %d ranks were counted for each core, not %d\n",
                     world.rank(), world.size(), counted, expected);
        return 1;
    });
}
