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

/// A pure function: the program of `rank` among the ranks of the topology. Every rank's program has
/// the same channels. The root of a rooted operation is rank 0 (rooted_program() moves it).
using Generator = std::function<RankProgram(const Topology&, int rank)>;

/// One algorithm for one operation. It has a schedule (`program`, or the two phases from which
/// `program` is then made), whose messages a transport carries; or it is a direct call without a
/// visible schedule.
struct Algorithm {
    const Operation* operation = nullptr;  ///< set by find_algorithm()
    std::string name;
    std::string summary;  ///< one line for --list

    // The members up to `equal_shares_only` apply only with a schedule.

    std::string citation;  ///< publication
    /// Steps, and the volume in vector lengths, the maximum over ranks (for vectors that divide
    /// evenly into blocks): as a formula for readers, and as a function against which tests check
    /// the schedule.
    std::string steps_formula;
    std::string volume_formula;
    std::function<int(const Topology&)> steps;
    std::function<double(const Topology&)> volume;

    Generator program;

    /// The two phases of an all-reduce that has them, with the same number of steps each. Between
    /// them, rank r holds the reduced block r (ranks beyond the last block hold none).
    Generator reduce_scatter;
    Generator all_gather;

    /// Size in bytes of the segments into which the vector is cut so that they overlap in time; 0:
    /// no segments.
    std::int64_t segment_bytes = 0;
    /// Whether it cannot handle shares of different lengths.
    bool equal_shares_only = false;

    /// Whether "all" also includes this algorithm over every other transport; for a family, its
    /// first member.
    bool over_transports = false;

    /// Carrier of the schedule's messages: MPI, or the transport named to find_algorithm(). None
    /// for a direct call.
    const Transport* transport = nullptr;

    ExecutorMaker direct;  ///< creates the executor of a direct call
    /// Whether a direct call reaches only the ranks of one node.
    bool one_node_only = false;

    VectorMemory memory;  ///< a direct call's own, or the transport's
    Obstacle obstacle;    ///< likewise

    /// Whether start() enqueues all of it in its communicator's stream on a GPU, where nothing else
    /// need drive it, and StreamOrder orders it.
    bool in_stream = false;

    bool has_schedule() const noexcept { return static_cast<bool>(program); }
    /// Whether it has messages and sends them over the plain transport.
    bool has_plain_messages() const;
    /// Whether it has messages, and those inside a node cost differently from MPI's.
    bool goes_through_shared_memory() const {
        return transport != nullptr && transport->through_shared_memory;
    }
};

/// Algorithms that take others as parameters: "hierarchical:INNER/OUTER".
struct AlgorithmFamily {
    std::string name;                  ///< the part before the colon
    std::string grammar;               ///< the whole name, for messages and --list
    std::vector<std::string> members;  ///< the arguments of the members included in "all"
    std::function<Algorithm(std::string_view arguments)> make;
    bool anywhere = true;          ///< whether no member knows an obstacle
    bool over_transports = false;  ///< Algorithm::over_transports of the first
};

/// A namespace-scope `const AlgorithmRegistration` in a file of its own is all that a new algorithm
/// needs: transports, proofs, tests, sweep, simulation, drawings and --list find it in the
/// registry.
class AlgorithmRegistration {
  public:
    AlgorithmRegistration(std::string_view operation, Algorithm algorithm);
    AlgorithmRegistration(std::string_view operation, AlgorithmFamily family);
    /// For every operation.
    explicit AlgorithmRegistration(Algorithm algorithm);
};

/// Sorted names of all algorithms for an operation that need no special hardware; for families, of
/// their members.
std::vector<std::string> algorithms_for(std::string_view operation);

/// The same for algorithms on GPUs, which may meet an obstacle (Algorithm::obstacle). For a sweep,
/// "all" is one list or the other.
std::vector<std::string> conditional_algorithms_for(std::string_view operation);

/// The algorithm of this name, over the transport in the name. Throws Error naming an unknown one
/// and the choices.
Algorithm find_algorithm(const Operation& operation, std::string_view name);
Algorithm find_algorithm(std::string_view operation, std::string_view name);

/// Executor of an algorithm, for algorithms built from others; all other code uses a Collective,
/// which checks the data first. Collective.
std::unique_ptr<Executor> make_executor(Communicator& communicator, const Algorithm& algorithm,
                                        const CollectiveSpec& spec);

/// Number of segments into which a vector is cut.
int segments_for(const Algorithm& algorithm, std::int64_t size_bytes);

/// The program of `rank` in this number of segments, with the given root.
RankProgram rooted_program(const Algorithm& algorithm, const Topology& topology, int rank,
                           int root = 0, int segments = 1);

/// The same for a rank of a communicator and given data.
RankProgram program_for(const Algorithm& algorithm, const Communicator& communicator,
                        const CollectiveSpec& spec);

/// Bytes that `rank` sends in one run of the schedule; 0 for an algorithm without one.
std::int64_t scheduled_bytes(const Algorithm& algorithm, const Topology& topology, int rank,
                             const CollectiveSpec& spec);

/// The programs of all ranks, for code that examines the whole job.
Schedule make_schedule(const Algorithm& algorithm, const Topology& topology, int segments = 1,
                       int root = 0);

}  // namespace shardstone::collectives
