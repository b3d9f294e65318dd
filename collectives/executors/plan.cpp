// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/executors/plan.hpp"

#include <algorithm>
#include <utility>

namespace shardstone::collectives {

namespace {

class Planner {
  public:
    Planner(const RankProgram& program, const VectorSpec& vector, std::int64_t largest)
        : element_bytes_(static_cast<std::int64_t>(element_size(vector.type))),
          largest_(std::max<std::int64_t>(1, largest / element_bytes_) * element_bytes_),
          partition_(vector.count, std::max(1, program.blocks()),
                     block_grain_bytes / element_bytes_) {}

    void add_step(std::span<const Action> actions) {
        if (actions.front().channel != channel_) open_channel(actions.front().channel);
        const int begin = transfers();
        scratch_end_ = scratch_begin_;
        for (const Action& action : actions) {
            if (action.kind != ActionKind::send) add(action, actions);
        }
        for (const Action& action : actions) {
            if (action.kind == ActionKind::send) add(action, actions);
        }
        if (begin == transfers()) return;
        plan_.steps.push_back({begin, transfers()});
        auto& channel = plan_.channels.back();
        ++channel.end;
        plan_.requests = std::max(plan_.requests, channel.first_request + transfers() - begin);
        plan_.scratch_bytes = std::max(plan_.scratch_bytes, scratch_end_);
    }

    TransferPlan finish() {
        std::erase_if(plan_.channels,
                      [](const auto& channel) { return channel.begin == channel.end; });
        return std::move(plan_);
    }

  private:
    int transfers() const { return static_cast<int>(plan_.transfers.size()); }

    void open_channel(int channel) {
        channel_ = channel;
        const int first_step = static_cast<int>(plan_.steps.size());
        plan_.channels.push_back({first_step, first_step, plan_.requests});
        scratch_begin_ = plan_.scratch_bytes;
    }

    void add(const Action& action, std::span<const Action> step) {
        Transfer transfer{action.kind, action.peer, action.channel, 0, 0, 0, false};
        const bool reduces = action.kind == ActionKind::receive_reduce;
        transfer.after_sends =
            reduces && std::ranges::any_of(step, [&](const Action& other) {
                return other.kind == ActionKind::send && other.blocks.overlaps(action.blocks);
            });
        transfer.offset_bytes = partition_.begin(action.blocks.first) * element_bytes_;
        std::int64_t left = partition_.elements(action.blocks) * element_bytes_;
        while (left > 0) {
            transfer.size_bytes = std::min(left, largest_);
            transfer.scratch_bytes = scratch_end_;
            // Whole lines, so that every message in the scratch is aligned for any element type.
            if (reduces) scratch_end_ += (transfer.size_bytes + 63) / 64 * 64;
            plan_.transfers.push_back(transfer);
            transfer.offset_bytes += transfer.size_bytes;
            left -= transfer.size_bytes;
        }
    }

    TransferPlan plan_;
    std::int64_t element_bytes_;
    std::int64_t largest_;
    BlockPartition partition_;
    int channel_ = -1;
    std::int64_t scratch_begin_ = 0;
    std::int64_t scratch_end_ = 0;
};

}  // namespace

TransferPlan make_plan(const RankProgram& program, const VectorSpec& vector,
                       std::int64_t largest_message_bytes) {
    Planner planner(program, vector, largest_message_bytes);
    for_each_step(program, [&](std::span<const Action> actions) { planner.add_step(actions); });
    return planner.finish();
}

}  // namespace shardstone::collectives
