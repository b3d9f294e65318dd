// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/operation/operation.hpp"
#include "collectives/operation/spec.hpp"
#include "collectives/operation/transport.hpp"
#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

/// A pure function: what `rank` does among the ranks of the topology. Every rank's program has the
/// same channels. The root of an operation that has one is rank 0 (rooted_program() moves it).
using Generator = std::function<RankProgram(const Topology&, int rank)>;

/// One algorithm for one operation. It has a schedule (`program`, or the two phases, from which
/// `program` is then made), whose messages a transport carries; or it is a direct call that shows
/// none.
struct Algorithm {
    const Operation* operation = nullptr;  ///< set by find_algorithm()
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

    /// Whether "all" stands for this one over every other transport, too; of a family, for its
    /// first member.
    bool over_transports = false;

    /// What carries the messages of the schedule: MPI, or what find_algorithm() was told. None for
    /// a direct call.
    const Transport* transport = nullptr;

    ExecutorMaker direct;  ///< makes the direct call's executor
    /// Whether a direct call reaches only the ranks of one node.
    bool one_node_only = false;

    VectorMemory memory;  ///< a direct call's own, or the transport's
    Obstacle obstacle;    ///< likewise

    bool has_schedule() const noexcept { return static_cast<bool>(program); }
    /// Whether it has messages, and they go over the plain transport.
    bool has_plain_messages() const;
    /// Whether it has messages, and those inside a node have another price than MPI's.
    bool goes_through_shared_memory() const {
        return transport != nullptr && transport->through_shared_memory;
    }
};

/// Algorithms that take others as parameters: "hierarchical:INNER/OUTER".
struct AlgorithmFamily {
    std::string name;                  ///< what stands before the colon
    std::string grammar;               ///< the whole name, for messages and --list
    std::vector<std::string> members;  ///< the arguments of those that stand for it in "all"
    std::function<Algorithm(std::string_view arguments)> make;
    bool anywhere = true;          ///< whether no member knows an obstacle
    bool over_transports = false;  ///< Algorithm::over_transports of the first
};

/// A namespace-scope `const AlgorithmRegistration` in a file of its own is all that a new algorithm
/// needs: the transports, the proofs, the tests, the sweep, the simulation, the drawings and --list
/// take it from the registry.
class AlgorithmRegistration {
  public:
    AlgorithmRegistration(std::string_view operation, Algorithm algorithm);
    AlgorithmRegistration(std::string_view operation, AlgorithmFamily family);
    /// For every operation.
    explicit AlgorithmRegistration(Algorithm algorithm);
};

/// Names of all algorithms for an operation that need no special hardware, of families their
/// members, sorted.
std::vector<std::string> algorithms_for(std::string_view operation);

/// Names of those that need a GPU to each rank and so may find an obstacle (Algorithm::obstacle),
/// likewise. "all" never stands for them.
std::vector<std::string> conditional_algorithms_for(std::string_view operation);

/// The algorithm of that name, over the transport that the name says. Throws Error naming an
/// unknown one and the choices.
Algorithm find_algorithm(const Operation& operation, std::string_view name);
Algorithm find_algorithm(std::string_view operation, std::string_view name);

/// What runs an algorithm, for those that are made from others; everyone else takes a Collective,
/// which looks at the data first. Collective.
std::unique_ptr<Executor> make_executor(Communicator& communicator, const Algorithm& algorithm,
                                        const CollectiveSpec& spec);

/// How many segments a vector is cut into.
int segments_for(const Algorithm& algorithm, std::int64_t size_bytes);

/// What `rank` does, in so many segments, with the root where it is to be.
RankProgram rooted_program(const Algorithm& algorithm, const Topology& topology, int rank,
                           int root = 0, int segments = 1);

/// The same for a rank of a communicator and given data.
RankProgram program_for(const Algorithm& algorithm, const Communicator& communicator,
                        const CollectiveSpec& spec);

/// Bytes that `rank` sends by the schedule in one run; 0 for an algorithm without one.
std::int64_t scheduled_bytes(const Algorithm& algorithm, const Topology& topology, int rank,
                             const CollectiveSpec& spec);

/// The programs of all ranks, for the readers that see the whole job.
Schedule make_schedule(const Algorithm& algorithm, const Topology& topology, int segments = 1,
                       int root = 0);

}  // namespace shardstone::collectives
