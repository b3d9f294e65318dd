// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/schedule/cost_model.hpp"

#include <algorithm>
#include <queue>

#include "collectives/operation/layout.hpp"

namespace shardstone::collectives {

namespace {

using Actions = std::span<const Action>;

bool is_send(const Action& action) {
    return action.kind == ActionKind::send;
}

/// One channel of one rank, on its way through its steps.
struct Process {
    int rank = 0;
    Actions left;  ///< from the current step on
    Actions now;   ///< the current step
    double entered_s = 0.0;
    double finished_s = 0.0;  ///< when what has ended of the current step had ended
    int pending = 0;          ///< messages of the current step still to end
    std::int64_t reduce_after_sends_bytes = 0;
};

struct Message {
    double start_s;      ///< not before
    std::int64_t order;  ///< first come, first served
    std::size_t sender, receiver;
    std::int64_t size_bytes;
    ActionKind kind;   ///< of the receive
    bool after_sends;  ///< reduces into blocks that the receiver sends in the same step

    bool operator>(const Message& other) const {
        return start_s != other.start_s ? start_s > other.start_s : order > other.order;
    }
};

class Simulation {
  public:
    Simulation(const Schedule& schedule, const Layout& layout, std::int64_t element_bytes,
               const CostParameters& costs)
        : topology_(schedule.topology),
          layout_(layout),
          element_bytes_(element_bytes),
          costs_(costs),
          channels_(schedule.programs.front().channels.size()),
          send_free_s_(schedule.programs.size(), 0.0),
          receive_free_s_(send_free_s_),
          reduce_free_s_(send_free_s_) {
        for (std::size_t rank = 0; rank < schedule.programs.size(); ++rank) {
            for (int channel = 0; channel < static_cast<int>(channels_); ++channel) {
                const auto actions = std::ranges::equal_range(schedule.programs[rank].actions,
                                                              channel, {}, &Action::channel);
                Process process;
                process.rank = static_cast<int>(rank);
                process.left = Actions(actions.begin(), actions.end());
                processes_.push_back(process);
            }
        }
    }

    double run() {
        for (std::size_t i = 0; i < processes_.size(); ++i) advance(i);
        while (!queue_.empty()) {
            Message message = queue_.top();
            queue_.pop();
            const double possible_s = std::max(message.start_s, ports_free_s(message));
            if (possible_s > message.start_s) {
                message.start_s = possible_s;
                queue_.push(message);
            } else {
                transfer(message);
            }
        }
        double end_s = 0.0;
        for (const Process& process : processes_) end_s = std::max(end_s, process.finished_s);
        return end_s;
    }

  private:
    std::size_t rank_of(std::size_t process) const { return process / channels_; }

    std::int64_t bytes(int rank, const Action& action) const {
        return layout_.elements(rank, action.blocks) * element_bytes_;
    }

    double ports_free_s(const Message& message) const {
        return std::max(send_free_s_[rank_of(message.sender)],
                        receive_free_s_[rank_of(message.receiver)]);
    }

    /// Enters steps until one has a message to wait for.
    void advance(std::size_t index) {
        Process& process = processes_[index];
        while (process.pending == 0 && !process.left.empty()) {
            std::size_t length = 1;
            while (length < process.left.size() &&
                   process.left[length].step == process.left.front().step) {
                ++length;
            }
            process.now = process.left.first(length);
            process.left = process.left.subspan(length);
            process.entered_s = process.finished_s;
            for (const Action& action : process.now)
                process.pending += bytes(process.rank, action) > 0 ? 1 : 0;
        }
        if (process.pending > 0) offer_messages(index);
    }

    /// Puts into the queue the messages whose other end has reached this step already.
    void offer_messages(std::size_t index) {
        const Process& process = processes_[index];
        const int step = process.now.front().step;
        for (const Action& action : process.now) {
            if (bytes(process.rank, action) == 0) continue;
            const std::size_t other_index = static_cast<std::size_t>(action.peer) * channels_ +
                                            static_cast<std::size_t>(action.channel);
            const Process& other = processes_[other_index];
            if (other.pending == 0 || other.now.front().step != step) continue;
            const Action& other_action = *std::ranges::find_if(other.now, [&](const Action& end) {
                return end.peer == process.rank && is_send(end) != is_send(action) &&
                       end.blocks == action.blocks;
            });
            if (is_send(action)) {
                offer(index, other_index, other_action);
            } else {
                offer(other_index, index, action);
            }
        }
    }

    void offer(std::size_t sender, std::size_t receiver, const Action& receive) {
        const Process& to = processes_[receiver];
        const bool after_sends = std::ranges::any_of(to.now, [&](const Action& action) {
            return is_send(action) && action.blocks.overlaps(receive.blocks);
        });
        queue_.push({std::max(processes_[sender].entered_s, to.entered_s), next_order_++, sender,
                     receiver, bytes(to.rank, receive), receive.kind, after_sends});
    }

    void transfer(const Message& message) {
        const std::size_t from = rank_of(message.sender);
        const std::size_t to = rank_of(message.receiver);
        const bool inside = topology_.same_node(static_cast<int>(from), static_cast<int>(to));
        const LinkCost& link = inside ? costs_.intra_node : costs_.inter_node;
        const double end_s = message.start_s + link.time_s(message.size_bytes);
        send_free_s_[from] = end_s - link.alpha_s;
        receive_free_s_[to] = end_s - link.alpha_s;
        finish(message.sender, end_s);
        if (message.kind != ActionKind::receive_reduce) {
            finish(message.receiver, end_s);
        } else if (message.after_sends) {
            processes_[message.receiver].reduce_after_sends_bytes += message.size_bytes;
            finish(message.receiver, end_s);
        } else {
            finish(message.receiver, reduce(to, end_s, message.size_bytes));
        }
    }

    double reduce(std::size_t rank, double ready_s, std::int64_t size_bytes) {
        const double start_s = std::max(ready_s, reduce_free_s_[rank]);
        reduce_free_s_[rank] = start_s + costs_.gamma_s_per_byte * static_cast<double>(size_bytes);
        return reduce_free_s_[rank];
    }

    /// One message of the process's step has ended.
    void finish(std::size_t index, double time_s) {
        Process& process = processes_[index];
        process.finished_s = std::max(process.finished_s, time_s);
        if (--process.pending > 0) return;
        if (process.reduce_after_sends_bytes > 0) {
            process.finished_s =
                reduce(rank_of(index), process.finished_s, process.reduce_after_sends_bytes);
            process.reduce_after_sends_bytes = 0;
        }
        advance(index);
    }

    const Topology& topology_;
    const Layout& layout_;
    std::int64_t element_bytes_;
    const CostParameters& costs_;
    std::size_t channels_;
    std::vector<Process> processes_;  ///< channel by channel of rank after rank
    std::vector<double> send_free_s_, receive_free_s_, reduce_free_s_;  ///< of each rank
    std::priority_queue<Message, std::vector<Message>, std::greater<>> queue_;
    std::int64_t next_order_ = 0;
};

}  // namespace

double predict_time_s(const Schedule& schedule, const CollectiveSpec& spec,
                      const CostParameters& costs) {
    const Layout layout(spec, find_operation(schedule.operation).sharing,
                        schedule.programs.front().channels, schedule.topology.size());
    return Simulation(schedule, layout, spec.vector.element_bytes(), costs).run();
}

}  // namespace shardstone::collectives
