// SPDX-License-Identifier: BSD-3-Clause
// All ranks' step programs run against each other in virtual time; a deadlock or mismatch throws.
#include "reference/step/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "kernels/base/error.hpp"
#include "reference/step/span_log.hpp"

namespace shardstone::reference {

namespace {

using Kind = Action::Kind;

std::string describe(const ParallelPlan& plan, int rank, std::size_t position,
                     const Action& action) {
    std::string text =
        fmt::format("rank {}, action {}: {}", rank, position, to_string(action.kind));
    if (action.is_pass()) {
        text += fmt::format(" of micro-batch {}, chunk {}, unit {}", action.micro_batch,
                            action.chunk, action.unit);
    } else if (action.kind == Kind::send || action.kind == Kind::receive) {
        text += fmt::format(" {} with rank {}", action.message.id,
                            rank_of_stage(plan, rank, action.message.peer_stage));
    } else if (action.kind == Kind::transfer) {
        text += fmt::format(" in group {} of [{}, {})", to_string(action.transfer.group),
                            action.transfer.range.first, action.transfer.range.end());
        if (action.transfer.is_of_stage_pass()) {
            text += fmt::format(" of micro-batch {}, chunk {}, unit {}", action.micro_batch,
                                action.chunk, action.unit);
        }
    }
    return text;
}

/// What some ranks do together, and when all that have arrived were ready.
struct Meeting {
    struct Member {
        int rank = 0;
        std::size_t action = 0;
        double begin_s = 0.0;
    };
    std::vector<Member> members;  ///< in order of arrival
    double ready_s = 0.0;
};

class Run {
  public:
    Run(const ParallelPlan& plan, std::span<const StepProgram> programs, const StepCosts& costs)
        : plan_(plan), programs_(programs), costs_(costs), ranks_(programs.size()) {
        timeline_.busy_s.assign(programs.size(), 0.0);
        for (std::size_t r = 0; r < programs.size(); ++r) {
            ranks_[r].now_s = costs.begin_s(static_cast<int>(r));
            for (const GroupKind& kind : group_kinds()) {
                const RankGroup group(plan, kind, static_cast<int>(r));
                ranks_[r].groups[kind] = {group.first(), group.size()};
            }
        }
    }

    Timeline run() {
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t r = 0; r < ranks_.size(); ++r) {
                while (step(static_cast<int>(r))) moved = true;
            }
        }
        require_all_done();
        finish();
        return std::move(timeline_);
    }

  private:
    struct Group {
        int first = 0;  ///< rank
        int size = 1;
    };
    struct Rank {
        std::size_t next = 0;
        double now_s = 0.0;
        SpanLog spans;
        PerGroup<Group> groups;
        PerGroup<std::int64_t> begun;  ///< transfers, by group
    };
    /// Group (by its first rank and kind) and ordinal number.
    using GroupKey = std::tuple<int, int, std::int64_t>;
    using MessageKey = std::tuple<int, int, std::int64_t>;  ///< sender, receiver, id

    Rank& rank(int r) { return ranks_[static_cast<std::size_t>(r)]; }
    const Action& action(int r, std::size_t i) const {
        return programs_[static_cast<std::size_t>(r)].actions[i];
    }

    /// Runs the next action of a rank; false when it has to wait or is through.
    bool step(int r) {
        Rank& self = rank(r);
        if (self.next == programs_[static_cast<std::size_t>(r)].actions.size()) return false;
        const Action& now = action(r, self.next);
        double begin_s = self.now_s;
        for (const std::size_t need : now.needs) {
            if (!self.spans.has_ended(need)) return false;
            begin_s = std::max(begin_s, self.spans[need].end_s);
        }
        self.now_s = begin_s;
        self.spans.begin(pool_);
        begin(r, now);
        ++self.next;
        return true;
    }

    void begin(int r, const Action& now) {
        switch (now.kind) {
            case Kind::send:
            case Kind::receive:
                return begin_message(r, now);
            case Kind::transfer:
                return begin_transfer(r, now);
            default:
                compute(r, now);
        }
    }

    void compute(int r, const Action& now) {
        Rank& self = rank(r);
        const double cost_s = costs_.compute_s(r, now);
        self.spans.end(self.next, {self.now_s, self.now_s + cost_s});
        self.now_s += cost_s;
        if (now.is_pass()) timeline_.busy_s[static_cast<std::size_t>(r)] += cost_s;
    }

    void begin_message(int r, const Action& now) {
        const bool sends = now.kind == Kind::send;
        const auto [stage, id, gradient] = now.message;
        const int peer = rank_of_stage(plan_, r, stage);
        const MessageKey key = sends ? MessageKey{r, peer, id} : MessageKey{peer, r, id};
        Meeting& meeting = messages_[key];
        meeting.members.push_back({r, rank(r).next, rank(r).now_s});
        meeting.ready_s = std::max(meeting.ready_s, rank(r).now_s);
        require(meeting.members.size() <= 2,
                [&] { return words(r, rank(r).next) + " is begun a second time"; });
        if (meeting.members.size() < 2) return;
        const auto& [other, position, began_s] = meeting.members.front();
        require(other != r && action(other, position).kind != now.kind,
                [&] { return words(r, rank(r).next) + " meets " + words(other, position); });
        const Action& send = sends ? now : action(other, position);
        const double cost_s = costs_.message_s(std::get<0>(key), send);
        settle(meeting, {meeting.ready_s, meeting.ready_s + cost_s});
    }

    void begin_transfer(int r, const Action& now) {
        Rank& self = rank(r);
        const GroupKind& kind = now.transfer.group;
        const Group& group = self.groups[kind];
        const auto number = static_cast<int>(index_of(kind));
        const GroupKey key{group.first, number, self.begun[kind]++};
        Meeting& meeting = transfers_[key];
        meeting.members.push_back({r, self.next, self.now_s});
        meeting.ready_s = std::max(meeting.ready_s, self.now_s);
        require_alike(meeting);
        if (std::ssize(meeting.members) < group.size) return;
        double& last_end_s = last_end_s_[{group.first, number}];
        const double begin_s = std::max(meeting.ready_s, last_end_s);
        if (group.size == 1) {
            rank(r).spans.end(self.next, {begin_s, begin_s});
        } else {
            last_end_s = begin_s + costs_.transfer_s(r, now.transfer);
            settle(meeting, {begin_s, last_end_s});
        }
        transfers_.erase(key);  // there are as many as passes have phases
    }

    void settle(const Meeting& meeting, const ActionSpan& span) {
        for (const auto& [r, position, begin_s] : meeting.members) {
            const double end_s = std::max(begin_s, span.end_s - costs_.sooner_s(r));
            rank(r).spans.end(position, {std::min(span.begin_s, end_s), end_s});
        }
    }

    /// The newest member does what the first one does.
    void require_alike(const Meeting& meeting) {
        const auto& [first, first_at, first_s] = meeting.members.front();
        const auto& [last, last_at, last_s] = meeting.members.back();
        const Action& a = action(first, first_at);
        const Action& b = action(last, last_at);
        const bool alike = same_transfer(a.transfer, b.transfer) &&
                           a.micro_batch == b.micro_batch && a.chunk == b.chunk &&
                           a.unit == b.unit && a.phases == b.phases &&
                           a.message.gradient == b.message.gradient;
        require(alike, [&] {
            return fmt::format("{}, but {}", words(first, first_at), words(last, last_at));
        });
    }

    /// The two copies of a tied tensor, and what tensor ranks hold in full beside uneven shares,
    /// lie at different places of their ranks' buffers.
    static bool same_transfer(const GroupTransfer& a, const GroupTransfer& b) {
        const bool same_place =
            a.range == b.range || a.group == GroupKind::tied || a.group == GroupKind::tensor;
        return a.operation == b.operation && a.what == b.what && a.group == b.group &&
               a.range.count == b.range.count && a.columns == b.columns && same_place;
    }

    void require_all_done() {
        for (int r = 0; r < std::ssize(ranks_); ++r) {
            const std::size_t actions = programs_[static_cast<std::size_t>(r)].actions.size();
            if (rank(r).next < actions) refuse(r, rank(r).next);
            for (std::size_t i = 0; i < actions; ++i) {
                require(rank(r).spans.has_ended(i),
                        [&] { return words(r, i) + " never ends: nobody else begins it"; });
            }
        }
    }

    [[noreturn]] void refuse(int r, std::size_t at) {
        const std::size_t need = *std::ranges::find_if(
            action(r, at).needs, [&](std::size_t i) { return !rank(r).spans.has_ended(i); });
        fail(fmt::format("{} deadlocks waiting for {}", words(r, at), words(r, need)));
    }

    std::string words(int r, std::size_t position) const {
        return describe(plan_, r, position, action(r, position));
    }

    void finish() {
        double passes_end_s = 0.0;
        double busy_s = 0.0;
        for (std::size_t r = 0; r < ranks_.size(); ++r) {
            busy_s += timeline_.busy_s[r];
            const auto& spans = timeline_.spans.emplace_back(ranks_[r].spans.take(pool_));
            for (std::size_t i = 0; i < spans.size(); ++i) {
                const double end_s = spans[i].end_s;
                timeline_.end_s = std::max(timeline_.end_s, end_s);
                if (programs_[r].actions[i].is_pass()) passes_end_s = std::max(passes_end_s, end_s);
            }
        }
        const double available_s = passes_end_s * static_cast<double>(ranks_.size());
        timeline_.utilisation = available_s > 0.0 ? busy_s / available_s : 1.0;
    }

    const ParallelPlan& plan_;
    std::span<const StepProgram> programs_;
    const StepCosts& costs_;
    SpanLog::Spans::Pool pool_;
    std::vector<Rank> ranks_;
    std::map<GroupKey, Meeting> transfers_;             ///< that somebody has still to begin
    std::map<std::pair<int, int>, double> last_end_s_;  ///< of a group's transfers
    std::map<MessageKey, Meeting> messages_;
    Timeline timeline_;
};

}  // namespace

double Timeline::exposed_s(int rank) const {
    return end_s - busy_s[static_cast<std::size_t>(rank)];
}

Timeline run_in_virtual_time(const ParallelPlan& plan, std::span<const StepProgram> programs,
                             const StepCosts& costs) {
    return Run(plan, programs, costs).run();
}

}  // namespace shardstone::reference
