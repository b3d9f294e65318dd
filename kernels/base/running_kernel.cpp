// SPDX-License-Identifier: BSD-3-Clause
// Tells machines apart, whatever their nodes are called.
#include "kernels/base/running_kernel.hpp"

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>

namespace shardstone {

double running_kernel() {
    std::string identity;
    if (const char* told = std::getenv("SHARDSTONE_MACHINE"); told != nullptr && *told != '\0') {
        identity = told;
    } else if (!(std::ifstream("/proc/sys/kernel/random/boot_id") >> identity)) {
        return -1.0;
    }
    constexpr std::size_t exact_in_double = (std::size_t{1} << 53) - 1;
    return static_cast<double>(std::hash<std::string>{}(identity)&exact_in_double);
}

}  // namespace shardstone
