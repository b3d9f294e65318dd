// SPDX-License-Identifier: BSD-3-Clause
// Looks at twice as many samples each, of half the error each.
#include "validation/interconnect/looks.hpp"

#include <cmath>

namespace shardstone::validation {

int look_of(std::int64_t samples, std::int64_t first, int number_of_first) {
    int look = number_of_first;
    for (std::int64_t end = first; end < samples; end *= 2) ++look;
    return look;
}

std::int64_t next_look_after(std::int64_t samples, std::int64_t first) {
    std::int64_t end = first;
    while (end <= samples) end *= 2;
    return end;
}

double confidence_of_look(double confidence, int look) {
    return 1.0 - std::ldexp(1.0 - confidence, 1 - look);
}

}  // namespace shardstone::validation
