// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectives/cluster/waiting.hpp"
#include "collectives/executors/collective.hpp"
#include "collectives/executors/stream_order.hpp"
#include "collectives/operation/algorithm.hpp"
#include "kernels/tensor/cuda.hpp"
#include "reference/step/step_program.hpp"
#include "reference/trainer/core_watch.hpp"
#include "reference/trainer/plan_groups.hpp"
#include "reference/trainer/stage_channels.hpp"

namespace shardstone::reference {

/// The Exchange of a rank whose data are in the memory of its GPU. Collectives are enqueued in the
/// stream of their group's communicator, behind the computations enqueued so far; waiting for one
/// makes computations enqueued from then on run after it. The host waits for nothing but in
/// wait_for_all() and wait_for_graph(), and what is "under way" is what no computation waits for
/// yet.
///
/// Schedules are those of the host, their messages sent through NCCL ("over_nccl:RING"), unless an
/// algorithm is NCCL's own ("nccl"). Ranks of a group start the same collectives in the same order.
class DeviceExchange final : private collectives::Awaited {
  public:
    /// Collective over the job of the plan.
    DeviceExchange(std::shared_ptr<PlanGroups> groups, const ParallelPlan& plan,
                   CudaQueue computations);

    /// See Exchange. A stream runs one collective after the other, so that one can be started
    /// again at once: `at_once` changes nothing.
    static constexpr std::size_t most_at_once = 1;
    std::size_t prepare(GroupKind group, const collectives::Algorithm& algorithm,
                        const collectives::CollectiveSpec& spec,
                        std::size_t at_once = most_at_once);
    /// Called by the wait() or wait_for_all() that waits for the collective.
    using Arrival = std::function<void()>;
    using Ticket = std::size_t;
    Ticket start(std::size_t which, const void* from, void* to, Arrival arrived = {});
    Ticket start_once(GroupKind group, const collectives::Algorithm& algorithm,
                      const collectives::CollectiveSpec& spec, const void* from, void* to,
                      Arrival arrived = {});
    Ticket send(int to, const StageMessage& message, std::span<std::byte> data,
                Arrival arrived = {});
    Ticket receive(int from, const StageMessage& message, std::span<std::byte> data,
                   Arrival arrived = {});

    /// No core looks at messages.
    void tell(CoreWatch&) {}
    void hear(const std::function<void()>&) {}

    bool idle() const { return under_way_.empty() && enqueued_.empty(); }
    bool under_way(Ticket ticket) const { return under_way_.contains(ticket); }
    /// Throws Error naming a collective that has failed.
    void progress() const;
    void wait(Ticket ticket);
    /// Returns when the GPU has run all collectives; the host looks again and again, so that
    /// failures are seen, and says for which one it waits if that takes long.
    void wait_for_all();
    /// Between the two, what is started is noted for a QueueGraph: none of it has run when
    /// end_noting() returns, and everything else in the graph comes after it.
    void begin_noting();
    void end_noting();
    /// Like wait_for_all(), for the graph that was noted last, which tells whether it `has_run`;
    /// for the time of a GraphPatience no watchdog takes the rank for stalled.
    void wait_for_graph(const std::function<bool()>& has_run, double longest_step_s);

    std::int64_t bytes_sent(GroupKind group) const;
    collectives::Topology topology(GroupKind kind) const { return groups_->topology(kind); }

  private:
    struct Prepared {
        GroupKind group;
        const collectives::Operation* operation;
        collectives::CollectiveSpec spec;
        std::optional<collectives::Collective> collective;  ///< none in a group of one
    };
    struct UnderWay {
        collectives::StreamOrder* order;
        collectives::StreamOrder::Mark end;
        Arrival arrived;
    };

    /// What the GPU has to run, or has run since the last wait_for_all().
    struct Enqueued {
        GroupKind group;
        const collectives::Operation* operation;
        std::int64_t bytes;
        const collectives::StreamOrder* order;
        collectives::StreamOrder::Mark end;

        bool has_ended() const { return order->reached(end); }
        std::string text() const;
    };

    void join_computations();
    std::string waits_for() const override;
    std::string first_in(const collectives::StreamOrder& order,
                         const collectives::Communicator& members) const;
    collectives::StreamOrder& order_of(collectives::Communicator& members);
    Ticket pass(int peer, bool gradient, bool outgoing, std::span<std::byte> data, Arrival arrived);
    /// A collective of a group's ranks, its data in place if `to` is `from`.
    struct Start {
        GroupKind group;
        const collectives::Operation* operation;
        std::int64_t bytes;
        const void* from;
        void* to;
    };
    Ticket enqueue(collectives::Communicator& members, collectives::Collective& collective,
                   const Start& start, Arrival arrived);

    std::shared_ptr<PlanGroups> groups_;
    CudaQueue computations_;
    std::optional<StageChannels> stages_;
    std::vector<Prepared> prepared_;
    /// Of those that are started once: their memory is in use until the stream has run them.
    std::vector<std::unique_ptr<collectives::Collective>> once_;
    std::map<const collectives::Communicator*, std::unique_ptr<collectives::StreamOrder>> orders_;
    std::map<Ticket, UnderWay> under_way_;  ///< in the order of their starts
    std::deque<Enqueued> enqueued_;         ///< likewise
    bool is_noting_ = false;                ///< none of enqueued_ tells whether it has ended
    Ticket last_ticket_ = 0;
    PerGroup<std::int64_t> once_bytes_{};
};

}  // namespace shardstone::reference
