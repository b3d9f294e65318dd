// SPDX-License-Identifier: BSD-3-Clause
// A rank's step in virtual time, split into passes, optimizer, exposed communication, idle time.
#include "reference/step/pricing/time_split.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

namespace shardstone::reference {

namespace {

using Kind = Action::Kind;

GroupKind group_of_communication(const Action& action) {
    return action.kind == Kind::transfer ? action.transfer.group : GroupKind::pipeline;
}

/// When any of a rank's messages or transfers in one group was under way.
class UnderWay {
  public:
    void add(const ActionSpan& span) { spans_.push_back(span); }
    void close() {
        std::ranges::sort(spans_, {}, &ActionSpan::begin_s);
        std::vector<ActionSpan> joined;
        for (const ActionSpan& span : spans_) {
            if (joined.empty() || joined.back().end_s < span.begin_s) {
                joined.push_back(span);
            } else {
                joined.back().end_s = std::max(joined.back().end_s, span.end_s);
            }
        }
        spans_ = std::move(joined);
    }
    /// Of the time between the two.
    double within(double begin_s, double end_s) const {
        double sum_s = 0.0;
        auto span = std::ranges::lower_bound(spans_, begin_s, {}, &ActionSpan::end_s);
        for (; span != spans_.end() && span->begin_s < end_s; ++span) {
            sum_s += std::min(end_s, span->end_s) - std::max(begin_s, span->begin_s);
        }
        return sum_s;
    }

  private:
    std::vector<ActionSpan> spans_;
};

class Splitter {
  public:
    Splitter(const StepProgram& program, const Timeline& timeline, const StepCosts& costs, int rank)
        : program_(program),
          spans_(timeline.spans[static_cast<std::size_t>(rank)]),
          costs_(costs),
          rank_(rank) {
        for (std::size_t i = 0; i < spans_.size(); ++i) {
            const Action& action = program.actions[i];
            if (action.is_communication()) under_way(group_of_communication(action)).add(spans_[i]);
        }
        for (UnderWay& group : groups_) group.close();
    }

    TimeSplit split(double step_s) {
        std::optional<std::size_t> last;  // communication to end
        for (std::size_t i = 0; i < spans_.size(); ++i) {
            const Action& action = program_.actions[i];
            wait(latest_of(action.needs));
            if (!action.is_communication()) {
                compute(action, spans_[i]);
            } else if (!last || spans_[*last].end_s < spans_[i].end_s) {
                last = i;
            }
        }
        wait(last);
        result_.idle_s += step_s - now_s_;
        return result_;
    }

  private:
    UnderWay& under_way(GroupKind kind) { return groups_[kind]; }
    double& exposed(GroupKind kind) { return result_.exposed_s[kind]; }

    std::optional<std::size_t> latest_of(const std::vector<std::size_t>& needs) const {
        if (needs.empty()) return std::nullopt;
        return *std::ranges::max_element(needs, {},
                                         [&](std::size_t need) { return spans_[need].end_s; });
    }

    void wait(std::optional<std::size_t> need) {
        if (!need || spans_[*need].end_s <= now_s_) return;
        const double end_s = spans_[*need].end_s;
        const GroupKind kind = group_of_communication(program_.actions[*need]);
        const double moving_s = under_way(kind).within(now_s_, end_s);
        exposed(kind) += moving_s;
        result_.idle_s += end_s - now_s_ - moving_s;
        now_s_ = end_s;
    }

    void compute(const Action& action, const ActionSpan& span) {
        const double compute_s = costs_.compute_s(rank_, action);
        (action.is_pass() ? result_.passes_s : result_.optimizer_s) += compute_s;
        now_s_ = span.end_s;
    }

    const StepProgram& program_;
    const SharedList<ActionSpan>& spans_;
    const StepCosts& costs_;
    int rank_;
    PerGroup<UnderWay> groups_;
    double now_s_ = 0.0;
    TimeSplit result_;
};

}  // namespace

double TimeSplit::all_exposed_s() const {
    return std::accumulate(exposed_s.begin(), exposed_s.end(), 0.0);
}

double TimeSplit::total_s() const {
    return passes_s + optimizer_s + all_exposed_s() + idle_s;
}

TimeSplit time_split(const StepProgram& program, const Timeline& timeline, const StepCosts& costs,
                     int rank) {
    return Splitter(program, timeline, costs, rank).split(timeline.end_s);
}

}  // namespace shardstone::reference
