// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "collectives/cluster/communicator.hpp"
#include "collectives/operation/spec.hpp"
#include "kernels/base/whereabouts.hpp"

namespace shardstone::collectives {

class Executor;
struct Algorithm;

/// An uninitialised buffer of `size_bytes` in the memory that suits the algorithm best, for callers
/// that can choose; every algorithm accepts any memory. Collective, with equal arguments on every
/// rank.
std::shared_ptr<std::byte> make_buffer(Communicator& communicator, const Algorithm& algorithm,
                                       std::int64_t size_bytes);

/// One prepared, reusable, non-blocking collective on data of fixed length.
///
/// Constructing one is collective: every rank gives the same operation, algorithm and data. Several
/// may be in flight at a time on one communicator; all ranks start them in the same order. A
/// hierarchical one uses the nodes of the communicator's topology(). For the location of the data,
/// in place or not, see Executor. Memory is the caller's, and must remain valid from start() until
/// done.
class Collective {
  public:
    /// Throws Error naming shares that do not fit.
    Collective(Communicator& communicator, const Algorithm& algorithm, const CollectiveSpec& spec);
    /// Names are those listed by operations() and algorithms_for(), e.g. "all_gather", "ring".
    /// Throws Error naming an unknown one and the choices.
    Collective(Communicator& communicator, std::string_view operation, std::string_view algorithm,
               const CollectiveSpec& spec);
    Collective(Collective&&) noexcept;
    Collective& operator=(Collective&&) noexcept;
    ~Collective();

    /// Starts; returns at once.
    void start(const void* input, void* output);
    /// Makes progress without blocking; true once this rank's result is complete.
    bool progress();
    /// Whether the last progress() moved anything along; of an algorithm without a schedule only
    /// its end is seen.
    bool has_moved() const noexcept { return has_moved_; }
    /// Calls progress() until done, yielding the core in between.
    void wait();
    /// start() and wait() in one, for a caller with nothing else to do. For "mpi" this is the
    /// library's own blocking call, which does not yield the core.
    void run(const void* input, void* output);

    /// What it is waiting for, in words, while in progress (Awaited).
    std::string waits_for() const;

    /// Bytes this rank has sent since construction, counted where they are handed to MPI; 0 for an
    /// algorithm without a schedule, whose messages are not visible.
    std::int64_t bytes_sent() const noexcept;

  private:
    std::unique_ptr<Executor> executor_;
    NamedAction action_;
    bool has_moved_ = false;
};

/// An all-reduce in place on `count` elements.
class AllReduce : public Collective {
  public:
    AllReduce(Communicator& communicator, std::string_view algorithm, std::int64_t count,
              ElementType type, Reduction reduction);

    void start(void* buffer) { Collective::start(buffer, buffer); }
    void run(void* buffer) { Collective::run(buffer, buffer); }

    std::int64_t count() const noexcept { return count_; }

  private:
    std::int64_t count_;
};

}  // namespace shardstone::collectives
