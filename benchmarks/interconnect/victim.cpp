// SPDX-License-Identifier: BSD-3-Clause
// A pair of ranks timed while everybody else exchanges messages, until the pair is done.
#include "benchmarks/interconnect/victim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "benchmarks/interconnect/waiting.hpp"
#include "collectives/cluster/peer_message.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/failure_log.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::Communicator;
using collectives::PeerMessage;

/// Of one message of the exchange: long enough to fill links, beside what it takes to start one,
/// short enough to end soon. Not yet measured on GPUs, whose links are faster and starts slower.
std::size_t bytes_exchanged_in(collectives::DataMemory memory) {
    return std::size_t{memory == collectives::DataMemory::gpu ? 4096U : 256U} << 10;
}
constexpr std::int64_t begun_id = 0, done_id = 1, told_id = 0;

std::vector<int> ranks_of_other_nodes(const collectives::Topology& topology, int ranks,
                                      RankPair pair) {
    std::vector<int> others;
    for (int rank = 0; rank < ranks; ++rank) {
        const int node = topology.node_of(rank);
        if (node != topology.node_of(pair.first) && node != topology.node_of(pair.second)) {
            others.push_back(rank);
        }
    }
    return others;
}

void call(const Communicator& calls, int rank, std::int64_t id) {
    const std::byte byte{};
    auto sent = PeerMessage::send(calls, rank, id, std::span(&byte, 1));
    Waiting("its call to leave").wait(sent);
}

}  // namespace

Victim::Victim(const Communicator& world, collectives::DataMemory memory, RankPair pair,
               std::vector<std::int64_t> sizes_bytes)
    : world_(world),
      pair_(pair),
      sizes_bytes_(std::move(sizes_bytes)),
      bystanders_(ranks_of_other_nodes(world.topology(), world.size(), pair)),
      is_first_(world.rank() == pair.first),
      is_bystander_(std::ranges::binary_search(bystanders_, world.rank())),
      exchanging_(world.split(is_bystander_ ? 1 : 0)),
      readiness_(world.split(0)),
      calls_(world.split(0)),
      end_(world, readiness_, memory, *std::ranges::max_element(sizes_bytes_)),
      exchanged_(collectives::make_pair_messages(
          world, memory, is_bystander_ ? 2 * bytes_exchanged_in(memory) : 1)) {}

void Victim::run(bool beside_others, std::vector<VictimSample>& samples,
                 std::vector<WrongLinkData>& wrong) {
    world_.barrier();
    if (is_bystander_ && beside_others) exchange_until_told();
    if (!is_in_pair()) return;
    if (beside_others && is_first_) {
        std::byte byte{};
        auto begun =
            PeerMessage::receive(calls_, bystanders_.front(), begun_id, std::span(&byte, 1));
        Waiting("the exchange of the other ranks to begin").wait(begun);
    }
    for (const std::int64_t size_bytes : sizes_bytes_) {
        for (const auto& [sender, receiver] :
             {std::pair(pair_.first, pair_.second), std::pair(pair_.second, pair_.first)}) {
            const int messages = messages_of(size_bytes);
            stream({sender, receiver, size_bytes, messages, step_}, samples, wrong);
            step_ += messages;
        }
    }
    if (beside_others && is_first_) call(calls_, bystanders_.front(), done_id);
}

void Victim::stream(const LinkStream& stream, std::vector<VictimSample>& samples,
                    std::vector<WrongLinkData>& wrong) {
    enter_phase("victim", stream.first_step);
    if (stream.receiver == world_.rank()) {
        for (WrongLinkData one : end_.receive(stream)) {
            one.at_s = now_s();
            wrong.push_back(one);
        }
        return;
    }
    for (const double time_s : end_.send(stream)) {
        samples.push_back({stream.sender, stream.receiver, stream.size_bytes, time_s});
    }
}

/// The first bystander hears from the pair, and tells the others beside its next messages, which
/// all of them have from it once a round.
void Victim::exchange_until_told() {
    enter_phase("exchange beside a victim");
    std::byte byte{};
    std::optional<PeerMessage> done;
    if (exchanging_.is_root()) {
        done = PeerMessage::receive(calls_, pair_.first, done_id, std::span(&byte, 1));
    }
    for (bool is_last = false, is_first = true; !is_last; is_first = false) {
        is_last = exchange_once(done && done->progress());
        if (done && is_first) call(calls_, pair_.first, begun_id);
    }
}

bool Victim::exchange_once(bool is_last) {
    const int ranks = exchanging_.size();
    const auto all = exchanged_->host_view();
    const auto out = all.first(all.size() / 2), in = all.last(all.size() / 2);
    const std::byte mine{is_last};
    for (int distance = 1; distance < ranks; ++distance) {
        const int to = (exchanging_.rank() + distance) % ranks;
        const int from = (exchanging_.rank() + ranks - distance) % ranks;
        std::byte theirs{};
        auto heard = PeerMessage::receive(exchanging_, from, told_id, std::span(&theirs, 1));
        auto told = PeerMessage::send(exchanging_, to, told_id, std::span(&mine, 1));
        exchanged_->exchange({bystanders_[static_cast<std::size_t>(to)], out},
                             {bystanders_[static_cast<std::size_t>(from)], in});
        const Waiting waiting(fmt::format("bystander {} in an exchange beside a victim", from));
        waiting.wait(*exchanged_);
        waiting.wait(heard);
        waiting.wait(told);
        if (from == 0) is_last = theirs != std::byte{};
    }
    return is_last;
}

}  // namespace shardstone::benchmarks
