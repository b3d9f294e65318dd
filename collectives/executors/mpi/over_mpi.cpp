// SPDX-License-Identifier: BSD-3-Clause
// The plain transport: the messages of a schedule as MPI point-to-point messages, for ranks
// anywhere and vectors in any memory of the host.
#include "collectives/executors/mpi/point_to_point.hpp"
#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

namespace {

Transport over_mpi() {
    Transport transport;
    transport.name = plain_transport;
    transport.summary = "with its messages over MPI";
    transport.carry = [](Communicator& communicator, const Algorithm& algorithm,
                         const CollectiveSpec& spec) {
        return make_point_to_point(communicator, program_for(algorithm, communicator, spec),
                                   *algorithm.operation, spec);
    };
    return transport;
}

const TransportRegistration over_mpi_registration(over_mpi());

}  // namespace

}  // namespace shardstone::collectives
