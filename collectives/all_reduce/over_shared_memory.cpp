// SPDX-License-Identifier: BSD-3-Clause
// "over_shared_memory:ALGORITHM": the schedule of any other algorithm, with its messages passed
// through shared memory in place of MPI; for the ranks of one node.
//
// Steps and volume: those of ALGORITHM.
#include <fmt/format.h>

#include "collectives/all_reduce/registry.hpp"
#include "collectives/executors/shared_memory.hpp"
#include "collectives/schedule/compose.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

AllReduceAlgorithm over_shared_memory(std::string_view name) {
    AllReduceAlgorithm algorithm = find_all_reduce(name);
    require(algorithm.has_schedule() && !algorithm.direct, [&] {
        return fmt::format(
            "'{}' has no messages to pass through shared memory: name an algorithm "
            "with a schedule, such as over_shared_memory:ring",
            name);
    });
    algorithm.direct = [plain = algorithm](Communicator& communicator, const VectorSpec& vector) {
        const RankProgram program = plain.program(communicator.topology(), communicator.rank());
        const int segments = segments_for(plain, vector.size_bytes());
        return make_shared_memory_messages(
            communicator, segments > 1 ? segmented(program, segments) : program, vector);
    };
    algorithm.name = fmt::format("over_shared_memory:{}", name);
    algorithm.one_node_only = true;
    algorithm.summary =
        fmt::format("{} with its messages through shared memory; one node only", name);
    return algorithm;
}

const AllReduceRegistration registration(AllReduceFamily{
    "over_shared_memory",
    "over_shared_memory:ALGORITHM",
    {"ring", "recursive_doubling", "double_binary_tree"},
    over_shared_memory,
});

}  // namespace

}  // namespace shardstone::collectives
