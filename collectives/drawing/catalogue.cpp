// SPDX-License-Identifier: BSD-3-Clause
// The Markdown page of all collective algorithms, with their prices and some schedules drawn.
#include "collectives/drawing/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "collectives/drawing/drawing.hpp"
#include "collectives/drawing/facts.hpp"
#include "collectives/drawing/price.hpp"

namespace shardstone::collectives {

namespace {

struct Drawn {
    const char* operation;
    const char* algorithm;
    int ranks;
    int ranks_per_node;
};

constexpr std::array<Drawn, 8> drawn{{
    {"all_reduce", "ring", 8, 8},
    {"all_reduce", "recursive_doubling", 8, 8},
    {"all_reduce", "rabenseifner", 8, 8},
    {"all_reduce", "double_binary_tree", 8, 8},
    {"all_reduce", "hierarchical:ring/rabenseifner", 8, 4},
    {"all_to_all", "bruck", 5, 5},
    {"broadcast", "binomial_tree", 8, 8},
    {"broadcast", "scatter_all_gather:ring", 8, 8},
}};

constexpr std::array<int, 3> sizes{8, 32, 64};
constexpr int ranks_per_node = 8;

constexpr const char* introduction = R"(<!-- SPDX-License-Identifier: BSD-3-Clause -->
# The collective algorithms

Made by `{}` from the algorithms that the program holds; do not edit it. It has {} operations and
{} (operation, algorithm) pairs. Every schedule here is proved for up to 64 ranks, and
`shardstone draw` paints it for any number of them.

- *steps* and *volume*, the most that any rank sends in lengths of the vector: the formula, and its
  value at 8, 32 and 64 ranks on nodes of 8.
- *T*: the time of a vector of n bytes, by playing the schedule through. A message of m bytes takes
  α + m β within a node and α′ + m β′ between nodes, reducing m bytes takes m γ, and a rank sends one
  message at a time and receives one. Each factor is the longest chain when its constant alone
  costs; T ≲ marks where these are different chains, so that T is less than the sum. It is for one
  segment, and where an algorithm is made for more, which overlap, also for 16.
- `-`: a direct call shows no schedule.
)";

constexpr const char* table_head =
    "| algorithm | steps | volume | T on one node of 8 | T on 4 nodes of 8 | source |\n"
    "| --- | --- | --- | --- | --- | --- |\n";

template <class Value>
std::string at_sizes(Value&& value) {
    std::string text;
    for (const int size : sizes) {
        text += text.empty() ? "" : ", ";
        text += short_number(value(Topology::blocked(size, ranks_per_node)));
    }
    return text;
}

/// Text that Markdown leaves as it is.
std::string plain(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (std::string_view("|*_<").find(c) != std::string_view::npos) escaped += '\\';
        escaped += c;
    }
    return escaped;
}

std::string price_on(const Algorithm& algorithm, const Topology& topology) {
    return price_text(algorithm, make_schedule(algorithm, topology), 1);
}

std::string row_of(const Algorithm& algorithm) {
    const std::string name =
        fmt::format("**{}**: {}", plain(algorithm.name), plain(algorithm.summary));
    if (!algorithm.has_schedule()) return fmt::format("| {} | - | - | - | - | - |\n", name);
    const auto steps = [&](const Topology& topology) { return 1.0 * algorithm.steps(topology); };
    return fmt::format("| {} | {}: {} | {}: {} | {} | {} | {} |\n", name,
                       plain(algorithm.steps_formula), at_sizes(steps),
                       plain(algorithm.volume_formula), at_sizes(algorithm.volume),
                       price_on(algorithm, Topology::one_node(ranks_per_node)),
                       price_on(algorithm, Topology::blocked(4 * ranks_per_node, ranks_per_node)),
                       plain(algorithm.citation));
}

std::string figure_name(const Drawn& picture) {
    return fmt::format(
        "{}-{}", picture.operation,
        drawing_name(find_algorithm(picture.operation, picture.algorithm), picture.ranks));
}

std::string section_of(const std::string& operation) {
    std::string text = fmt::format("\n## {}\n\nAim: {}.\n\n{}", spoken(operation),
                                   find_operation(operation).summary, table_head);
    for (const std::string& name : algorithms_for(operation)) {
        text += row_of(find_algorithm(operation, name));
    }
    for (const Drawn& picture : drawn) {
        if (operation != picture.operation) continue;
        text += fmt::format("\n![{} by {} on {} ranks]({}/{})\n", spoken(operation),
                            picture.algorithm, picture.ranks, figures_folder, figure_name(picture));
    }
    return text;
}

}  // namespace

std::string drawing_name(const Algorithm& algorithm, int ranks) {
    std::string name = fmt::format("{}-{}.svg", algorithm.name, ranks);
    std::ranges::replace_if(
        name, [](char c) { return c == ':' || c == '/'; }, '-');
    return name;
}

std::vector<CatalogueFigure> catalogue_figures() {
    std::vector<CatalogueFigure> figures;
    for (const Drawn& picture : drawn) {
        figures.push_back(
            {figure_name(picture), draw(find_algorithm(picture.operation, picture.algorithm),
                                        Topology::blocked(picture.ranks, picture.ranks_per_node))});
    }
    return figures;
}

std::string catalogue() {
    std::size_t pairs = 0;
    std::string sections;
    for (const std::string& operation : operations()) {
        pairs += algorithms_for(operation).size();
        sections += section_of(operation);
    }
    return fmt::format(introduction, catalogue_command, operations().size(), pairs) + sections;
}

}  // namespace shardstone::collectives
