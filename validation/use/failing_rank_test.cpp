// SPDX-License-Identifier: BSD-3-Clause
// failing_rank RANK HOW [FILE]: a job that one of its ranks ends while the others wait for it, for
// the tests of what is said and kept then. FILE is the record that there would have been.
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "collectives/session/session.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/failure_log.hpp"

namespace {

using namespace shardstone;

/// A fault of the memory itself: a store through a null pointer would be the sanitizers' to report.
void write_where_nobody_may() {
    void* const closed = mmap(nullptr, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *static_cast<volatile char*>(closed) = 1;
}

[[noreturn]] void fail_as_told(const std::string& how) {
    if (how == "input") fail("planted input");
    if (how == "disk") fail("planted full disk", ExitCode::output_lost);
    if (how == "lost") fail("planted lost rank", ExitCode::lost_rank);
    if (how == "memory") throw std::bad_alloc();
    if (how == "fault") write_where_nobody_may();
    if (how == "abort") std::abort();
    throw std::logic_error("planted bug");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const int rank = std::atoi(argv[1]);
    const std::string how = argv[2];
    if (argc > 3) keep_failures_beside(argv[3]);
    return collectives::run_session([&](collectives::Communicator& world) {
        enter_phase("step", 7);
        world.barrier();
        if (world.rank() == rank) fail_as_told(how);
        world.barrier();  // waits for one who will not come
        return 0;
    });
}
