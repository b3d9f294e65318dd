// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/collectives/accuracy_depth.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace shardstone::benchmarks {

namespace {

using namespace collectives;

/// What one rank does in one step of one channel.
struct Turn {
    int rank;
    std::span<const Action> actions;
};

/// Of every block on every rank, the additions on the longest path into what is there.
class Depths {
  public:
    Depths(int size, int blocks)
        : blocks_(static_cast<std::size_t>(blocks)),
          depths_(static_cast<std::size_t>(size) * blocks_, 0) {}

    /// All messages of a step show the state at its start; then they are received in order.
    void follow(std::span<const Turn> turns) {
        std::map<std::pair<int, int>, std::deque<int>> under_way;  // from, to
        for (const Turn& turn : turns) {
            for (const Action& action : turn.actions) {
                if (action.kind != ActionKind::send) continue;
                auto& message = under_way[{turn.rank, action.peer}];
                for (int b = action.blocks.first; b < action.blocks.end(); ++b) {
                    message.push_back(at(turn.rank, b));
                }
            }
        }
        for (const Turn& turn : turns) {
            for (const Action& action : turn.actions) {
                if (action.kind == ActionKind::send) continue;
                receive(turn.rank, action, under_way[{action.peer, turn.rank}]);
            }
        }
    }

    int largest() const { return depths_.empty() ? 0 : *std::ranges::max_element(depths_); }

  private:
    int& at(int rank, int block) {
        return depths_[static_cast<std::size_t>(rank) * blocks_ + static_cast<std::size_t>(block)];
    }

    void receive(int rank, const Action& action, std::deque<int>& message) {
        for (int b = action.blocks.first; b < action.blocks.end(); ++b) {
            const int brought = message.front();
            message.pop_front();
            int& mine = at(rank, b);
            mine = action.kind == ActionKind::receive_replace ? brought : std::max(mine, brought) + 1;
        }
    }

    std::size_t blocks_;
    std::vector<int> depths_;
};

}  // namespace

int additions_on_longest_path(const Schedule& schedule) {
    if (schedule.programs.empty()) return 0;
    std::map<std::pair<int, int>, std::vector<Turn>> steps;  // by channel and step
    for (int rank = 0; rank < schedule.topology.size(); ++rank) {
        for_each_step(schedule.programs[static_cast<std::size_t>(rank)],
                      [&](std::span<const Action> actions) {
                          const Action& first = actions.front();
                          steps[{first.channel, first.step}].push_back({rank, actions});
                      });
    }
    Depths depths(schedule.topology.size(), schedule.programs.front().blocks());
    for (const auto& [step, turns] : steps) depths.follow(turns);
    return depths.largest();
}

int summation_depth(const Algorithm& algorithm, const Topology& topology) {
    if (!algorithm.has_schedule()) return topology.size() - 1;
    // Cutting the vector into segments repeats the schedule, and adds nothing up.
    return additions_on_longest_path(make_schedule(algorithm, topology));
}

}  // namespace shardstone::benchmarks
