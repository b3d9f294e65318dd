// SPDX-License-Identifier: BSD-3-Clause
// The MPI library's own scatter, the rival: MPI_Scatter for equal shares, else MPI_Scatterv, or
// what begins with MPI_I for a non-blocking start.
//
// Steps and volume: the library's secret.
#include "collectives/executors/mpi/library_call.hpp"

namespace shardstone::collectives {

namespace {

class LibraryScatter : public LibraryCallOnShares {
  public:
    using LibraryCallOnShares::LibraryCallOnShares;

  protected:
    void call(const void* input, void* output, MPI_Request* request) override {
        void* to = output;
        if (input == output) to = is_root() ? MPI_IN_PLACE : at(output, my_begin());
        if (equal_share() >= 0) {
            either(request, MPI_Scatter, MPI_Iscatter, input, my_count(), datatype(), to,
                   my_count(), datatype(), root(), comm());
        } else {
            either(request, MPI_Scatterv, MPI_Iscatterv, input, counts(), begins(), datatype(), to,
                   my_count(), datatype(), root(), comm());
        }
    }
};

const AlgorithmRegistration mpi_registration("scatter",
                                             library_algorithm<LibraryScatter>("MPI_Scatter"));

}  // namespace

}  // namespace shardstone::collectives
