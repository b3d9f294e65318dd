// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "collectives/cluster/communicator.hpp"
#include "collectives/cluster/peer_message.hpp"
#include "collectives/cluster/waiting.hpp"
#include "collectives/executors/collective.hpp"
#include "collectives/operation/algorithm.hpp"
#include "reference/step/step_program.hpp"
#include "reference/trainer/plan_groups.hpp"

namespace shardstone::reference {

/// Everything that a rank has under way: collectives of its groups and messages between stages.
/// Whoever waits for one thing moves on all the others, so that ranks that wait for different
/// things cannot block each other.
class Exchange final : private collectives::Awaited {
  public:
    explicit Exchange(std::shared_ptr<PlanGroups> groups) : groups_(std::move(groups)) {}

    /// Makes a collective ready to be started any number of times. Asking for the same
    /// again gives the same, which then can be under way once more at a time, up to `at_once`:
    /// each time takes memory for what arrives. Collective over the group. With one rank in the
    /// group there is nothing to send, and starting it finishes it.
    static constexpr std::size_t most_at_once = 4;
    std::size_t prepare(GroupKind group, const collectives::Algorithm& algorithm,
                        const collectives::CollectiveSpec& spec,
                        std::size_t at_once = most_at_once);
    using Arrival = std::function<void()>;
    using Ticket = std::size_t;
    /// Begin; `arrived` is called once, from whoever moves things on, when this rank's part is
    /// through. Ranks of a group start the same in the same order; when the collective is under way
    /// as often as it can be, the first of them is waited for.
    /// In place where `to` is `from`.
    Ticket start(std::size_t which, const void* from, void* to, Arrival arrived = {});
    /// The same of a collective that is only started this once. Ranks of a group start such in the
    /// same order, too. Tags come round: the group is alone (GroupKindRegistration), and starts one
    /// when the last is through. It has several ranks.
    Ticket start_once(GroupKind group, const collectives::Algorithm& algorithm,
                      const collectives::CollectiveSpec& spec, const void* from, void* to,
                      Arrival arrived = {});
    Ticket send(int to, std::int64_t id, std::span<const std::byte> data, Arrival arrived = {});
    Ticket receive(int from, std::int64_t id, std::span<std::byte> data, Arrival arrived = {});

    bool idle() const { return under_way_.empty(); }
    bool under_way(Ticket ticket) const { return find(ticket) != nullptr; }
    void progress();
    /// Until it is through; gives the core away in between.
    void wait(Ticket ticket);
    void wait_for_all();

    /// Bytes handed to MPI so far, by what the group is for; the pipeline's are its messages.
    std::int64_t bytes_sent(GroupKind group) const;
    /// The ranks of the rank's group.
    collectives::Topology topology(GroupKind kind) const { return groups_->topology(kind); }

  private:
    struct Copy {
        collectives::Collective collective;
        Ticket last = 0;
    };
    struct Prepared {
        GroupKind group;
        const collectives::Operation* operation;
        collectives::CollectiveSpec spec;
        /// They take turns, so that ranks pair the same ones; none in a group of one.
        std::deque<Copy> copies;
        std::size_t stage_pass = 0;
    };
    struct UnderWay {
        Ticket ticket = 0;
        GroupKind group = GroupKind::world;
        collectives::Collective* collective = nullptr;
        std::optional<collectives::PeerMessage> message;
        std::unique_ptr<collectives::Collective> once;  ///< what `collective` is, then
        Arrival arrived;

        bool progress() {
            return collective != nullptr ? collective->progress() : message->progress();
        }
    };

    std::string waits_for() const override;
    const UnderWay* find(Ticket ticket) const;
    Ticket keep(UnderWay one);
    void arrive(std::size_t place);

    std::shared_ptr<PlanGroups> groups_;
    std::deque<Prepared> prepared_;  ///< stays put: what is under way points into it
    std::vector<UnderWay> under_way_;
    Ticket last_ticket_ = 0;
    std::int64_t message_bytes_ = 0;
    PerGroup<std::int64_t> once_bytes_{};  ///< by those that are through
};

}  // namespace shardstone::reference
