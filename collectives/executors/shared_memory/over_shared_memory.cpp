// SPDX-License-Identifier: BSD-3-Clause
// "over_shared_memory:ALGORITHM": the messages of a schedule inside a node are passed through
// shared memory in place of MPI, which those between nodes go over.
#include "collectives/executors/shared_memory/shared_memory.hpp"
#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

namespace {

Transport over_shared_memory() {
    Transport transport;
    transport.name = "shared_memory";
    transport.summary = "with its messages inside a node through shared memory";
    transport.carry = [](Communicator& communicator, const Algorithm& algorithm,
                         const CollectiveSpec& spec) {
        return make_shared_memory_messages(communicator, program_for(algorithm, communicator, spec),
                                           *algorithm.operation, spec);
    };
    transport.through_shared_memory = true;
    return transport;
}

const TransportRegistration over_shared_memory_registration(over_shared_memory());

}  // namespace

}  // namespace shardstone::collectives
