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
#include "reference/trainer/core_watch.hpp"
#include "reference/trainer/plan_groups.hpp"

namespace shardstone::reference {

/// All pending communication of a rank: collectives of its groups and messages between stages.
/// Waiting for one operation progresses all others, so that ranks waiting for different operations
/// cannot deadlock.
class Exchange final : private collectives::Awaited {
  public:
    explicit Exchange(std::shared_ptr<PlanGroups> groups) : groups_(std::move(groups)) {}

    /// Prepares a collective to be started any number of times. Preparing the same again returns
    /// the same one and allows one more in flight at a time, up to `at_once`: each needs memory for
    /// arriving data. Collective over the group. With one rank in the group there is nothing to
    /// send, and it completes on starting.
    static constexpr std::size_t most_at_once = 4;
    std::size_t prepare(GroupKind group, const collectives::Algorithm& algorithm,
                        const collectives::CollectiveSpec& spec,
                        std::size_t at_once = most_at_once);
    using Arrival = std::function<void()>;
    using Ticket = std::size_t;
    /// Start; `arrived` is called once, from any call that makes progress, when this rank's part is
    /// complete; until then the data must stay where it is. Ranks of a group start the same
    /// collectives in the same order. If the maximum number is in flight, it is queued until the
    /// first of them is complete, and all that is started on the same communicator after it is
    /// queued behind it: MPI wants one order on all ranks. The rank itself is not held up, or slow
    /// links would look like slow ranks. In place if `to` is `from`.
    Ticket start(std::size_t which, const void* from, void* to, Arrival arrived = {});
    /// The same for a collective that is started only once, also in the same order on all ranks of
    /// a group. Tags are reused: the group must have a communicator of its own
    /// (GroupKindRegistration), and start one only when the previous one is complete. It must have
    /// several ranks.
    Ticket start_once(GroupKind group, const collectives::Algorithm& algorithm,
                      const collectives::CollectiveSpec& spec, const void* from, void* to,
                      Arrival arrived = {});
    Ticket send(int to, const StageMessage& message, std::span<const std::byte> data,
                Arrival arrived = {});
    Ticket receive(int from, const StageMessage& message, std::span<std::byte> data,
                   Arrival arrived = {});

    /// From now on tells `watch`, which must outlive it, of each look at the messages.
    void tell(CoreWatch& watch) { watch_ = &watch; }

    /// From now on also calls `look` at each look at the messages: what else a rank that waits is
    /// to hear of.
    void hear(std::function<void()> look) { look_ = std::move(look); }

    bool idle() const { return under_way_.empty(); }
    bool under_way(Ticket ticket) const { return find(ticket) != nullptr; }
    void progress();
    /// Waits until it is complete; yields the core in between.
    void wait(Ticket ticket);
    void wait_for_all();

    /// Bytes passed to MPI so far, by kind of group; those of the pipeline are its messages.
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
        /// Used in turn, so that ranks match the same ones; none in a group of one.
        std::deque<Copy> copies;
        std::size_t stage_pass = 0;
    };
    /// Has not begun: waits for the one before it in the same memory, and for those before it in
    /// the queue of this communicator.
    struct Queued {
        const collectives::Communicator* members;
        Ticket before;  ///< 0: none
        const void* from;
        void* to;
    };
    struct UnderWay {
        Ticket ticket = 0;
        GroupKind group = GroupKind::world;
        collectives::Collective* collective = nullptr;
        std::optional<collectives::PeerMessage> message;
        std::unique_ptr<collectives::Collective> once;  ///< owns `collective` in that case
        std::optional<Queued> queued;
        Arrival arrived;

        bool progress() {
            return collective != nullptr ? collective->progress() : message->progress();
        }
        /// Whether the last progress() that was not the end moved anything.
        bool has_moved() const { return collective && !queued && collective->has_moved(); }
    };

    std::string waits_for() const override;
    const UnderWay* find(Ticket ticket) const;
    Ticket keep(UnderWay one);
    bool may_begin(const UnderWay& one) const;
    bool begin(UnderWay& one);  ///< whether it has begun, now or before
    void arrive(std::size_t place);

    std::shared_ptr<PlanGroups> groups_;
    std::deque<Prepared> prepared_;  ///< addresses are stable: pending operations point into it
    std::vector<UnderWay> under_way_;
    Ticket last_ticket_ = 0;
    std::int64_t message_bytes_ = 0;
    CoreWatch* watch_ = nullptr;
    std::function<void()> look_;
    PerGroup<std::int64_t> once_bytes_{};  ///< of completed ones
};

}  // namespace shardstone::reference
