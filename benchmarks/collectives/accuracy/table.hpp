// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "benchmarks/collectives/accuracy/accuracy.hpp"

namespace shardstone::benchmarks {

/// The table of one operation and vector length. Complete only at the end, since it marks
/// algorithms that agree bitwise in a type with the same letter. Lines after it name the algorithms
/// that agree in every type. `rows` are all of one operation and length.
std::string accuracy_table(std::span<const SumAccuracy> rows);

/// All tables; then the failures, one per line, or a statement that there are none.
std::string accuracy_report(std::span<const SumAccuracy> all);

}  // namespace shardstone::benchmarks
