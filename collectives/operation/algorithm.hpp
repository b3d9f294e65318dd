// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/executors/executor.hpp"
#include "collectives/operation/operation.hpp"
#include "collectives/operation/spec.hpp"
#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

/// A pure function: what `rank` does among the ranks of the topology. Every rank's program has the
/// same channels. The root of an operation that has one is rank 0 (rooted_program() moves it).
using Generator = std::function<RankProgram(const Topology&, int rank)>;

/// One algorithm for one operation. It has a schedule (`program`, or the two phases, from which
/// `program` is then made), or it is a direct call that shows none, or a schedule with an executor
/// of its own.
struct Algorithm {
    std::string operation;  ///< "all_reduce"
    std::string name;
    std::string summary;  ///< one line for --list

    // The rest up to `equal_shares_only` only with a schedule.

    std::string citation;  ///< where it was published
    /// Steps, and the most that any rank sends in vector lengths (for vectors that divide evenly
    /// into blocks): as a formula to read, and as a function that the tests hold the schedule to.
    std::string steps_formula;
    std::string volume_formula;
    std::function<int(const Topology&)> steps;
    std::function<double(const Topology&)> volume;

    Generator program;

    /// The two phases of an all-reduce that has them; equally many steps each. In between, rank r
    /// holds the finished block r (ranks beyond the last block hold none).
    Generator reduce_scatter;
    Generator all_gather;

    /// Cut the vector into segments of about so many bytes that overlap in time; 0: do not.
    std::int64_t segment_bytes = 0;
    /// Whether shares of different lengths are beyond it.
    bool equal_shares_only = false;

    /// Makes the direct call's executor, or the one that runs the schedule in place of messages
    /// over MPI. Collective.
    std::function<std::unique_ptr<Executor>(Communicator&, const CollectiveSpec&)> direct;

    /// Makes a buffer of so many bytes in the memory that the algorithm needs to show what it can;
    /// empty: any memory will do. Collective.
    std::function<std::shared_ptr<std::byte>(Communicator&, std::int64_t size_bytes)> allocate;

    /// Copies so many bytes to or from such a buffer, or within it, and waits for that; empty: the
    /// host reads and writes it like any other memory.
    std::function<void(void* to, const void* from, std::int64_t size_bytes)> copy;

    /// Why it cannot run on these ranks, in one line; empty text: it can. Equal on all ranks.
    /// Collective. No function: it runs anywhere.
    std::function<std::string(Communicator&)> obstacle;

    /// Whether it reaches only the ranks of one node.
    bool one_node_only = false;
    /// Whether its messages inside a node pass through shared memory, at another price than MPI's.
    bool shared_memory_messages = false;

    bool has_schedule() const noexcept { return static_cast<bool>(program); }
};

/// Algorithms that take others as parameters: "hierarchical:INNER/OUTER".
struct AlgorithmFamily {
    std::string operation;
    std::string name;                  ///< what stands before the colon
    std::string grammar;               ///< the whole name, for messages and --list
    std::vector<std::string> members;  ///< the arguments of those that stand for it in "all"
    std::function<Algorithm(std::string_view arguments)> make;
    bool anywhere = true;  ///< whether no member knows an obstacle
};

/// A namespace-scope `const AlgorithmRegistration` in a file of its own is all that a new algorithm
/// needs: the executors, the proofs, the tests, the sweep, the simulation, the drawings and --list
/// take it from the registry.
class AlgorithmRegistration {
  public:
    explicit AlgorithmRegistration(Algorithm algorithm);
    explicit AlgorithmRegistration(AlgorithmFamily family);
};

/// Names of all algorithms for an operation that need no special hardware, of families their
/// members, sorted.
std::vector<std::string> algorithms_for(std::string_view operation);

/// Names of those that need a GPU to each rank and so may find an obstacle (Algorithm::obstacle),
/// likewise. "all" never stands for them.
std::vector<std::string> conditional_algorithms_for(std::string_view operation);

/// The algorithm of that name. Throws Error naming an unknown one and the choices.
Algorithm find_algorithm(std::string_view operation, std::string_view name);

/// How many segments a vector is cut into.
int segments_for(const Algorithm& algorithm, std::int64_t size_bytes);

/// What `rank` does, in so many segments, with the root where it is to be.
RankProgram rooted_program(const Algorithm& algorithm, const Topology& topology, int rank,
                           int root = 0, int segments = 1);

/// Bytes that `rank` sends by the schedule in one run; 0 for an algorithm without one.
std::int64_t scheduled_bytes(const Algorithm& algorithm, const Topology& topology, int rank,
                             const CollectiveSpec& spec);

/// The programs of all ranks, for the readers that see the whole job.
Schedule make_schedule(const Algorithm& algorithm, const Topology& topology, int segments = 1,
                       int root = 0);

}  // namespace shardstone::collectives
