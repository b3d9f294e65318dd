// SPDX-License-Identifier: BSD-3-Clause
// What runs of one system chose, and which of them may be repetitions of each other.
#include "results/report/choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "kernels/base/units.hpp"

namespace shardstone::results {

namespace {

/// Node by rank; none in records of older versions.
std::vector<int> nodes_of_ranks(const Source& source) {
    const auto& environment = source.record.environment;
    const auto found = environment.find("node_of_ranks");
    if (found == environment.end() || !found->is_array()) return {};
    const bool are_nodes =
        std::ranges::all_of(*found, [](const auto& node) { return node.is_number_integer(); });
    return are_nodes ? found->get<std::vector<int>>() : std::vector<int>{};
}

std::size_t count_nodes(const std::vector<int>& nodes) {
    return std::set<int>(nodes.begin(), nodes.end()).size();
}

/// One rank on each node is in order both ways.
std::string order_on(const std::vector<int>& nodes) {
    const auto count = static_cast<int>(count_nodes(nodes));
    bool in_turn = true;
    for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
        in_turn &= nodes[rank] == static_cast<int>(rank) % count;
    }
    const bool is_filled = std::ranges::is_sorted(nodes);
    if (count < 2 || (in_turn && is_filled)) return "";
    return in_turn     ? "ranks dealt to the nodes in turn"
           : is_filled ? "nodes filled one after the other"
                       : "ranks on nodes in no plain order";
}

std::string share_on(const std::vector<int>& nodes) {
    const double share =
        static_cast<double>(nodes.size()) / static_cast<double>(count_nodes(nodes));
    return fmt::format("{:.3g} rank{} per node", share, share > 1.0 ? "s" : "");
}

/// "" where the choice does not apply, or in records of older versions.
std::string chosen(const Source& source, const char* key, const char* words) {
    const std::string text = setting_text(source, key, "null");
    return text == "null" ? "" : fmt::format(fmt::runtime(words), text);
}

std::string yes_or_no(const Source& source, const char* key, const char* yes, const char* no) {
    const std::string text = setting_text(source, key, "null");
    return text == "null" ? "" : text == "true" ? yes : no;
}

std::string buckets_of(const Source& source) {
    const auto& settings = source.record.configuration;
    const auto found = settings.find("bucket_bytes");
    const bool is_told = found != settings.end() && found->is_number_integer();
    return is_told ? "buckets of " + format_size(found->get<std::int64_t>()) : "";
}

/// Null says that none is frozen, whatever the number of ranks.
std::string frozen_in(const Source& source) {
    if (!source.record.configuration.contains("frozen")) return "";
    const std::string frozen = setting_text(source, "frozen", "null");
    return frozen == "null" ? "nothing frozen" : "frozen " + frozen;
}

/// Null says that the stages of a pipeline are even, and nothing without a pipeline.
std::string stages_of(const Source& source) {
    const bool has_stages = setting_text(source, "schedule", "null") != "null" &&
                            source.record.configuration.contains("stage_layers");
    if (!has_stages) return "";
    const std::string layers = setting_text(source, "stage_layers", "null");
    return layers == "null" ? "even stages" : "stages of layers " + layers;
}

Choices own_choices(const Source& source) {
    return {order_on(nodes_of_ranks(source)),
            chosen(source, "all_reduce", "all-reduce {}"),
            buckets_of(source),
            yes_or_no(source, "overlap", "overlapped", "not overlapped"),
            chosen(source, "gradient_wire", "gradient wire {}"),
            chosen(source, "recompute", "recomputation {}"),
            yes_or_no(source, "reproducible", "reproducible", "not reproducible"),
            chosen(source, "chunks", "chunks {}"),
            yes_or_no(source, "scatter_gather", "scatter-gather", "no scatter-gather"),
            frozen_in(source),
            stages_of(source)};
}

/// Which choices of `part` are among those of `whole`.
bool is_part_of(const Choices& part, const Choices& whole) {
    return std::ranges::equal(part, whole, [](const std::string& mine, const std::string& its) {
        return mine.empty() || mine == its;
    });
}

Choices joined(const Choices& one, const Choices& other) {
    Choices all = one;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].empty()) all[i] = other[i];
    }
    return all;
}

}  // namespace

std::vector<Choices> choices_of(const std::vector<const Source*>& trainings) {
    std::vector<std::vector<int>> placements;
    std::map<std::size_t, std::set<std::size_t>> nodes_on;  // by ranks
    for (const Source* training : trainings) {
        const auto& nodes = placements.emplace_back(nodes_of_ranks(*training));
        if (!nodes.empty()) nodes_on[nodes.size()].insert(count_nodes(nodes));
    }
    const bool is_chosen =
        std::ranges::any_of(nodes_on, [](const auto& one) { return one.second.size() > 1; });
    std::vector<Choices> all;
    for (std::size_t i = 0; i < trainings.size(); ++i) {
        const auto& nodes = placements[i];
        const bool is_of_it = is_chosen && !nodes.empty() &&
                              (count_nodes(nodes) > 1 || nodes_on[nodes.size()].size() > 1);
        all.push_back(own_choices(*trainings[i]));
        all.back().push_back(is_of_it ? share_on(nodes) : "");
    }
    return all;
}

bool fit(const Choices& one, const Choices& other) {
    return std::ranges::equal(one, other, [](const std::string& mine, const std::string& its) {
        return mine.empty() || its.empty() || mine == its;
    });
}

std::vector<Choices> ways_to_choose(const std::vector<Choices>& of_runs) {
    std::vector<Choices> joins;
    const auto add = [&](const Choices& one) {
        if (std::ranges::find(joins, one) == joins.end()) joins.push_back(one);
    };
    for (const Choices& run : of_runs) {
        for (std::size_t i = 0, known = joins.size(); i < known; ++i) {
            if (fit(joins[i], run)) add(joined(joins[i], run));
        }
        add(run);
    }
    std::vector<Choices> ways;
    std::ranges::copy_if(joins, std::back_inserter(ways), [&](const Choices& one) {
        return std::ranges::none_of(
            joins, [&](const Choices& other) { return other != one && is_part_of(one, other); });
    });
    return ways;
}

std::string words_apart(const Choices& own, const std::vector<Choices>& others) {
    std::string words;
    for (std::size_t i = 0; i < own.size(); ++i) {
        const auto differs = [&](const Choices& other) {
            return !other[i].empty() && other[i] != own[i];
        };
        if (!own[i].empty() && std::ranges::any_of(others, differs)) words += ", " + own[i];
    }
    return words;
}

}  // namespace shardstone::results
