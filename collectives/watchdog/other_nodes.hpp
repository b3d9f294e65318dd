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

/// What a watchdog knows of the other nodes, and tells them. With one node, or no channel, it knows
/// of none, and all that is sent is lost. Local; one thread at a time.
class OtherNodes {
  public:
    /// Of `rank`; `silent_s`: after so long without a word a node is said to be silent.
    OtherNodes(int rank, const Topology& topology, std::unique_ptr<NodeChannel> channel,
               double silent_s);

    struct Alarm {
        int reporter = 0;  ///< rank
        std::string reason;
    };
    /// Takes in what has come, `since_last_s` after the last time (late looks count half a second
    /// at most); the first alarm of another node, if any.
    std::optional<Alarm> hear(double since_last_s);
    /// Whether there are others, and a way to them.
    bool are_heard() const { return channel_ != nullptr; }
    /// That this node is there, for how long it stands, and what its ranks do.
    void tell(double standing_s, const std::string& doing) const;
    void say_that_all_left() const;

    /// A node that was heard of once and is silent now.
    std::optional<Stall> silent() const;
    /// What the ranks of the node of `rank` did when it was last heard of.
    const std::string& last_heard(int rank) const;
    /// The least that other nodes said of how long they stand; infinite without others.
    double standing_s() const;
    /// Whether all nodes with lower numbers have left: who speaks for all.
    bool are_all_above() const;

    /// Tells all ranks of the other nodes that this rank reports a stall.
    void raise_alarm(const std::string& headline) const;
    /// To who reports: what the ranks of this node wait for.
    void answer(const Alarm& alarm, const std::string& lines) const;
    /// What the other nodes answer within a second. Nullopt where a lower rank has raised an alarm
    /// at the same time: it reports, and gets `own_lines`.
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
