// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

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
/// makes computations enqueued from then on run after it. The host waits for nothing, and what is
/// "under way" is what no computation waits for yet.
///
/// Schedules are those of the host, their messages sent through NCCL ("over_nccl:RING"), unless an
/// algorithm is NCCL's own ("nccl"). Ranks of a group start the same collectives in the same order.
class DeviceExchange {
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

    bool idle() const { return under_way_.empty(); }
    bool under_way(Ticket ticket) const { return under_way_.contains(ticket); }
    /// Throws Error if a collective has failed.
    void progress();
    void wait(Ticket ticket);
    void wait_for_all();

    /// Seconds of the GPU for which the waits since the last call have held computations up; all
    /// that was enqueued after them must have run.
    double held_up_s();

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

    collectives::StreamOrder& order_of(collectives::Communicator& members);
    Ticket pass(int peer, bool gradient, bool outgoing, std::span<std::byte> data, Arrival arrived);
    Ticket enqueue(collectives::Communicator& members, collectives::Collective& collective,
                   const void* from, void* to, Arrival arrived);

    std::shared_ptr<PlanGroups> groups_;
    CudaQueue computations_;
    std::optional<StageChannels> stages_;
    std::vector<Prepared> prepared_;
    /// Of those that are started once: their memory is in use until the stream has run them.
    std::vector<std::unique_ptr<collectives::Collective>> once_;
    std::map<const collectives::Communicator*, std::unique_ptr<collectives::StreamOrder>> orders_;
    std::map<Ticket, UnderWay> under_way_;  ///< in the order of their starts
    Ticket last_ticket_ = 0;
    PerGroup<std::int64_t> once_bytes_{};
};

}  // namespace shardstone::reference
