// SPDX-License-Identifier: BSD-3-Clause
// The MPI library's own all-to-all, the rival: MPI_Alltoall for equal shares, else MPI_Alltoallv,
// or what begins with MPI_I for a non-blocking start. In place MPI_Alltoallv wants as much from
// each rank as goes to it: for any shares, what is sent is copied first.
//
// Steps and volume: the library's secret.
#include "collectives/executors/mpi/library_call.hpp"

namespace shardstone::collectives {

namespace {

/// Where what goes to, or comes from, each rank is, in elements.
struct Shares {
    std::vector<int> counts, begins;
    int end = 0;

    void add(std::int64_t count) {
        counts.push_back(static_cast<int>(count));
        begins.push_back(end);
        end += counts.back();
    }
};

class LibraryAllToAll : public LibraryCall {
  public:
    LibraryAllToAll(Communicator& communicator, const CollectiveSpec& spec)
        : LibraryCall(communicator, spec, Sharing::by_pair) {
        for (int other = 0; other < size(); ++other) {
            sent_.add(layout().share(rank(), other));
            received_.add(layout().share(other, rank()));
        }
    }

  protected:
    void call(const void* input, void* output, MPI_Request* request) override {
        if (equal_share() >= 0) {
            either(request, MPI_Alltoall, MPI_Ialltoall, input == output ? MPI_IN_PLACE : input,
                   equal_share(), datatype(), output, equal_share(), datatype(), comm());
            return;
        }
        if (input == output) {
            std::byte* const own = own_memory(sent_.end);
            copy(own, input, sent_.end);
            input = own;
        }
        either(request, MPI_Alltoallv, MPI_Ialltoallv, input, sent_.counts.data(),
               sent_.begins.data(), datatype(), output, received_.counts.data(),
               received_.begins.data(), datatype(), comm());
    }

  private:
    Shares sent_, received_;
};

const AlgorithmRegistration mpi_registration("all_to_all",
                                             library_algorithm<LibraryAllToAll>("MPI_Alltoall"));

}  // namespace

}  // namespace shardstone::collectives
