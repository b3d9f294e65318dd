// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "results/record/record.hpp"
#include "validation/equivalence/matrix.hpp"

namespace shardstone::command {

// Output of `shardstone validate equivalence` on stdout, flushed at once; for rank 0.

/// The training, its reference, and the names of the columns.
void print_equivalence_head(std::int64_t steps,
                            const std::vector<validation::Arithmetic>& arithmetics,
                            reference::DeviceKind device);

/// One line for a layout that was just judged, one word per arithmetic; below it the differences.
void print_layout(const std::vector<validation::LayoutVerdict>& of_layout, std::size_t number,
                  std::size_t count);

/// The same line for a layout in the record from an earlier run, marked.
void print_earlier_layout(const std::string& layout, const results::Record& record,
                          std::size_t number, std::size_t count);

}  // namespace shardstone::command
