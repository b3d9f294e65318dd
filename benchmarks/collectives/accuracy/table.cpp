// SPDX-License-Identifier: BSD-3-Clause
// The accuracy study on the screen: errors by type, and which algorithms agree to the last bit.
#include "benchmarks/collectives/accuracy/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace shardstone::benchmarks {

namespace {

using Rows = std::span<const SumAccuracy>;

constexpr const char* pattern =
    "{:<{}} {:<9} {:>5} {:>9} {:>9} {:>9} {:>6} {:>5} {:>6} {:>9} {:>5}\n";

std::string yes_or_no(std::optional<bool> holds) {
    if (!holds) return "-";
    return *holds ? "yes" : "NO";
}

/// a, b ... z, aa, ab ...
std::string letters(std::size_t group) {
    std::string word;
    for (std::size_t rest = group + 1; rest > 0; rest = (rest - 1) / 26) {
        word.insert(word.begin(), static_cast<char>('a' + (rest - 1) % 26));
    }
    return word;
}

std::size_t longest_name(Rows rows) {
    std::size_t longest = 0;
    for (const SumAccuracy& row : rows) longest = std::max(longest, row.algorithm.size());
    return longest;
}

/// Of each row, which set of bits of its type it has, in the order of their first appearance.
std::vector<std::size_t> groups_of(Rows rows) {
    std::map<ElementType, std::vector<std::uint64_t>> seen;
    std::vector<std::size_t> groups;
    for (const SumAccuracy& row : rows) {
        auto& digests = seen[row.type];
        const auto found = std::ranges::find(digests, row.digest);
        groups.push_back(static_cast<std::size_t>(found - digests.begin()));
        if (found == digests.end()) digests.push_back(row.digest);
    }
    return groups;
}

/// Algorithms whose bits are the same in every type.
std::string agreements(Rows rows) {
    std::map<std::string, std::vector<std::uint64_t>> bits;
    for (const SumAccuracy& row : rows) bits[row.algorithm].push_back(row.digest);
    std::map<std::vector<std::uint64_t>, std::vector<std::string>> together;
    for (const auto& [algorithm, digests] : bits) together[digests].push_back(algorithm);
    std::string text;
    for (const auto& [digests, algorithms] : together) {
        if (algorithms.size() < 2) continue;
        text += fmt::format("Same bits in every type: {}\n", fmt::join(algorithms, ", "));
    }
    return text.empty() ? "No two algorithms have the same bits in every type\n" : text;
}

bool same_table(const SumAccuracy& a, const SumAccuracy& b) {
    return a.operation == b.operation && a.elements == b.elements;
}

}  // namespace

std::string accuracy_table(Rows rows) {
    const SumAccuracy& first = rows.front();
    std::string text = fmt::format(
        "\n{} of {} elements, sum, {} ranks; errors in units in the last "
        "place of the type\n",
        first.operation, first.elements, first.ranks);
    const std::size_t width = longest_name(rows);
    text += fmt::format(fmt::runtime(pattern), "algorithm", width, "type", "depth", "max", "rms",
                        "bound", "of it", "runs", "ranks", "schedule", "bits");
    const auto groups = groups_of(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const SumAccuracy& row = rows[i];
        text += fmt::format(
            fmt::runtime(pattern), row.algorithm, width, to_string(row.type), row.depth,
            fmt::format("{:.4g}", row.error.max_ulp), fmt::format("{:.3g}", row.rms_ulp()),
            fmt::format("{:.4g}", row.error.bound_ulp),
            fmt::format("{:.2f}", row.error.share_of_bound), yes_or_no(row.same_in_all_runs),
            yes_or_no(row.same_on_all_ranks), yes_or_no(row.as_scheduled), letters(groups[i]));
    }
    return text + agreements(rows);
}

std::string accuracy_report(Rows all) {
    std::string text;
    for (std::size_t begin = 0; begin < all.size();) {
        std::size_t end = begin + 1;
        while (end < all.size() && same_table(all[begin], all[end])) ++end;
        text += accuracy_table(all.subspan(begin, end - begin));
        begin = end;
    }
    std::size_t failed = 0;
    for (const SumAccuracy& row : all) {
        if (row.passed()) continue;
        ++failed;
        text += fmt::format("FAILED: {} {} {} of {} elements: {}\n", row.operation, row.algorithm,
                            to_string(row.type), row.elements, fmt::join(row.faults(), "; "));
    }
    return text + (failed == 0
                       ? fmt::format("\nAll {} within their bounds and reproducible\n", all.size())
                       : fmt::format("\n{} of {} failed\n", failed, all.size()));
}

}  // namespace shardstone::benchmarks
