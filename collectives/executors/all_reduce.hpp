// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "collectives/cluster/communicator.hpp"
#include "collectives/executors/reduction.hpp"
#include "kernels/base/element_type.hpp"

namespace shardstone::collectives {

class Executor;

/// One prepared, reusable, in-place, non-blocking all-reduce on a buffer of fixed length.
///
/// Constructing one is collective: every rank gives the same algorithm, count, type and reduction.
/// Several may be in flight at a time on one communicator; all ranks start them in the same order.
/// The nodes of the communicator's topology() are what a hierarchical one goes by.
/// The buffer is the caller's, must hold `count` elements and stay put from start() until done.
class AllReduce {
  public:
    /// `algorithm` is a name that all_reduce_algorithms() lists, e.g. "ring". Throws Error naming
    /// an unknown one and the choices.
    AllReduce(Communicator& communicator, std::string_view algorithm, std::int64_t count,
              ElementType type, Reduction reduction);
    AllReduce(AllReduce&&) noexcept;
    AllReduce& operator=(AllReduce&&) noexcept;
    ~AllReduce();

    /// Begins; returns at once. `buffer` has count() elements of the type.
    void start(void* buffer);
    /// Moves things on without waiting; true once this rank's result is complete.
    bool progress();
    /// progress() until done, giving the core away in between.
    void wait();
    /// start() and wait() in one, as a caller with nothing else to do would have it. For "mpi" this
    /// is the library's own blocking call, which does not give the core away.
    void run(void* buffer);

    std::int64_t count() const noexcept;
    /// Bytes this rank has sent since construction, counted where they are handed to MPI; 0 for an
    /// algorithm without a schedule, whose messages cannot be seen.
    std::int64_t bytes_sent() const noexcept;

  private:
    std::unique_ptr<Executor> executor_;
    std::int64_t count_ = 0;
};

}  // namespace shardstone::collectives
