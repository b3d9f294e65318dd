// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "collectives/operation/executor.hpp"
#include "collectives/operation/operation.hpp"
#include "collectives/operation/spec.hpp"
#include "collectives/schedule/schedule.hpp"

namespace shardstone::collectives {

// Executors for ranks that share nodes: data within a node pass through a SharedWindow that each
// executor creates for itself, and an idle rank sleeps until another wakes it, so that many ranks
// on few cores do not take time from one another. The communicator must outlive the executor.

/// Thresholds between methods: as measured by tried_tuning(), starting from for_ranks(). Tests
/// choose small values to reach every method with few elements. Equal on all ranks.
struct SharedMemoryTuning {
    /// Up to this many bytes, every rank reads all vectors itself: one synchronisation, no more.
    std::int64_t one_shot_bytes = 0;
    /// The same for vectors in a window, which have no copies to save; not larger.
    std::int64_t one_shot_in_window_bytes = 0;
    /// Segments of staged vectors, per rank.
    std::int64_t segment_bytes = 0;
    /// Number of segments that a rank may be ahead of the slowest one; 1 to SharedRounds::most_lag.
    std::int64_t lag = 1;
    /// From this many bytes on, where peer memory is reachable, ordinary vectors are not staged but
    /// copied once; never when 0.
    std::int64_t single_copy_bytes = 0;
    /// Bytes of its block that a rank then copies from each of the others at a time.
    std::int64_t chunk_bytes = 64 << 10;

    /// Values before any trial; single copies from the smallest size at which they can pay off.
    static SharedMemoryTuning for_ranks(int ranks);
};

/// All-reduce without a schedule. Collective. Throws Error when the ranks are on several nodes.
///
/// Small vectors: each rank copies its own into the window, and reduces all of them into its own.
/// Larger ones that lie in a SharedWindow (make_shared_buffer), at any offset, are reduced there
/// (*direct*): each rank reduces its block of all vectors and writes it to all. Other vectors are
/// reduced in the same way by *single copies* where the kernel lets ranks reach each other's memory
/// (PeerMemory): chunk by chunk, copied here and the result copied back. Otherwise they go through
/// the window in segments (*staged*): copy in, reduce one block, copy out, with several segments in
/// flight. All ranks pass vectors of the same kind, in the same window.
///
/// Sums are taken in rank order on all ranks and at any length, hence equal bits in every run.
std::unique_ptr<Executor> make_shared_memory_all_reduce(const Communicator& communicator,
                                                        const VectorSpec& vector,
                                                        const SharedMemoryTuning& tuning);

/// Runs a rank's program, with messages inside a node through the window and those between nodes
/// over MPI as in make_point_to_point(). Collective. Bytes are counted as over MPI, and results are
/// the same bits.
///
/// Every pair of ranks of a node has a mailbox per channel, with room for a few pieces of a
/// message; the receiver reduces straight from it. While a rank waits only for mailboxes it sleeps;
/// with MPI messages pending it polls both.
std::unique_ptr<Executor> make_shared_memory_messages(const Communicator& communicator,
                                                      const RankProgram& program,
                                                      const Operation& operation,
                                                      const CollectiveSpec& spec,
                                                      std::int64_t largest_message_bytes = 1 << 30);

/// Throws Error naming the ranks of each node, and an alternative, unless all ranks are on one
/// node. Local.
void require_one_node(const Topology& topology);

}  // namespace shardstone::collectives
