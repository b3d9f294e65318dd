// SPDX-License-Identifier: BSD-3-Clause
// The MPI library's own all-reduce, the rival: a direct call that shows no schedule. A user of the
// blocking call gets MPI_Allreduce, a non-blocking start MPI_Iallreduce.
//
// Steps and volume: the library's secret.
#include "collectives/executors/mpi/library_call.hpp"

namespace shardstone::collectives {

namespace {

class LibraryAllReduce : public LibraryCall {
  public:
    LibraryAllReduce(Communicator& communicator, const CollectiveSpec& spec)
        : LibraryCall(communicator, spec, Sharing::whole) {}

  protected:
    void call(const void* input, void* output, MPI_Request* request) override {
        either(request, MPI_Allreduce, MPI_Iallreduce, input == output ? MPI_IN_PLACE : input,
               output, count(), datatype(), op(), comm());
    }
};

const AlgorithmRegistration mpi_registration("all_reduce",
                                             library_algorithm<LibraryAllReduce>("MPI_Allreduce"));

}  // namespace

}  // namespace shardstone::collectives
