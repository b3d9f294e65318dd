// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a node show each other.
#include "collectives/watchdog/board.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "collectives/cluster/process.hpp"
#include "collectives/watchdog/process_state.hpp"

namespace shardstone::collectives {

namespace {

std::string phase_of(const Whereabouts& whereabouts) {
    const std::string name = whereabouts.phase().data();
    const std::int64_t number = whereabouts.number();
    return number < 0 ? name : fmt::format("{} {}", name, number);
}

}  // namespace

Board::Board(const Communicator& world)
    : rank_(world.rank()),
      topology_(world.found_topology()),
      node_of_rank_(world.all_gather(node_name())),
      window_(world, sizeof(BoardEntry)) {
    store(own().process, static_cast<std::int32_t>(::getpid()));
    keep_whereabouts_in(&own().whereabouts);
    world.barrier();  // every entry is taken before anybody looks
    for (int lane = 0; lane < lanes(); ++lane) {
        was_seen_.push_back(process_state(load(entry(lane).process)) != ' ' ? 1 : 0);
    }
}

Board::~Board() {
    keep_whereabouts_in(nullptr);
}

bool Board::all_have_left() const {
    for (int lane = 0; lane < lanes(); ++lane) {
        if (load(entry(lane).left) == 0) return false;
    }
    return true;
}

char Board::state_of(int lane) const {
    const char state = process_state(load(entry(lane).process));
    return state == ' ' && was_seen_[static_cast<std::size_t>(lane)] != 0 ? 'X' : state;
}

std::vector<Sight> Board::look(const Judge& judge) const {
    std::vector<Sight> sights;
    for (int lane = 0; lane < lanes(); ++lane) {
        const BoardEntry& one = entry(lane);
        const bool waits = one.whereabouts.is_waiting() || one.whereabouts.is_in_library();
        const char state = judge.is_suspect(lane) ? state_of(lane) : ' ';
        sights.push_back({load(one.heartbeat), one.whereabouts.moves(), load(one.cpu_ns), waits,
                          load(one.left) != 0, state});
    }
    return sights;
}

RankView Board::view(int lane, const Judge& judge) const {
    const BoardEntry& one = entry(lane);
    RankView view = view_from_afar(ranks()[static_cast<std::size_t>(lane)]);
    view.process = load(one.process);
    view.idle_s = judge.idle_s(lane);
    view.phase = phase_of(one.whereabouts);
    view.action = one.whereabouts.action();
    view.waits = one.whereabouts.is_waiting() || one.whereabouts.is_in_library();
    view.waits_for = one.whereabouts.waits_for();
    view.process_state = state_of(lane);
    return view;
}

std::vector<RankView> Board::views(const Judge& judge) const {
    std::vector<RankView> all;
    for (int lane = 0; lane < lanes(); ++lane) all.push_back(view(lane, judge));
    return all;
}

RankView Board::view_from_afar(int rank) const {
    RankView view;
    view.rank = rank;
    view.node = node_of_rank_[static_cast<std::size_t>(rank)];
    return view;
}

}  // namespace shardstone::collectives
