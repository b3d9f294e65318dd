// SPDX-License-Identifier: BSD-3-Clause
// The MPI library's own reduction, the rival: MPI_Reduce, or MPI_Ireduce for a non-blocking start.
//
// Steps and volume: the library's secret.
#include "collectives/executors/mpi/library_call.hpp"

namespace shardstone::collectives {

namespace {

class LibraryReduce : public LibraryCall {
  public:
    LibraryReduce(Communicator& communicator, const CollectiveSpec& spec)
        : LibraryCall(communicator, spec, Sharing::whole) {}

  protected:
    void call(const void* input, void* output, MPI_Request* request) override {
        const bool in_place = is_root() && input == output;
        either(request, MPI_Reduce, MPI_Ireduce, in_place ? MPI_IN_PLACE : input, output, count(),
               datatype(), op(), root(), comm());
    }
};

const AlgorithmRegistration mpi_registration("reduce",
                                             library_algorithm<LibraryReduce>("MPI_Reduce"));

}  // namespace

}  // namespace shardstone::collectives
