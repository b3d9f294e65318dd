// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/all_reduce/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "collectives/schedule/compose.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

std::map<std::string, AllReduceFamily, std::less<>>& registry() {
    static std::map<std::string, AllReduceFamily, std::less<>> families;
    return families;
}

/// The whole program of an algorithm that is given as two phases.
Generator two_phases(const AllReduceAlgorithm& algorithm) {
    return [steps = algorithm.steps, first = algorithm.reduce_scatter,
            second = algorithm.all_gather](const Topology& topology, int rank) {
        return in_sequence(first(topology, rank), steps(topology) / 2, second(topology, rank));
    };
}

[[noreturn]] void unknown(std::string_view name) {
    std::vector<std::string> choices;
    for (const auto& [key, family] : registry()) choices.push_back(family.grammar);
    fail(fmt::format("unknown all-reduce algorithm '{}': use {}", name, fmt::join(choices, ", ")));
}

}  // namespace

AllReduceRegistration::AllReduceRegistration(AllReduceAlgorithm algorithm) {
    if (algorithm.reduce_scatter) algorithm.program = two_phases(algorithm);
    AllReduceFamily alone{algorithm.name, algorithm.name, {""}, {}};
    alone.make = [algorithm](std::string_view) { return algorithm; };
    registry().emplace(algorithm.name, std::move(alone));
}

AllReduceRegistration::AllReduceRegistration(AllReduceFamily family) {
    registry().emplace(family.name, std::move(family));
}

std::vector<std::string> all_reduce_algorithms() {
    std::vector<std::string> names;
    for (const auto& [name, family] : registry()) {
        for (const auto& member : family.members) {
            names.push_back(member.empty() ? name : name + ":" + member);
        }
    }
    std::ranges::sort(names);
    return names;
}

AllReduceAlgorithm find_all_reduce(std::string_view name) {
    const auto colon = name.find(':');
    const auto entry = registry().find(name.substr(0, colon));
    if (entry == registry().end()) unknown(name);
    const AllReduceFamily& family = entry->second;
    const bool takes_arguments = family.grammar != family.name;
    if (takes_arguments != (colon != std::string_view::npos)) unknown(name);
    return family.make(takes_arguments ? name.substr(colon + 1) : "");
}

int segments_for(const AllReduceAlgorithm& algorithm, std::int64_t size_bytes) {
    // More segments than this bring the pipeline no nearer to full, and each costs messages.
    constexpr std::int64_t most_segments = 32;
    if (algorithm.segment_bytes == 0) return 1;
    return static_cast<int>(
        std::clamp<std::int64_t>(size_bytes / algorithm.segment_bytes, 1, most_segments));
}

Schedule all_reduce_schedule(const AllReduceAlgorithm& algorithm, const Topology& topology,
                             int segments) {
    Schedule schedule{topology, {}};
    for (int rank = 0; rank < topology.size(); ++rank) {
        RankProgram program = algorithm.program(topology, rank);
        schedule.programs.push_back(segments == 1 ? std::move(program)
                                                  : segmented(program, segments));
    }
    return schedule;
}

}  // namespace shardstone::collectives
