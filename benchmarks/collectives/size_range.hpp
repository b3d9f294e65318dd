// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shardstone::benchmarks {

/// The vector sizes of a sweep, as in nccl-tests: -b, -e, -f.
struct SizeRange {
    std::string smallest;
    std::string largest;
    std::int64_t factor = 2;
};

/// From the smallest size up to the largest, each the factor times the previous one. Throws Error
/// naming the flag for sizes that are invalid or not a multiple of `element_bytes` of `type`, a
/// smallest above the largest, and a factor below 2.
std::vector<std::int64_t> sizes_of(const SizeRange& range, std::int64_t element_bytes,
                                   const std::string& type);

}  // namespace shardstone::benchmarks
