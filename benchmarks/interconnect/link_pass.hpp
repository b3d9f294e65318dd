// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "benchmarks/interconnect/link_end.hpp"
#include "collectives/cluster/communicator.hpp"

namespace shardstone::benchmarks {

/// Two ranks between which messages are timed, in both directions.
struct RankPair {
    int first = 0, second = 0;
    bool operator==(const RankPair&) const = default;
};

/// Pairs that are tested at the same time: no rank is in two of them.
using LinkRound = std::vector<RankPair>;

/// The same pairs, each in a round of its own.
std::vector<LinkRound> one_by_one(const std::vector<LinkRound>& rounds);

/// One figure of a pass.
struct LinkSample {
    int sender = 0, receiver = 0;  ///< ranks
    int round = 0;                 ///< number in the list of rounds
    std::int64_t size_bytes = 0;
    std::int64_t step = 0;  ///< of its first message
    double at_s = 0.0;      ///< since the tests began (LinkPasses()), by the sender's clock
    /// From the start of the send to the arrival of the acknowledgement; of several messages in a
    /// row (messages_of()) the shortest.
    double time_s = 0.0;
};

/// What a stage of a pass is about.
struct LinkStage {
    int round = -1;               ///< number in the list of rounds; negative after the last of them
    std::int64_t size_bytes = 0;  ///< of the messages of pairs; 0 where ranks meet for a round
};

/// Results of a pass over all rounds.
struct LinkPass {
    std::vector<LinkSample> samples;
    std::vector<WrongLinkData> wrong;
    std::int64_t compared_bytes = 0;  ///< of the messages whose data were compared
};

/// Tests pairs of ranks in rounds. A pass takes one sample of every pair, direction and size;
/// passes are repeated by the caller, so that a drift of the machine is spread over all pairs
/// alike. Odd passes run the rounds, directions and sizes the other way round.
///
/// Ranks in no pair sleep during a pass, and leave the cores to the others. Every rank tells
/// LongWaits its stages: for each round one in which its ranks meet, and one for each direction and
/// size; after them one that lasts until the next pass.
class LinkPasses {
  public:
    /// Collective, with equal arguments. `world` must outlive this object. Data are sent from and
    /// to `memory`. Sizes are multiples of 8, above 0. `began_s`, which is rank 0's if given:
    /// now_s() when the tests began, from which times count; otherwise they count from now.
    LinkPasses(const collectives::Communicator& world, collectives::DataMemory memory,
               std::vector<LinkRound> rounds, std::vector<std::int64_t> sizes_bytes,
               std::optional<double> began_s = {});

    std::size_t rounds() const noexcept { return rounds_.size(); }
    /// The moment from which times count, by this rank's now_s().
    double began_s() const noexcept { return begin_s_; }
    /// A time of this rank's now_s() as seconds since 1970, by rank 0's clock as it was when the
    /// passes began; equal for equal moments, as good as clock_origin() is.
    double unix_s_of(double time_s) const noexcept { return begin_unix_s_ + time_s - begin_s_; }
    /// Compares the ranks' clocks anew: two may drift apart by a second in hours. Collective.
    void compare_clocks();
    /// The same of LinkSample::at_s, equal on all ranks.
    double unix_s_of_sample(double at_s) const noexcept { return begin_unix_s_ + at_s; }
    /// `began` is called on every rank that is in a pair, before each round with its number of
    /// order from 0. Complete on rank 0, empty elsewhere. Collective.
    LinkPass run(const std::function<void(std::size_t)>& began = {});
    /// Of any pass, by its number; local.
    LinkStage stage(std::int64_t number) const;

  private:
    LinkPass take_part(const std::function<void(std::size_t)>& began);
    void test(std::size_t round, const RankPair& pair, std::int64_t stage, LinkPass& found);
    void stream(const LinkStream& stream, std::size_t round, LinkPass& found);
    void sleep_until_woken();
    void wake_the_others();
    std::int64_t steps_of_round() const;
    std::int64_t stages_of_round() const;
    std::int64_t stages_of_pass() const;
    std::size_t round_at(std::int64_t pass, std::size_t place) const;
    std::vector<std::int64_t> sizes_in(std::int64_t pass) const;

    const collectives::Communicator& world_;
    std::vector<LinkRound> rounds_;
    std::vector<std::int64_t> sizes_bytes_;
    std::vector<int> active_;  ///< ranks in any pair, ascending
    bool is_active_;
    collectives::Communicator active_ranks_;  ///< of the others: those
    collectives::Communicator readiness_;     ///< of all ranks, for LinkEnd
    collectives::Communicator calls_;         ///< of all ranks, to wake those that sleep
    LinkEnd end_;
    double begin_s_;       ///< one moment for all ranks, each by its own clock
    double begin_unix_s_;  ///< the same moment, by rank 0's clock of the day
    std::int64_t passes_ = 0;
};

}  // namespace shardstone::benchmarks
