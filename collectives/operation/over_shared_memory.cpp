// SPDX-License-Identifier: BSD-3-Clause
// "over_shared_memory:ALGORITHM", for every operation: the schedule of any other algorithm, with
// its messages inside a node passed through shared memory in place of MPI, which those between
// nodes go over.
//
// Steps and volume: those of ALGORITHM.
#include <fmt/format.h>

#include <array>

#include "collectives/executors/shared_memory.hpp"
#include "collectives/operation/algorithm.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

std::unique_ptr<Executor> run_over_shared_memory(const Algorithm& plain, Communicator& communicator,
                                                 const CollectiveSpec& spec) {
    const RankProgram program =
        rooted_program(plain, communicator.topology(), communicator.rank(), spec.root,
                       segments_for(plain, spec.vector.size_bytes()));
    return make_shared_memory_messages(communicator, program, find_operation(plain.operation),
                                       spec);
}

Algorithm over_shared_memory(std::string_view operation, std::string_view name) {
    Algorithm algorithm = find_algorithm(operation, name);
    require(algorithm.has_schedule() && !algorithm.direct, [&] {
        return fmt::format(
            "'{}' has no messages to pass through shared memory: name an algorithm "
            "with a schedule, such as over_shared_memory:ring",
            name);
    });
    algorithm.direct = [plain = algorithm](Communicator& communicator, const CollectiveSpec& spec) {
        return run_over_shared_memory(plain, communicator, spec);
    };
    algorithm.name = fmt::format("over_shared_memory:{}", name);
    algorithm.shared_memory_messages = true;
    algorithm.summary =
        fmt::format("{} with its messages inside a node through shared memory", name);
    return algorithm;
}

AlgorithmFamily over_shared_memory_family(const std::string& operation,
                                          std::vector<std::string> members) {
    return {operation, "over_shared_memory", "over_shared_memory:ALGORITHM", std::move(members),
            [operation](std::string_view name) { return over_shared_memory(operation, name); }};
}

const std::array<AlgorithmRegistration, 12> over_shared_memory_registrations{
    AlgorithmRegistration(over_shared_memory_family(
        "all_reduce",
        {"ring", "recursive_doubling", "double_binary_tree", "hierarchical:ring/rabenseifner"})),
    AlgorithmRegistration(over_shared_memory_family(
        "reduce_scatter", {"ring", "circulant", "hierarchical:ring/ring"})),
    AlgorithmRegistration(
        over_shared_memory_family("all_gather", {"ring", "bruck", "hierarchical:ring/ring"})),
    AlgorithmRegistration(over_shared_memory_family(
        "broadcast", {"binomial_tree", "chain", "hierarchical:binomial_tree/binomial_tree"})),
    AlgorithmRegistration(over_shared_memory_family(
        "reduce", {"binomial_tree", "chain", "hierarchical:binomial_tree/binomial_tree"})),
    AlgorithmRegistration(over_shared_memory_family("scatter", {"binomial_tree"})),
    AlgorithmRegistration(over_shared_memory_family("gather", {"binomial_tree"})),
    AlgorithmRegistration(
        over_shared_memory_family("all_to_all", {"pairwise", "bruck", "hierarchical"})),
    AlgorithmRegistration(over_shared_memory_family("ping_pong", {"direct"})),
    AlgorithmRegistration(over_shared_memory_family("bidirectional", {"direct"})),
    AlgorithmRegistration(over_shared_memory_family("ring_shift", {"direct"})),
    AlgorithmRegistration(over_shared_memory_family("multi_pair", {"direct"})),
};

}  // namespace

}  // namespace shardstone::collectives
