// SPDX-License-Identifier: BSD-3-Clause
// The kernel sends SIGXCPU at the soft limit and SIGKILL at the hard one; ulimit sets both alike.
#include "kernels/base/cpu_time_limit.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>

#include "kernels/base/failure_log.hpp"
#include "kernels/base/fixed_text.hpp"

namespace shardstone {

namespace {

volatile std::sig_atomic_t ran_out = 0;

extern "C" void pass_on_as_sigterm(int) {
    rlimit limit{};
    const bool known = ::getrlimit(RLIMIT_CPU, &limit) == 0;
    FixedText<200> reason;
    reason.add("the CPU time limit is reached (ulimit -t, RLIMIT_CPU");
    if (known && limit.rlim_max != RLIM_INFINITY) {
        reason.add(": ").add_number(static_cast<std::int64_t>(limit.rlim_max)).add(" s");
    }
    reason.add("): raise it, or measure less");
    ran_out = 1;
    note_failure(reason.c_str(), ExitCode::interrupted);
    say_failure(reason.c_str(), /*with_rank=*/true);
    // Else the kernel sends another each second, which would be the second signal.
    limit.rlim_cur = limit.rlim_max;
    if (known) ::setrlimit(RLIMIT_CPU, &limit);
    std::raise(SIGTERM);
}

}  // namespace

void heed_cpu_time_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    if (limit.rlim_max != RLIM_INFINITY) {
        const rlim_t to_end_s = std::clamp<rlim_t>(limit.rlim_max / 10, 1, 30);
        const rlim_t last =
            std::max<rlim_t>(1, limit.rlim_max - std::min(limit.rlim_max, to_end_s));
        limit.rlim_cur = std::min(limit.rlim_cur, last);
        ::setrlimit(RLIMIT_CPU, &limit);
    }
    struct sigaction action = {};
    action.sa_handler = pass_on_as_sigterm;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART | SA_ONSTACK;  // see interrupt.cpp
    ::sigaction(SIGXCPU, &action, nullptr);
}

bool cpu_time_ran_out() noexcept {
    return ran_out != 0;
}

}  // namespace shardstone
