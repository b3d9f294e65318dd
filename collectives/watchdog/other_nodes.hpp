// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/cluster/topology.hpp"
#include "collectives/watchdog/judge.hpp"
#include "collectives/watchdog/node_channel.hpp"

namespace shardstone::collectives {

/// A watchdog's knowledge of the other nodes, and its messages to them. With one node, or without a
/// channel, it knows of none, and everything sent is lost. Local; one thread at a time.
class OtherNodes {
  public:
    /// Of `rank`; `silent_s`: time without a notice after which a node counts as silent.
    OtherNodes(int rank, const Topology& topology, std::unique_ptr<NodeChannel> channel,
               double silent_s);

    struct Alarm {
        int reporter = 0;  ///< rank
        std::string reason;
    };
    /// Processes arrived notices, `since_last_s` after the last call (late calls count as half a
    /// second at most); returns the first alarm of another node, if any.
    std::optional<Alarm> hear(double since_last_s);
    /// Whether there are other nodes and a channel to them.
    bool are_heard() const { return channel_ != nullptr; }
    /// Sends that this node is alive, for how long it has stalled, and what its ranks do.
    void tell(double standing_s, const std::string& doing) const;
    void say_that_all_left() const;

    /// A node that has sent notices but is silent now.
    std::optional<Stall> silent() const;
    /// Activity of the ranks of the node of `rank` in its last notice.
    const std::string& last_heard(int rank) const;
    /// Least time for which another node reports to have stalled; infinite without others.
    double standing_s() const;
    /// Whether all nodes with lower numbers have left, so that this one speaks for all.
    bool are_all_above() const;

    /// Tells all ranks of the other nodes that this rank reports a stall.
    void raise_alarm(const std::string& headline) const;
    /// Sends to the reporting rank what the ranks of this node wait for.
    void answer(const Alarm& alarm, const std::string& lines) const;
    /// Answers of the other nodes within a second. Nullopt if a lower rank has raised an alarm at
    /// the same time: that one reports, and receives `own_lines`.
    std::optional<std::string> collect_waiters(const std::string& own_lines) const;

  private:
    struct Node {
        bool heard = false;
        bool left = false;
        double heard_s = 0.0;
        double standing_s = 0.0;
        std::string doing;
    };
    void send(const Notice& notice, bool to_every_rank) const;

    int rank_;
    Topology topology_;
    std::unique_ptr<NodeChannel> channel_;
    double silent_s_;
    double awake_s_ = 0.0;
    std::vector<Node> nodes_;
    std::vector<int> speakers_, everyone_;  ///< ranks of other nodes
};

}  // namespace shardstone::collectives
