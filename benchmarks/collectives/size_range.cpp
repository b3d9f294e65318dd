// SPDX-License-Identifier: BSD-3-Clause
// The geometric series of vector sizes behind -b, -e and -f, and what is wrong with bad ones.
#include "benchmarks/collectives/size_range.hpp"

#include <fmt/format.h>

#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::benchmarks {

std::vector<std::int64_t> sizes_of(const SizeRange& range, std::int64_t element_bytes,
                                   const std::string& type) {
    const std::int64_t smallest = parse_size_bytes(range.smallest);
    const std::int64_t largest = parse_size_bytes(range.largest);
    require(smallest >= element_bytes && smallest % element_bytes == 0, [&] {
        return fmt::format("-b {}: not a multiple of the {} bytes of one {} element",
                           range.smallest, element_bytes, type);
    });
    require(smallest <= largest, [&] {
        return fmt::format("-b {} is more than -e {}: give -b the smaller one", range.smallest,
                           range.largest);
    });
    require(range.factor >= 2, [&] {
        return fmt::format("-f {}: sizes grow by a factor of at least 2", range.factor);
    });
    std::vector<std::int64_t> sizes;
    for (std::int64_t size = smallest;; size *= range.factor) {
        sizes.push_back(size);
        if (size > largest / range.factor) return sizes;
    }
}

}  // namespace shardstone::benchmarks
