// SPDX-License-Identifier: BSD-3-Clause
// The MPI library's own reduce-scatter, the rival: MPI_Reduce_scatter_block for equal shares, else
// MPI_Reduce_scatter, or what begins with MPI_I for a non-blocking start. In place, the library
// would leave the share at the start of the buffer: it gets memory of its own, and the share is
// copied.
//
// Steps and volume: the library's secret.
#include "collectives/executors/mpi/library_call.hpp"

namespace shardstone::collectives {

namespace {

class LibraryReduceScatter : public LibraryCallOnShares {
  public:
    using LibraryCallOnShares::LibraryCallOnShares;

  protected:
    void call(const void* input, void* output, MPI_Request* request) override {
        in_place_at_ = input == output ? at(output, my_begin()) : nullptr;
        void* const to = in_place_at_ != nullptr ? own_memory(my_count()) : output;
        if (equal_share() >= 0) {
            either(request, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, input, to,
                   my_count(), datatype(), op(), comm());
        } else {
            either(request, MPI_Reduce_scatter, MPI_Ireduce_scatter, input, to, counts(),
                   datatype(), op(), comm());
        }
    }

    void finish() override {
        if (in_place_at_ != nullptr) copy(in_place_at_, own_memory(my_count()), my_count());
    }

  private:
    std::byte* in_place_at_ = nullptr;
};

const AlgorithmRegistration mpi_registration(
    "reduce_scatter", library_algorithm<LibraryReduceScatter>("MPI_Reduce_scatter"));

}  // namespace

}  // namespace shardstone::collectives
