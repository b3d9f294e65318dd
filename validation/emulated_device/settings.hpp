// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <random>

namespace shardstone::emulated {

/// Which of the threads of a block that can go on does so; blocks come in the same order.
enum class ThreadOrder { forward, reverse, random };

/// Which of the streams with work that can run goes on while the host waits for one: only those it
/// needs, as late as possible; all others first; any; or in the order of the host's calls, the
/// natural one, which hides every missing wait.
enum class StreamOrder { lazy, others, random, issue };

/// How the emulated device behaves, at first as the environment says; tests may change it.
struct Settings {
    ThreadOrder threads = ThreadOrder::forward;  ///< SHARDSTONE_EMULATED_ORDER
    StreamOrder streams = StreamOrder::lazy;     ///< SHARDSTONE_EMULATED_STREAMS
    unsigned seed = 1;                           ///< SHARDSTONE_EMULATED_SEED, of the random orders
    bool trace = false;  ///< SHARDSTONE_EMULATED_TRACE=1: work is shown on stderr as it runs
    int devices = 1;     ///< SHARDSTONE_EMULATED_DEVICES
    bool peers = true;   ///< SHARDSTONE_EMULATED_PEERS=0: none reaches another one's memory
    bool mpi_takes_memory =
        true;  ///< SHARDSTONE_EMULATED_MPI=0: the MPI at hand takes no memory of it
    /// SHARDSTONE_EMULATED_RACES=streams: the race detector sees none between threads of a kernel
    /// that waits for nothing, few between blocks, and needs far less memory.
    bool races_in_kernels = true;
    int slow_device = -1;  ///< SHARDSTONE_EMULATED_SLOW: whose work lasts twice as long
    std::int64_t memory_bytes = std::int64_t{4} << 30;  ///< SHARDSTONE_EMULATED_MEMORY, of each
};

Settings& settings();

/// What kernels and the emulated device were compiled with.
enum class Sanitizer { none, address, thread };
Sanitizer sanitizer();

/// Of the random orders; starts from the seed.
std::mt19937& random_numbers();

}  // namespace shardstone::emulated
