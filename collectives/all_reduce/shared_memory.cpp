// SPDX-License-Identifier: BSD-3-Clause
// All-reduce through shared memory, for the ranks of one node. Not made of messages: every rank
// reduces its block of all ranks' vectors, and all copy or find the results in place. Small vectors
// are reduced by every rank in whole. For the staged form see R. Graham and G. Shipman, "MPI
// support for multi-core architectures: optimized shared memory collectives", EuroPVM/MPI 2008.
//
// "shared_memory" takes the vectors as they are; "shared_memory_direct" is the same on vectors that
// the caller has in shared memory (make_buffer), which saves both copies.
//
// Steps and volume: there are no messages. Memory traffic per rank, in vectors of n bytes: direct
// reads 1 and writes 1; staged adds two copies, which stay in the cache but for the vector itself.
#include "collectives/cluster/shared_window.hpp"
#include "collectives/executors/shared_memory/trial.hpp"
#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

namespace {

std::unique_ptr<Executor> make_shared_memory(Communicator& communicator, const Algorithm&,
                                             const CollectiveSpec& spec) {
    require_one_node(communicator.topology());
    return make_shared_memory_all_reduce(communicator, spec.vector, tried_tuning(communicator));
}

Algorithm shared_memory() {
    Algorithm algorithm;
    algorithm.name = "shared_memory";
    algorithm.summary = "each rank reduces a block of all vectors in shared memory; one node only";
    algorithm.citation = "Graham and Shipman 2008";
    algorithm.steps_formula = "no messages";
    algorithm.volume_formula = "no";
    algorithm.direct = make_shared_memory;
    algorithm.one_node_only = true;
    return algorithm;
}

Algorithm shared_memory_direct() {
    Algorithm algorithm = shared_memory();
    algorithm.name = "shared_memory_direct";
    algorithm.summary = "the same on vectors in shared memory, which saves the copies";
    algorithm.memory.allocate = [](Communicator& communicator, std::int64_t size_bytes) {
        require_one_node(communicator.topology());
        return make_shared_buffer(communicator, size_bytes);
    };
    return algorithm;
}

const AlgorithmRegistration ordinary_vectors("all_reduce", shared_memory());
const AlgorithmRegistration shared_vectors("all_reduce", shared_memory_direct());

}  // namespace

}  // namespace shardstone::collectives
