// SPDX-License-Identifier: BSD-3-Clause
// A step's spans taken apart into durations without waiting, and put together again.
#include "reference/step/pricing/step_times.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/base/error.hpp"
#include "reference/step/pricing/device_spans.hpp"

namespace shardstone::reference {

namespace {

/// When all sides had begun, and when the last had ended.
struct Meeting {
    double ready_s = -std::numeric_limits<double>::infinity();
    double end_s = -std::numeric_limits<double>::infinity();
    std::vector<std::pair<int, double>> ends_s;  ///< by rank
    std::vector<const RankWaits*> sides;         ///< of those that tell

    void add(int rank, const ActionSpan& span, const RankWaits* waits) {
        ready_s = std::max(ready_s, span.begin_s);
        end_s = std::max(end_s, span.end_s);
        ends_s.emplace_back(rank, span.end_s);
        if (waits != nullptr) sides.push_back(waits);
    }
    /// One that the last member had before it had those begun sooner has shared the links with
    /// them, and adds nothing to their time. Who sends a short message is through before the
    /// receiver has begun, and clocks of nodes may say so of any member.
    StepTimes::Movement from(double free_s = -std::numeric_limits<double>::infinity()) const {
        if (ends_s.size() == 1) return {};  // among itself
        const double begin_s = std::max(ready_s, free_s);
        StepTimes::Movement one{.time_s = std::max(0.0, end_s - begin_s)};
        if (one.time_s > 0.0) one.late_s = late_between(sides, {begin_s, end_s});
        for (const auto& [rank, rank_end_s] : ends_s) {
            const double side_s = rank_end_s - begin_s;
            if (side_s < one.time_s) one.sooner.emplace_back(rank, side_s);
        }
        return one;
    }
};

/// Takes the spans of all ranks and gives durations.
class Taker {
  public:
    Taker(const StepSpec& spec, std::span<const StepProgram> programs, const StepSpans& spans,
          std::span<const RankWaits> waits)
        : spec_(spec), programs_(programs), waits_(waits) {
        for (std::size_t rank = 0; rank < programs.size(); ++rank) {
            spans_.push_back(as_device_had_it(programs[rank].actions, spans[rank]));
        }
    }

    StepTimes take(std::span<const double> input_s) {
        StepTimes times;
        const double first_s = extent_of_actions().begin_s;
        for (int rank = 0; rank < std::ssize(programs_); ++rank) {
            meet(rank);
            const RankWaits* waits = waits_of(rank);
            const double begin_s = waits != nullptr ? waits->begin_s : first_s;
            times.computations.push_back(computations(rank, begin_s));
            if (input_s.empty()) continue;
            share_input(rank, input_s[static_cast<std::size_t>(rank)], times.computations.back());
        }
        times.step_s = step_s();
        times.begins_s = begins_s();
        for (const auto& [group, meetings] : transfers_) {
            double last_end_s = -std::numeric_limits<double>::infinity();
            for (const Meeting& one : meetings) {
                times.transfers[group].push_back(one.from(last_end_s));
                last_end_s = std::max(last_end_s, one.end_s);
            }
        }
        for (const auto& [message, one] : messages_) {
            times.messages[message] = one.from();
        }
        return times;
    }

  private:
    const RankWaits* waits_of(int rank) const {
        return waits_.empty() ? nullptr : &waits_[static_cast<std::size_t>(rank)];
    }

    ActionSpan extent_of_actions() const {
        constexpr double never_s = std::numeric_limits<double>::infinity();
        ActionSpan extent{never_s, -never_s};
        for (int rank = 0; rank < std::ssize(programs_); ++rank) {
            for (const ActionSpan& span : spans_of(rank)) {
                extent.begin_s = std::min(extent.begin_s, span.begin_s);
                extent.end_s = std::max(extent.end_s, span.end_s);
            }
        }
        return extent;
    }

    /// Ranks may begin a step while others still end the last one: what they both count of that
    /// would be counted twice from the first begin to the last end.
    double step_s() const {
        if (waits_.empty()) {
            const ActionSpan extent = extent_of_actions();
            return extent.end_s - extent.begin_s;
        }
        double longest_s = 0.0;
        for (const RankWaits& one : waits_)
            longest_s = std::max(longest_s, one.end_s - one.begin_s);
        return longest_s;
    }

    std::vector<double> begins_s() const {
        if (waits_.empty()) return {};
        const double first_s = std::ranges::min(waits_, {}, &RankWaits::begin_s).begin_s;
        std::vector<double> all;
        for (const RankWaits& one : waits_) all.push_back(one.begin_s - first_s);
        return all;
    }

    const SharedList<Action>& actions_of(int rank) const {
        return programs_[static_cast<std::size_t>(rank)].actions;
    }
    const std::vector<ActionSpan>& spans_of(int rank) const {
        return spans_[static_cast<std::size_t>(rank)];
    }

    void meet(int rank) {
        PerGroup<std::size_t> begun;
        for (std::size_t i = 0; i < actions_of(rank).size(); ++i) {
            const Action& action = actions_of(rank)[i];
            const ActionSpan& span = spans_of(rank)[i];
            if (action.kind == Action::Kind::transfer) {
                const GroupKind kind = action.transfer.group;
                auto& meetings = transfers_[{RankGroup(spec_.plan, kind, rank).first(), kind}];
                const std::size_t at = begun[kind]++;
                if (meetings.size() <= at) meetings.resize(at + 1);
                meetings[at].add(rank, span, waits_of(rank));
            } else if (action.is_communication()) {
                const int peer = rank_of_stage(spec_.plan, rank, action.message.peer_stage);
                const bool sends = action.kind == Action::Kind::send;
                const auto key = StepTimes::MessageKey(sends ? rank : peer, sends ? peer : rank,
                                                       action.message.id);
                messages_[key].add(rank, span, waits_of(rank));
            }
        }
    }

    std::vector<StepTimes::Computation> computations(int rank, double step_begin_s) const {
        std::vector<StepTimes::Computation> all;
        double free_s = step_begin_s;  // nothing held the rank up any longer
        for (std::size_t i = 0; i < actions_of(rank).size(); ++i) {
            const Action& action = actions_of(rank)[i];
            for (const std::size_t need : action.needs) {
                free_s = std::max(free_s, spans_of(rank)[need].end_s);
            }
            if (action.is_communication()) continue;
            const auto [begin_s, end_s] = spans_of(rank)[i];
            all.push_back({std::max(0.0, begin_s - free_s), 0.0,
                           end_s - std::max(begin_s, std::min(free_s, end_s)), 0.0});
            free_s = std::max(free_s, end_s);
        }
        if (waits_of(rank) != nullptr) take_out(waits_of(rank)->computations, all);
        return all;
    }

    /// The kernel's account is of more than what was neither computing nor waiting for messages.
    static void take_out(const std::vector<RankWaits::Computation>& waits,
                         std::vector<StepTimes::Computation>& all) {
        for (std::size_t at = 0; at < waits.size(); ++at) {
            const double before_s = std::min(waits[at].before_s, all[at].before_s);
            const double within_s = std::min(waits[at].within_s, all[at].itself_s);
            all[at].before_s -= before_s;
            all[at].itself_s -= within_s;
            all[at].core_s = before_s + within_s;
        }
    }

    void share_input(int rank, double input_s, std::vector<StepTimes::Computation>& all) const {
        const ModelPart part = part_of(spec_, rank);
        std::vector<std::size_t> loading;
        std::size_t at = 0;
        for (const Action& action : actions_of(rank)) {
            if (action.is_communication()) continue;
            if (loads_data(action, part)) loading.push_back(at);
            ++at;
        }
        for (const std::size_t one : loading) {
            const double share_s =
                std::min(input_s / static_cast<double>(loading.size()), all[one].itself_s);
            all[one].input_s = share_s;
            all[one].itself_s -= share_s;
        }
    }

    const StepSpec& spec_;
    std::span<const StepProgram> programs_;
    std::vector<std::vector<ActionSpan>> spans_;
    std::span<const RankWaits> waits_;
    std::map<StepTimes::GroupKey, std::vector<Meeting>> transfers_;
    std::map<StepTimes::MessageKey, Meeting> messages_;
};

/// Gives out durations in the order in which a run in virtual time asks for them: each rank's
/// computations and each group's transfers, one after the other. Good for one run.
class ReplayCosts : public StepCosts {
  public:
    ReplayCosts(const ParallelPlan& plan, const StepTimes& times)
        : plan_(plan), times_(times), next_(times.computations.size()) {}

    double compute_s(int rank, const Action&) const override {
        const auto r = static_cast<std::size_t>(rank);
        return times_.computations[r][next_[r]++].total_s();
    }
    double message_s(int sender, const Action& send) const override {
        const int receiver = rank_of_stage(plan_, sender, send.message.peer_stage);
        asked_ = &times_.messages.at({sender, receiver, send.message.id});
        return asked_->time_s;
    }
    double transfer_s(int member, const GroupTransfer& transfer) const override {
        const StepTimes::GroupKey key{RankGroup(plan_, transfer.group, member).first(),
                                      transfer.group};
        asked_ = &times_.transfers.at(key)[next_transfer_[key]++];
        return asked_->time_s;
    }
    double begin_s(int rank) const override {
        return times_.begins_s.empty() ? 0.0 : times_.begins_s[static_cast<std::size_t>(rank)];
    }
    double sooner_s(int rank) const override { return asked_->sooner_s(rank); }

  private:
    const ParallelPlan& plan_;
    const StepTimes& times_;
    mutable std::vector<std::size_t> next_;
    mutable std::map<StepTimes::GroupKey, std::size_t> next_transfer_;
    mutable const StepTimes::Movement* asked_ = nullptr;
};

}  // namespace

double StepTimes::Movement::sooner_s(int rank) const {
    const auto found = std::ranges::find(sooner, rank, &std::pair<int, double>::first);
    return found == sooner.end() ? 0.0 : std::max(0.0, time_s - found->second);
}

void StepTimes::Movement::set_time(double new_s) {
    if (new_s > time_s) {
        for (auto& [rank, side_s] : sooner) side_s += new_s - time_s;
    }
    time_s = new_s;
}

bool loads_data(const Action& action, const ModelPart& part) {
    if (action.kind != Action::Kind::forward || action.unit != 0 || !action.begins_pass()) {
        return false;
    }
    const ModelChunk& chunk = part.chunks[static_cast<std::size_t>(action.chunk)];
    return chunk.embedding || chunk.head;
}

StepTimes times_of_step(const StepSpec& spec, std::span<const StepProgram> programs,
                        const StepSpans& spans, std::span<const double> input_s,
                        std::span<const RankWaits> waits) {
    SHARDSTONE_EXPECTS(waits.empty() || waits.size() == programs.size());
    return Taker(spec, programs, spans, waits).take(input_s);
}

double replayed_s(const ParallelPlan& plan, std::span<const StepProgram> programs,
                  const StepTimes& times) {
    const double end_s = run_in_virtual_time(plan, programs, ReplayCosts(plan, times)).end_s;
    return times.begins_s.empty() ? end_s : end_s - std::ranges::max(times.begins_s);
}

}  // namespace shardstone::reference
