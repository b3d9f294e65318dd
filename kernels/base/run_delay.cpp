// SPDX-License-Identifier: BSD-3-Clause
// How long a thread waited for a core, as Linux counts it in schedstat.
#include "kernels/base/run_delay.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <limits>

namespace shardstone {

double waited_s_in(const char* schedstat) {
    double ran_ns = 0.0, waited_ns = 0.0;
    const bool told = std::sscanf(schedstat, "%lf %lf", &ran_ns, &waited_ns) == 2;
    return told ? 1e-9 * waited_ns : std::numeric_limits<double>::quiet_NaN();
}

RunDelay::RunDelay() : file_(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

RunDelay::~RunDelay() {
    if (file_ >= 0) close(file_);
}

double RunDelay::waited_s() const {
    std::array<char, 128> text{};
    if (pread(file_, text.data(), text.size() - 1, 0) < 0) text.front() = 0;
    return waited_s_in(text.data());
}

}  // namespace shardstone
