// SPDX-License-Identifier: BSD-3-Clause
// The file of a discovered cluster: comments on its nodes and their differences, then the
// description.
#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/topology/nominal.hpp"
#include "results/schema/topology_in_words.hpp"

namespace shardstone::benchmarks {

namespace {

/// A description may have 64 KiB.
constexpr std::size_t most_lines = 20;
constexpr std::size_t longest_line = 400;

constexpr const char* opening =
    "# Written by `shardstone topology` from what the nodes' devices are labelled with. Nothing in "
    "it is\n# measured: rates are nominal, which no message reaches, and latencies are "
    "assumptions. "
    "For predictions\n# to rely on, run `shardstone calibrate -o FILE` on the same ranks.\n";

/// Names of hosts and models may hold anything; a comment is one line of text.
std::string comment(const std::string& text) {
    std::string line = "# " + text.substr(0, longest_line);
    std::ranges::replace_if(
        line, [](unsigned char letter) { return letter < ' ' || letter >= 127; }, '?');
    return line + "\n";
}

template <class Groups, class Words>
std::string comments(const Groups& groups, Words&& words) {
    std::string text;
    for (std::size_t i = 0; i < std::min(groups.size(), most_lines); ++i)
        text += comment(words(groups[i]));
    if (groups.size() > most_lines) {
        text += comment(fmt::format("... and {} more", groups.size() - most_lines));
    }
    return text;
}

}  // namespace

std::string nominal_toml(const Discovery& discovery,
                         const collectives::ClusterDescription& nominal) {
    std::string text = opening;
    text += comments(results::grouped(discovery.nodes),
                     [](const auto& group) { return group.where + ": " + in_words(group.row); });
    const auto asymmetries = results::grouped(discovery.asymmetries);
    if (!asymmetries.empty()) text += "# Nodes that differ from this description:\n";
    text += comments(asymmetries,
                     [](const auto& group) { return group.where + ": " + in_words(group.row); });
    return text + to_toml(nominal);
}

}  // namespace shardstone::benchmarks
