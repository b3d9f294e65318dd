// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "collectives/cluster/native.hpp"
#include "collectives/operation/algorithm.hpp"
#include "collectives/operation/layout.hpp"

namespace shardstone::collectives {

/// Description of a vector for the MPI library: its datatype, and the reduction operation. MPI does
/// not know the narrow floats: they are passed as words of their size, reduced by our own
/// functions.
class LibraryType {
  public:
    explicit LibraryType(const VectorSpec& vector);
    ~LibraryType();
    LibraryType(const LibraryType&) = delete;
    LibraryType& operator=(const LibraryType&) = delete;

    MPI_Datatype datatype = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_OP_NULL;

  private:
    bool owns_op_ = false;
};

/// A direct call of the MPI library's own collective, the reference for the schedules, whose own
/// schedule is not visible: the blocking function for run(), the MPI_I variant for start(). Data
/// that its functions do not accept in the layout of Executor (results at the start of the buffer,
/// for instance) are copied.
class LibraryCall : public Executor {
  public:
    /// Throws Error when the vector has more elements than an int counts.
    LibraryCall(Communicator& communicator, const CollectiveSpec& spec, Sharing sharing);

    void start(const void* input, void* output) override;
    Progress progress() override;
    void run(const void* input, void* output) override;
    /// Not visible from outside the library.
    std::int64_t bytes_sent() const noexcept override { return 0; }

  protected:
    /// Calls the blocking function if `request` is null, otherwise the other.
    virtual void call(const void* input, void* output, MPI_Request* request) = 0;
    /// Called after the call has completed.
    virtual void finish() {}

    template <class Blocking, class Starting, class... Arguments>
    static void either(MPI_Request* request, Blocking blocking, Starting starting,
                       Arguments... arguments) {
        check_mpi(request == nullptr ? blocking(arguments...) : starting(arguments..., request),
                  "a collective of the MPI library");
    }

    MPI_Comm comm() const { return comm_; }
    MPI_Datatype datatype() const { return type_.datatype; }
    MPI_Op op() const { return type_.op; }
    int rank() const { return rank_; }
    int size() const { return size_; }
    int root() const { return spec_.root; }
    bool is_root() const { return rank_ == spec_.root; }
    int count() const { return static_cast<int>(spec_.vector.count); }
    /// Length of all shares; -1 if they differ.
    int equal_share() const { return equal_share_; }
    const BlockLayout& layout() const { return layout_; }

    /// The address this many elements further.
    const std::byte* at(const void* buffer, std::int64_t elements) const;
    std::byte* at(void* buffer, std::int64_t elements) const;
    void copy(void* to, const void* from, std::int64_t elements) const;
    /// Internal memory for this many elements, the same on every call.
    std::byte* own_memory(std::int64_t elements);

  private:
    CollectiveSpec spec_;
    LibraryType type_;
    BlockLayout layout_;
    MPI_Comm comm_;
    int rank_;
    int size_;
    int equal_share_;
    std::vector<std::byte> own_memory_;
    MPI_Request request_ = MPI_REQUEST_NULL;
    bool running_ = false;
};

/// The same for an operation on shares of the vector by rank.
class LibraryCallOnShares : public LibraryCall {
  public:
    LibraryCallOnShares(Communicator& communicator, const CollectiveSpec& spec);

  protected:
    /// For each rank, in elements.
    const int* counts() const { return counts_.data(); }
    const int* begins() const { return begins_.data(); }
    int my_count() const { return counts_[static_cast<std::size_t>(rank())]; }
    int my_begin() const { return begins_[static_cast<std::size_t>(rank())]; }

  private:
    std::vector<int> counts_, begins_;
};

/// Throws Error if the MPI library cannot count the elements.
void require_countable(const CollectiveSpec& spec);

/// "mpi" for an operation, by a LibraryCall.
template <class Call>
Algorithm library_algorithm(const std::string& function) {
    Algorithm algorithm;
    algorithm.name = "mpi";
    algorithm.summary = "the MPI library's own " + function + ", the rival";
    algorithm.direct = [](Communicator& communicator, const Algorithm&,
                          const CollectiveSpec& spec) {
        return std::make_unique<Call>(communicator, spec);
    };
    return algorithm;
}

}  // namespace shardstone::collectives
