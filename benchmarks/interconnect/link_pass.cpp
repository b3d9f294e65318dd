// SPDX-License-Identifier: BSD-3-Clause
// Passes over rounds of pair tests; ranks that have no part in them sleep meanwhile.
#include "benchmarks/interconnect/link_pass.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "benchmarks/harness/clock_origin.hpp"
#include "benchmarks/interconnect/gathered.hpp"
#include "collectives/cluster/long_waits.hpp"
#include "collectives/cluster/peer_message.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/units.hpp"
#include "kernels/base/whereabouts.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::LongWaits;

std::vector<int> ranks_in(const std::vector<LinkRound>& rounds) {
    std::set<int> ranks;
    for (const LinkRound& round : rounds) {
        for (const RankPair& pair : round) ranks.insert({pair.first, pair.second});
    }
    return {ranks.begin(), ranks.end()};
}

/// Of a moment on this rank's clock, now or before.
double unix_s(double moment_s) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count() - (now_s() - moment_s);
}

/// The moment that is `began_s` on rank 0's clock, if given, or now: by this rank's clock, as the
/// two compare now.
double by_own_clock(const collectives::Communicator& world, std::optional<double> began_s) {
    const double moment_s = clock_origin(world);
    if (!began_s) return moment_s;
    return moment_s - world.max(world.is_root() ? moment_s - *began_s : 0.0);
}

}  // namespace

std::vector<LinkRound> one_by_one(const std::vector<LinkRound>& rounds) {
    std::vector<LinkRound> singles;
    for (const LinkRound& round : rounds) {
        for (const auto& pair : round) singles.push_back({pair});
    }
    return singles;
}

LinkPasses::LinkPasses(const collectives::Communicator& world, collectives::DataMemory memory,
                       std::vector<LinkRound> rounds, std::vector<std::int64_t> sizes_bytes,
                       std::optional<double> began_s)
    : world_(world),
      rounds_(std::move(rounds)),
      sizes_bytes_(std::move(sizes_bytes)),
      active_(ranks_in(rounds_)),
      is_active_(std::ranges::binary_search(active_, world.rank())),
      active_ranks_(world.split(is_active_ ? 0 : 1)),
      readiness_(world.split(0)),
      calls_(world.split(0)),
      end_(world, readiness_, memory, *std::ranges::max_element(sizes_bytes_)),
      begin_s_(by_own_clock(world, began_s)),
      begin_unix_s_(world.max(world.is_root() ? unix_s(begin_s_) : 0.0)) {}

void LinkPasses::compare_clocks() {
    begin_s_ = by_own_clock(world_, begin_s_);
}

LinkPass LinkPasses::run(const std::function<void(std::size_t)>& began) {
    LinkPass mine;
    if (is_active_) {
        mine = take_part(began);
        wake_the_others();
    } else {
        sleep_until_woken();
    }
    ++passes_;
    LongWaits::enter_stage(passes_ * stages_of_pass() - 1);
    const double compared_bytes = world_.sum(static_cast<double>(end_.take_compared_bytes()));
    return {gathered(world_, mine.samples), gathered(world_, mine.wrong),
            world_.is_root() ? static_cast<std::int64_t>(compared_bytes) : 0};
}

LinkPass LinkPasses::take_part(const std::function<void(std::size_t)>& began) {
    LinkPass found;
    std::int64_t stage = passes_ * stages_of_pass();
    for (std::size_t i = 0; i < rounds_.size(); ++i, stage += stages_of_round()) {
        const std::size_t round = round_at(passes_, i);
        if (began) began(i);
        LongWaits::enter_stage(stage, active_);
        active_ranks_.barrier();
        for (const RankPair& pair : rounds_[round]) {
            if (pair.first != world_.rank() && pair.second != world_.rank()) continue;
            test(round, pair, stage + 1, found);
        }
    }
    return found;
}

std::size_t LinkPasses::round_at(std::int64_t pass, std::size_t place) const {
    return pass % 2 != 0 ? rounds_.size() - 1 - place : place;
}

std::vector<std::int64_t> LinkPasses::sizes_in(std::int64_t pass) const {
    std::vector<std::int64_t> sizes = sizes_bytes_;
    if (pass % 2 != 0) std::ranges::reverse(sizes);
    return sizes;
}

std::int64_t LinkPasses::stages_of_round() const {
    return 1 + 2 * static_cast<std::int64_t>(sizes_bytes_.size());
}

std::int64_t LinkPasses::stages_of_pass() const {
    return static_cast<std::int64_t>(rounds_.size()) * stages_of_round() + 1;
}

LinkStage LinkPasses::stage(std::int64_t number) const {
    const std::int64_t pass = number / stages_of_pass();
    const std::int64_t of_pass = number % stages_of_pass();
    if (of_pass + 1 == stages_of_pass()) return {};
    const std::int64_t of_round = of_pass % stages_of_round();
    const auto place = static_cast<std::size_t>(of_pass / stages_of_round());
    const auto round = static_cast<int>(round_at(pass, place));
    if (of_round == 0) return {round, 0};
    return {round, sizes_in(pass)[static_cast<std::size_t>((of_round - 1) / 2)]};
}

std::int64_t LinkPasses::steps_of_round() const {
    std::int64_t messages = 0;
    for (const std::int64_t size_bytes : sizes_bytes_) messages += messages_of(size_bytes);
    return 2 * messages;
}

void LinkPasses::test(std::size_t round, const RankPair& pair, std::int64_t stage,
                      LinkPass& found) {
    const auto rounds = static_cast<std::int64_t>(rounds_.size());
    std::int64_t step = (passes_ * rounds + static_cast<std::int64_t>(round)) * steps_of_round();
    const bool backwards = passes_ % 2 != 0;
    for (const std::int64_t size_bytes : sizes_in(passes_)) {
        const int messages = messages_of(size_bytes);
        for (const bool first_sends : {!backwards, backwards}) {
            const int sender = first_sends ? pair.first : pair.second;
            const int receiver = first_sends ? pair.second : pair.first;
            enter_phase("pair test", step);
            LongWaits::enter_stage(stage++);
            stream({sender, receiver, size_bytes, messages, step}, round, found);
            step += messages;
        }
    }
}

void LinkPasses::stream(const LinkStream& stream, std::size_t round, LinkPass& found) {
    const bool receives = stream.receiver == world_.rank();
    // With the phase it makes the line in which the watchdog names a rank that does not go on.
    const NamedAction action(fmt::format("{} {} rank {}", format_size(stream.size_bytes),
                                         receives ? "from" : "to",
                                         receives ? stream.sender : stream.receiver));
    action.begin();
    if (receives) {
        for (WrongLinkData wrong : end_.receive(stream)) {
            wrong.at_s = now_s() - begin_s_;
            found.wrong.push_back(wrong);
        }
        return;
    }
    const double at_s = now_s() - begin_s_;
    const auto times_s = end_.send(stream);
    found.samples.push_back({stream.sender, stream.receiver, static_cast<int>(round),
                             stream.size_bytes, stream.first_step, at_s,
                             *std::ranges::min_element(times_s)});
}

void LinkPasses::sleep_until_woken() {
    // Looking two hundred times a second costs about a thousandth of a core.
    constexpr timespec pause{0, 5'000'000};
    std::byte call{};
    auto woken = collectives::PeerMessage::receive(calls_, active_.front(), 0, std::span(&call, 1));
    whereabouts().waits("the end of other ranks' pair tests");
    while (!woken.progress()) nanosleep(&pause, nullptr);
    whereabouts().moved();
}

void LinkPasses::wake_the_others() {
    if (world_.rank() != active_.front()) return;
    const std::byte call{};
    std::vector<collectives::PeerMessage> calls;
    for (int rank = 0; rank < world_.size(); ++rank) {
        if (std::ranges::binary_search(active_, rank)) continue;
        calls.push_back(collectives::PeerMessage::send(calls_, rank, 0, std::span(&call, 1)));
    }
}

}  // namespace shardstone::benchmarks
