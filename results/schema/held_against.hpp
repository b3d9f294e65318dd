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

}  // namespace shardstone::results
