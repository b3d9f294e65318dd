// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/operation/algorithm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "collectives/operation/layout.hpp"
#include "collectives/schedule/compose.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

using Families = std::map<std::string, AlgorithmFamily, std::less<>>;

std::map<std::string, Families, std::less<>>& algorithm_registry() {
    static std::map<std::string, Families, std::less<>> by_operation;
    return by_operation;
}

const Families& families_for(std::string_view operation) {
    static const Families none;
    const auto entry = algorithm_registry().find(find_operation(operation).name);
    return entry == algorithm_registry().end() ? none : entry->second;
}

/// The whole program of an algorithm that is given as two phases.
Generator two_phases(const Algorithm& algorithm) {
    return [steps = algorithm.steps, first = algorithm.reduce_scatter,
            second = algorithm.all_gather](const Topology& topology, int rank) {
        return in_sequence(first(topology, rank), steps(topology) / 2, second(topology, rank));
    };
}

[[noreturn]] void unknown(std::string_view operation, std::string_view name) {
    std::vector<std::string> choices;
    for (const auto& [key, family] : families_for(operation)) choices.push_back(family.grammar);
    fail(fmt::format("unknown {} algorithm '{}': use {}", operation, name,
                     fmt::join(choices, ", ")));
}

std::vector<std::string> names_of(std::string_view operation, bool anywhere) {
    std::vector<std::string> names;
    for (const auto& [name, family] : families_for(operation)) {
        if (family.anywhere != anywhere) continue;
        for (const auto& member : family.members) {
            names.push_back(member.empty() ? name : name + ":" + member);
        }
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace

AlgorithmRegistration::AlgorithmRegistration(Algorithm algorithm) {
    if (algorithm.reduce_scatter) algorithm.program = two_phases(algorithm);
    AlgorithmFamily alone{algorithm.operation, algorithm.name, algorithm.name, {""}, {},
                          !algorithm.obstacle};
    alone.make = [algorithm](std::string_view) { return algorithm; };
    algorithm_registry()[algorithm.operation].emplace(algorithm.name, std::move(alone));
}

AlgorithmRegistration::AlgorithmRegistration(AlgorithmFamily family) {
    algorithm_registry()[family.operation].emplace(family.name, std::move(family));
}

std::vector<std::string> algorithms_for(std::string_view operation) {
    return names_of(operation, /*anywhere=*/true);
}

std::vector<std::string> conditional_algorithms_for(std::string_view operation) {
    return names_of(operation, /*anywhere=*/false);
}

Algorithm find_algorithm(std::string_view operation, std::string_view name) {
    const Families& families = families_for(operation);
    const auto colon = name.find(':');
    const auto entry = families.find(name.substr(0, colon));
    if (entry == families.end()) unknown(operation, name);
    const AlgorithmFamily& family = entry->second;
    const bool takes_arguments = family.grammar != family.name;
    if (takes_arguments != (colon != std::string_view::npos)) unknown(operation, name);
    return family.make(takes_arguments ? name.substr(colon + 1) : "");
}

int segments_for(const Algorithm& algorithm, std::int64_t size_bytes) {
    // More segments than this bring the pipeline no nearer to full, and each costs messages.
    constexpr std::int64_t most_segments = 32;
    if (algorithm.segment_bytes == 0) return 1;
    return static_cast<int>(
        std::clamp<std::int64_t>(size_bytes / algorithm.segment_bytes, 1, most_segments));
}

RankProgram rooted_program(const Algorithm& algorithm, const Topology& topology, int rank, int root,
                           int segments) {
    const bool by_rank = find_operation(algorithm.operation).sharing == Sharing::by_rank;
    const int seat = (rank - root + topology.size()) % topology.size();
    RankProgram program = root == 0 ? algorithm.program(topology, rank)
                                    : rotated(algorithm.program(topology.rotated(root), seat),
                                              topology.size(), root, by_rank);
    return segments == 1 ? program : segmented(program, segments);
}

std::int64_t scheduled_bytes(const Algorithm& algorithm, const Topology& topology, int rank,
                             const CollectiveSpec& spec) {
    if (!algorithm.has_schedule()) return 0;
    const RankProgram program = rooted_program(algorithm, topology, rank, spec.root,
                                               segments_for(algorithm, spec.vector.size_bytes()));
    const Layout layout(spec, find_operation(algorithm.operation).sharing, program.channels,
                        topology.size());
    return elements_sent(program, layout, rank) * spec.vector.element_bytes();
}

Schedule make_schedule(const Algorithm& algorithm, const Topology& topology, int segments,
                       int root) {
    Schedule schedule{algorithm.operation, root, topology, {}};
    for (int rank = 0; rank < topology.size(); ++rank) {
        schedule.programs.push_back(rooted_program(algorithm, topology, rank, root, segments));
    }
    return schedule;
}

}  // namespace shardstone::collectives
