// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace shardstone::emulated {

/// What the program has asked of the emulated devices so far; tests may set it to nothing.
struct Counters {
    std::int64_t launches = 0;  ///< of kernels, also into a graph
    std::int64_t kernels_run = 0;
    std::int64_t copies = 0;  ///< and fillings, also into a graph
    std::int64_t copied_bytes = 0;
    std::int64_t allocations = 0;  ///< of device memory
    std::int64_t pinned_allocations = 0;
    std::int64_t host_waits = 0;  ///< for a stream, an event, the device or a copy
    std::int64_t graph_launches = 0;
};

/// Of this process. Only programs that link the emulated device have it.
Counters& counters();

}  // namespace shardstone::emulated
