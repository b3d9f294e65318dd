// SPDX-License-Identifier: BSD-3-Clause
// A point-to-point pattern as an operation with two algorithms: its own messages and the library's.
#include "collectives/patterns/pattern.hpp"

#include <fmt/format.h>

#include "collectives/operation/counts.hpp"
#include "collectives/patterns/library_pattern.hpp"

namespace shardstone::collectives {

namespace {

Operation operation_of(const Pattern& pattern) {
    Operation operation;
    operation.name = pattern.name;
    operation.summary = pattern.summary;
    operation.sharing = Sharing::message;
    operation.before = [](const RankRole& role, int block) {
        return block == Pattern::mine.first ? Content{role.rank, role.rank} : Content{};
    };
    operation.after = [source_of = pattern.source_of](const RankRole& role, int block) {
        const int from = source_of(role);
        return block == Pattern::theirs.first && from >= 0 ? Content{from, from} : Content{};
    };
    operation.bus_factor = [turns = pattern.turns](int) { return 1.0 * turns; };
    return operation;
}

Algorithm direct(const Pattern& pattern) {
    Algorithm algorithm;
    algorithm.name = "direct";
    algorithm.summary = "the messages of the pattern themselves";
    algorithm.citation = pattern.citation;
    algorithm.steps_formula = fmt::format("{}", pattern.turns);
    algorithm.volume_formula = pattern.turns == 1 ? "1 vector" : "1 vector each way";
    algorithm.steps = [turns = pattern.turns](const Topology& topology) {
        return turns * count::one_step(topology);
    };
    algorithm.volume = count::one_vector;
    algorithm.program = pattern.program;
    algorithm.over_transports = true;
    return algorithm;
}

}  // namespace

PatternRegistration::PatternRegistration(const Pattern& pattern) {
    const OperationRegistration operation(operation_of(pattern));
    const AlgorithmRegistration itself(pattern.name, direct(pattern));
    const AlgorithmRegistration library(pattern.name, library_pattern());
}

}  // namespace shardstone::collectives
