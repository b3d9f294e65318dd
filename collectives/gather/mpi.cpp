// SPDX-License-Identifier: BSD-3-Clause
// The MPI library's own gather, the rival: MPI_Gather for equal shares, else MPI_Gatherv, or what
// begins with MPI_I for a non-blocking start.
//
// Steps and volume: the library's secret.
#include "collectives/executors/mpi/library_call.hpp"

namespace shardstone::collectives {

namespace {

class LibraryGather : public LibraryCallOnShares {
  public:
    using LibraryCallOnShares::LibraryCallOnShares;

  protected:
    void call(const void* input, void* output, MPI_Request* request) override {
        const void* from = input;
        if (input == output) from = is_root() ? MPI_IN_PLACE : at(input, my_begin());
        if (equal_share() >= 0) {
            either(request, MPI_Gather, MPI_Igather, from, my_count(), datatype(), output,
                   my_count(), datatype(), root(), comm());
        } else {
            either(request, MPI_Gatherv, MPI_Igatherv, from, my_count(), datatype(), output,
                   counts(), begins(), datatype(), root(), comm());
        }
    }
};

const AlgorithmRegistration mpi_registration("gather",
                                             library_algorithm<LibraryGather>("MPI_Gather"));

}  // namespace

}  // namespace shardstone::collectives
