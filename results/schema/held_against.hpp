// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/schema/schema.hpp"

namespace shardstone::results {

/// Table "held_against": what a validation of the interconnect tested, and by what that was judged.
struct HeldAgainstRow {
    using Row = HeldAgainstRow;
    std::string what;
    double size_bytes = not_measured;
    double tests = not_measured;
    double between_nodes = not_measured;
    std::string against;
    std::string why;

    static const TableSchema<HeldAgainstRow> schema;
};

/// Table "test_time": how long all tests of a validation but its soak took, in one row.
struct TestTimeRow {
    using Row = TestTimeRow;
    double budget_s = not_measured;
    double took_s = not_measured;
    std::string parts;
    double deciding_s = not_measured;

    static const TableSchema<TestTimeRow> schema;
};

/// What no test here crosses, and no verdict vouches for.
inline constexpr const char* never_tested =
    "GPU memory, NVLink, GPUDirect (messages go by MPI from host memory)";
/// The same of messages between GPUs.
inline constexpr const char* never_tested_between_gpus =
    "links between memories of hosts (messages go through NCCL from GPU memory), computations and "
    "copies of GPUs (turns of ranks are of the hosts' cores)";

}  // namespace shardstone::results
