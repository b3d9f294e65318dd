// SPDX-License-Identifier: BSD-3-Clause
// Many numbers in few words.
#include "kernels/base/ranges_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace shardstone {

std::string ranges_text(std::span<const int> numbers, const char* to, const char* between) {
    std::vector<std::string> words;
    for (std::size_t first = 0, last = 0; first < numbers.size(); first = ++last) {
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        words.push_back(first == last ? fmt::format("{}", numbers[first])
                                      : fmt::format("{}{}{}", numbers[first], to, numbers[last]));
    }
    return fmt::format("{}", fmt::join(words, between));
}

}  // namespace shardstone
