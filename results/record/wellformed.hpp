// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "results/record/record.hpp"

namespace shardstone::results {

/// Throws Error naming the part of a record that cannot be written to both formats and read back
/// unchanged: tables or columns without a proper name or named twice, columns of unequal length or
/// with both numbers and texts, texts that are not UTF-8 or hold a zero byte, infinite or undefined
/// numbers in the JSON documents.
void require_wellformed(const Record& record);

}  // namespace shardstone::results
