// SPDX-License-Identifier: BSD-3-Clause
// The MPI library's own all-gather, the rival: MPI_Allgather for equal shares, else MPI_Allgatherv,
// or what begins with MPI_I for a non-blocking start.
//
// Steps and volume: the library's secret.
#include "collectives/executors/mpi/library_call.hpp"

namespace shardstone::collectives {

namespace {

class LibraryAllGather : public LibraryCallOnShares {
  public:
    using LibraryCallOnShares::LibraryCallOnShares;

  protected:
    void call(const void* input, void* output, MPI_Request* request) override {
        const void* const from = input == output ? MPI_IN_PLACE : input;
        if (equal_share() >= 0) {
            either(request, MPI_Allgather, MPI_Iallgather, from, my_count(), datatype(), output,
                   my_count(), datatype(), comm());
        } else {
            either(request, MPI_Allgatherv, MPI_Iallgatherv, from, my_count(), datatype(), output,
                   counts(), begins(), datatype(), comm());
        }
    }
};

const AlgorithmRegistration mpi_registration("all_gather",
                                             library_algorithm<LibraryAllGather>("MPI_Allgather"));

}  // namespace

}  // namespace shardstone::collectives
