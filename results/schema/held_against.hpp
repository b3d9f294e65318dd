// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "results/schema/interconnect.hpp"
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

/// What no test of messages between hosts crosses, and no verdict vouches for.
inline constexpr const char* never_tested =
    "GPU memory, NVLink, GPUDirect (messages go by MPI from host memory)";

/// Whether a turn of a rank is one of its GPU.
bool is_of_gpu(const RankSampleRow& turn);

/// The same of tests of ranks at these places, with these turns, and with messages or without.
std::string not_tested(std::span<const RankPlaceRow> places, std::span<const RankSampleRow> turns,
                       bool has_messages);

}  // namespace shardstone::results
