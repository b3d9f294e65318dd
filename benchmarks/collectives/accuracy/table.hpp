// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "benchmarks/collectives/accuracy/accuracy.hpp"

namespace shardstone::benchmarks {

/// The table of one operation and vector length. Which algorithms agree to the bit can only be said
/// at the end: those with the same letter in a type do. Lines after it name the algorithms that
/// agree in every type. `rows` are all of one operation and length.
std::string accuracy_table(std::span<const SumAccuracy> rows);

/// All tables; then what failed, a line each, or that nothing did.
std::string accuracy_report(std::span<const SumAccuracy> all);

}  // namespace shardstone::benchmarks
