// SPDX-License-Identifier: BSD-3-Clause
// The registry of algorithms and families, and the lookup of names with arguments and transports.
#include "collectives/operation/algorithm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "collectives/operation/layout.hpp"
#include "collectives/schedule/compose.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

using Families = std::map<std::string, AlgorithmFamily, std::less<>>;

/// Those of one operation, or ("") of all.
Families& family_registry(std::string_view operation) {
    static std::map<std::string, Families, std::less<>> by_operation;
    return by_operation[std::string(operation)];
}

/// The two that an operation's algorithms are found in.
std::array<const Families*, 2> families_for(const Operation& operation) {
    return {&family_registry(operation.name), &family_registry("")};
}

template <class Visit>
void for_each_family(const Operation& operation, Visit&& visit) {
    for (const Families* families : families_for(operation)) {
        for (const auto& [name, family] : *families) visit(family);
    }
}

const AlgorithmFamily* find_family(const Operation& operation, std::string_view name) {
    for (const Families* families : families_for(operation)) {
        if (const auto entry = families->find(name); entry != families->end())
            return &entry->second;
    }
    return nullptr;
}

/// The whole program of an algorithm that is given as two phases.
Generator two_phases(const Algorithm& algorithm) {
    return [steps = algorithm.steps, first = algorithm.reduce_scatter,
            second = algorithm.all_gather](const Topology& topology, int rank) {
        return in_sequence(first(topology, rank), steps(topology) / 2, second(topology, rank));
    };
}

[[noreturn]] void unknown(const Operation& operation, std::string_view name) {
    std::vector<std::string> choices;
    for_each_family(operation, [&](const auto& family) { choices.push_back(family.grammar); });
    for (const Transport* transport : transports()) {
        if (transport->name != plain_transport)
            choices.push_back(name_over(*transport, "ALGORITHM"));
    }
    std::ranges::sort(choices);
    fail(fmt::format("unknown {} algorithm '{}': use {}", operation.name, name,
                     fmt::join(choices, ", ")));
}

std::string member_name(const AlgorithmFamily& family, const std::string& member) {
    return member.empty() ? family.name : family.name + ":" + member;
}

/// Of those that any ranks can run, or of those that know an obstacle.
std::vector<std::string> names_of(const Operation& operation, bool anywhere) {
    std::vector<std::string> names;
    std::vector<std::string> over_transports;
    for_each_family(operation, [&](const AlgorithmFamily& family) {
        if (family.over_transports) {
            over_transports.push_back(member_name(family, family.members.front()));
        }
        if (family.anywhere != anywhere) return;
        for (const auto& member : family.members) names.push_back(member_name(family, member));
    });
    for (const Transport* transport : transports()) {
        if (transport->name == plain_transport || !transport->obstacle != anywhere) continue;
        for (const auto& name : over_transports) names.push_back(name_over(*transport, name));
    }
    std::ranges::sort(names);
    return names;
}

AlgorithmFamily family_of_one(Algorithm algorithm) {
    if (algorithm.reduce_scatter) algorithm.program = two_phases(algorithm);
    AlgorithmFamily alone{algorithm.name,      algorithm.name,           {""}, {},
                          !algorithm.obstacle, algorithm.over_transports};
    alone.make = [algorithm](std::string_view) { return algorithm; };
    return alone;
}

/// The algorithm with its messages over another transport than the plain one.
Algorithm carried(const Transport& transport, Algorithm algorithm) {
    require(algorithm.has_plain_messages(), [&] {
        return fmt::format(
            "'{}' has no messages for {} to carry: name an algorithm with a schedule, "
            "such as {}",
            algorithm.name, transport.name, name_over(transport, "ring"));
    });
    algorithm.summary = fmt::format("{} {}", algorithm.name, transport.summary);
    algorithm.name = name_over(transport, algorithm.name);
    algorithm.transport = &transport;
    algorithm.memory = transport.memory;
    algorithm.obstacle = transport.obstacle;
    algorithm.in_stream = transport.in_stream;
    return algorithm;
}

/// The algorithm of a name that says no transport.
Algorithm find_plain(const Operation& operation, std::string_view name) {
    const auto colon = name.find(':');
    const AlgorithmFamily* family = find_family(operation, name.substr(0, colon));
    if (family == nullptr) unknown(operation, name);
    const bool takes_arguments = family->grammar != family->name;
    if (takes_arguments != (colon != std::string_view::npos)) unknown(operation, name);
    Algorithm algorithm = family->make(takes_arguments ? name.substr(colon + 1) : "");
    algorithm.operation = &operation;
    const bool has_messages = algorithm.has_schedule() && !algorithm.direct;
    if (has_messages) algorithm.transport = &find_transport(plain_transport);
    return algorithm;
}

}  // namespace

AlgorithmRegistration::AlgorithmRegistration(std::string_view operation, Algorithm algorithm)
    : AlgorithmRegistration(operation, family_of_one(std::move(algorithm))) {}

AlgorithmRegistration::AlgorithmRegistration(std::string_view operation, AlgorithmFamily family) {
    const std::string name = family.name;
    family_registry(operation).emplace(name, std::move(family));
}

AlgorithmRegistration::AlgorithmRegistration(Algorithm algorithm)
    : AlgorithmRegistration("", std::move(algorithm)) {}

bool Algorithm::has_plain_messages() const {
    return transport != nullptr && transport->name == plain_transport;
}

std::vector<std::string> algorithms_for(std::string_view operation) {
    return names_of(find_operation(operation), /*anywhere=*/true);
}

std::vector<std::string> conditional_algorithms_for(std::string_view operation) {
    return names_of(find_operation(operation), /*anywhere=*/false);
}

Algorithm find_algorithm(const Operation& operation, std::string_view name) {
    const NameParts parts = take_apart(name);
    if (parts.transport == nullptr) return find_plain(operation, name);
    return carried(*parts.transport, find_algorithm(operation, parts.algorithm));
}

Algorithm find_algorithm(std::string_view operation, std::string_view name) {
    return find_algorithm(find_operation(operation), name);
}

std::unique_ptr<Executor> make_executor(Communicator& communicator, const Algorithm& algorithm,
                                        const CollectiveSpec& spec) {
    const ExecutorMaker& make = algorithm.direct ? algorithm.direct : algorithm.transport->carry;
    return make(communicator, algorithm, spec);
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
    const bool by_rank = algorithm.operation->sharing == Sharing::by_rank;
    const int role = (rank - root + topology.size()) % topology.size();
    RankProgram program = root == 0 ? algorithm.program(topology, rank)
                                    : rotated(algorithm.program(topology.rotated(root), role),
                                              topology.size(), root, by_rank);
    return segments == 1 ? program : segmented(program, segments);
}

RankProgram program_for(const Algorithm& algorithm, const Communicator& communicator,
                        const CollectiveSpec& spec) {
    return rooted_program(algorithm, communicator.topology(), communicator.rank(), spec.root,
                          segments_for(algorithm, spec.vector.size_bytes()));
}

std::int64_t scheduled_bytes(const Algorithm& algorithm, const Topology& topology, int rank,
                             const CollectiveSpec& spec) {
    if (!algorithm.has_schedule()) return 0;
    const RankProgram program = rooted_program(algorithm, topology, rank, spec.root,
                                               segments_for(algorithm, spec.vector.size_bytes()));
    const BlockLayout layout(spec, algorithm.operation->sharing, program.channels, topology.size());
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
