// SPDX-License-Identifier: BSD-3-Clause
// The MPI library's own broadcast, the rival: MPI_Bcast, or MPI_Ibcast for a non-blocking start. It
// knows one buffer only: out of place, the root copies its vector to the output first.
//
// Steps and volume: the library's secret.
#include "collectives/executors/mpi/library_call.hpp"

namespace shardstone::collectives {

namespace {

class LibraryBroadcast : public LibraryCall {
  public:
    LibraryBroadcast(Communicator& communicator, const CollectiveSpec& spec)
        : LibraryCall(communicator, spec, Sharing::whole) {}

  protected:
    void call(const void* input, void* output, MPI_Request* request) override {
        if (is_root() && input != output) copy(output, input, count());
        either(request, MPI_Bcast, MPI_Ibcast, output, count(), datatype(), root(), comm());
    }
};

const AlgorithmRegistration mpi_registration("broadcast",
                                             library_algorithm<LibraryBroadcast>("MPI_Bcast"));

}  // namespace

}  // namespace shardstone::collectives
