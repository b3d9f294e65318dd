// SPDX-License-Identifier: BSD-3-Clause
// Limits that a cluster has to keep, as a file gives them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "validation/interconnect/acceptance.hpp"

namespace shardstone::validation {

/// What a quantity is measured in: seconds, GB/s, TFLOP/s, or nothing.
enum class Dimension : std::uint8_t { time, rate, flop_rate, ratio };

/// What may be limited, rates from below and the others from above.
struct LimitedQuantity {
    const char* name;     ///< "rate between nodes"
    const char* meaning;  ///< one line, for --help
    Dimension dimension;
    bool has_size;           ///< of messages, whose size the limit names
    bool is_of_gpu = false;  ///< measured where messages are between memories of GPUs only
};
std::span<const LimitedQuantity> limited_quantities();
/// Throws Error if there is none of this name.
const LimitedQuantity& find_quantity(const std::string& name);

/// A time in seconds, a rate in GB/s or TFLOP/s or a ratio, in another unit. Throws Error, for a
/// unit of another dimension as well, listing the units there are.
double in_unit(double value, const LimitedQuantity& quantity, const std::string& unit);

/// Reads the tables [[limit]] of a TOML text:
///
///     [[limit]]
///     quantity = "rate between nodes"
///     statistic = "median"             # or mean, p99: of the samples of each pair or rank
///     size = "4M"                      # of the messages; not for quantities of ranks
///     limit = 48.5
///     unit = "GB/s"
///     source = "400 Gb/s port x 97 %"  # shown beside the limit
///
/// A limit holds for each pair in each direction, or each rank, clock or direction. Throws Error
/// naming the file, the key and its value; also for a file without limits.
std::vector<AcceptanceLimit> parse_acceptance(const std::string& text, const std::string& file);

/// Between what its messages are passed: "host", the default, or "gpu" (memory = "gpu", above the
/// limits). Throws Error as above.
std::string memory_of_acceptance(const std::string& text, const std::string& file);

}  // namespace shardstone::validation
