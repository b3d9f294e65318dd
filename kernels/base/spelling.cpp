// SPDX-License-Identifier: BSD-3-Clause
// Finds the name nearest to a misspelt word by edit distance.
#include "kernels/base/spelling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace shardstone {

namespace {

/// Optimal string alignment (Damerau 1964).
std::size_t edits_between(const std::string& from, const std::string& to) {
    const std::size_t width = to.size() + 1;
    std::vector<std::size_t> before(width), last(width), row(width);
    for (std::size_t j = 0; j < width; ++j) last[j] = j;
    for (std::size_t i = 1; i <= from.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j < width; ++j) {
            const bool differ = from[i - 1] != to[j - 1];
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (differ ? 1 : 0)});
            const bool swapped =
                i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, last);
        std::swap(last, row);
    }
    return last.back();
}

}  // namespace

std::string nearest_name(const std::string& word, const std::vector<std::string>& names) {
    std::string nearest;
    std::size_t fewest = std::max<std::size_t>(1, (word.size() + 2) / 3) + 1;
    for (const std::string& name : names) {
        const std::size_t edits = edits_between(word, name);
        if (edits >= fewest) continue;
        fewest = edits;
        nearest = name;
    }
    return nearest;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
    const std::string nearest = nearest_name(word, names);
    return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
}

}  // namespace shardstone
