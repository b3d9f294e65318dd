// SPDX-License-Identifier: BSD-3-Clause
// What is heard of other nodes, and told them.
#include "collectives/watchdog/other_nodes.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

namespace shardstone::collectives {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// As many ranks of a node hear of the others: should the first be stopped, the second knows.
constexpr int listeners = 2;

}  // namespace

OtherNodes::OtherNodes(int rank, const Topology& topology, std::unique_ptr<NodeChannel> channel,
                       double silent_s)
    : rank_(rank),
      topology_(topology),
      channel_(std::move(channel)),
      silent_s_(silent_s),
      nodes_(static_cast<std::size_t>(topology_.nodes())) {
    for (int other = 0; other < topology_.size(); ++other) {
        if (topology_.same_node(other, rank_)) continue;
        everyone_.push_back(other);
        if (topology_.lane_of(other) < listeners) speakers_.push_back(other);
    }
}

std::optional<OtherNodes::Alarm> OtherNodes::hear(double since_last_s) {
    constexpr double most_of_a_look_s = 0.5;
    awake_s_ += std::min(since_last_s, most_of_a_look_s);
    if (!channel_) return std::nullopt;
    std::optional<Alarm> alarm;
    while (auto notice = channel_->receive()) {
        Node& node = nodes_[static_cast<std::size_t>(topology_.node_of(notice->rank))];
        node.heard = true;
        node.heard_s = awake_s_;
        if (notice->kind == Notice::Kind::beat) {
            node.standing_s = notice->seconds;
            node.doing = notice->text;
        }
        if (notice->kind == Notice::Kind::left) node.left = true;
        if (notice->kind == Notice::Kind::alarm && !alarm) {
            alarm = Alarm{notice->rank, std::move(notice->text)};
        }
    }
    return alarm;
}

void OtherNodes::send(const Notice& notice, bool to_every_rank) const {
    if (channel_) channel_->send(notice, to_every_rank ? everyone_ : speakers_);
}

void OtherNodes::tell(double standing_s, const std::string& doing) const {
    send({Notice::Kind::beat, rank_, standing_s, doing}, /*to_every_rank=*/false);
}

const std::string& OtherNodes::last_heard(int rank) const {
    return nodes_[static_cast<std::size_t>(topology_.node_of(rank))].doing;
}

void OtherNodes::say_that_all_left() const {
    constexpr int times = 3;  // each may be lost
    for (int i = 0; i < times; ++i) send({Notice::Kind::left, rank_, 0.0, ""}, false);
}

std::optional<Stall> OtherNodes::silent() const {
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
        const Node& node = nodes_[n];
        const double silent_s = awake_s_ - node.heard_s;
        if (!node.heard || node.left || silent_s < silent_s_) continue;
        const auto ranks = topology_.ranks_on(static_cast<int>(n));
        return Stall{Stall::Kind::silent, {ranks.begin(), ranks.end()}, silent_s};
    }
    return std::nullopt;
}

double OtherNodes::standing_s() const {
    double least_s = infinite;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
        const bool own = static_cast<int>(n) == topology_.node_of(rank_);
        if (!own && !nodes_[n].left) least_s = std::min(least_s, nodes_[n].standing_s);
    }
    return least_s;
}

bool OtherNodes::are_all_above() const {
    const int own = topology_.node_of(rank_);
    return std::all_of(nodes_.begin(), nodes_.begin() + own,
                       [](const Node& node) { return node.left; });
}

void OtherNodes::raise_alarm(const std::string& headline) const {
    send({Notice::Kind::alarm, rank_, 0.0, headline}, /*to_every_rank=*/true);
}

void OtherNodes::answer(const Alarm& alarm, const std::string& lines) const {
    if (!channel_) return;
    const int reporter = alarm.reporter;
    channel_->send({Notice::Kind::waiters, rank_, 0.0, lines}, std::span(&reporter, 1));
}

std::optional<std::string> OtherNodes::collect_waiters(const std::string& own_lines) const {
    constexpr int looks = 100;
    std::vector<std::string> of_node(nodes_.size());
    for (int i = 0; channel_ && i < looks; ++i) {
        while (auto notice = channel_->receive()) {
            if (notice->kind == Notice::Kind::alarm && notice->rank < rank_) {
                answer({notice->rank, notice->text}, own_lines);
                return std::nullopt;
            }
            if (notice->kind != Notice::Kind::waiters) continue;
            of_node[static_cast<std::size_t>(topology_.node_of(notice->rank))] = notice->text;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return fmt::format("{}", fmt::join(of_node, ""));
}

}  // namespace shardstone::collectives
