// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "collectives/cluster/shared_window.hpp"
#include "collectives/watchdog/board_entry.hpp"
#include "collectives/watchdog/judge.hpp"
#include "collectives/watchdog/stall_report.hpp"

namespace shardstone::collectives {

/// The entries of the ranks of this node, and the node of each rank. During its lifetime this
/// process keeps its whereabouts in its entry. Only the watchdog's thread reads.
class Board {
  public:
    /// Collective. Throws AgreedError if ranks of a node cannot share memory.
    explicit Board(const Communicator& world);
    Board(const Board&) = delete;
    Board& operator=(const Board&) = delete;
    ~Board();

    int rank() const { return rank_; }
    int lane() const { return window_.lane(); }
    int lanes() const { return window_.lanes(); }
    const Topology& topology() const { return topology_; }
    std::span<const int> ranks() const { return topology_.ranks_on(topology_.node_of(rank_)); }
    BoardEntry& entry(int lane) const { return window_.at<BoardEntry>(lane, 0); }
    BoardEntry& own() const { return entry(lane()); }
    /// Whether no rank of this node is awaited any more.
    bool all_have_left() const;

    /// Current observation of each lane; those that the judge suspects are examined more closely.
    std::vector<Sight> look(const Judge& judge) const;
    RankView view(int lane, const Judge& judge) const;
    std::vector<RankView> views(const Judge& judge) const;
    /// View of a rank of another node, from what is known without its entry.
    RankView view_from_afar(int rank) const;

  private:
    /// As of process_state(), and 'X' for one that was seen and is no longer there.
    char state_of(int lane) const;

    int rank_;
    Topology topology_;
    std::vector<std::string> node_of_rank_;  ///< names
    SharedWindow window_;
    /// By lane, whether its process has been seen: not that of one in a container of its own.
    std::vector<char> was_seen_;
};

}  // namespace shardstone::collectives
