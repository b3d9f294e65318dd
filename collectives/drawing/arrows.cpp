// SPDX-License-Identifier: BSD-3-Clause
// Messages of a schedule as arrows with tooltips, and labels where they would not cover each other.
#include "collectives/drawing/arrows.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "collectives/drawing/price.hpp"
#include "collectives/operation/operation.hpp"

namespace shardstone::collectives {

namespace {

std::string tooltip_of(const Schedule& schedule, const DrawnMessage& message) {
    const bool several = schedule.programs.front().channels.size() > 1;
    const bool moves = moves_data(schedule.operation->sharing);
    return fmt::format("step {}{}: {} to {}, {} {}, {} n, {}", message.step,
                       several ? fmt::format(", channel {}", message.channel) : "", message.from,
                       message.to, moves ? "data" : "blocks", message.content,
                       short_number(message.vectors), message.reduces ? "reduced" : "replaced");
}

/// A label stands at the tail of its arrow, on the side that the arrow leaves free, or else at the
/// head: at the end that no other arrow of the step shares, or else none that goes the same way.
/// Where there is no such end only the tooltip tells.
class Labels {
  public:
    Labels(const std::vector<DrawnMessage>& messages, const CanvasPlan& plan) : plan_(plan) {
        for (const DrawnMessage& message : messages) {
            const int column = plan.column_of(message);
            leaving_[{column, message.from}].count(goes_down(message));
            arriving_[{column, message.to}].count(goes_down(message));
        }
    }

    void paint(Svg& svg, const DrawnMessage& message, int top) const {
        if (characters(message.content) > longest_label) return;
        const bool down = goes_down(message);
        const int column = plan_.column_of(message);
        const Ends& leaving = leaving_.at({column, message.from});
        const Ends& arriving = arriving_.at({column, message.to});
        const bool alone_at_head = arriving.all() == 1;
        if (leaving.all() == 1 || (!alone_at_head && leaving.going(down) == 1)) {
            const auto tail = plan_.tail(message);
            svg.text(tail.x + 4, top + tail.y + (down ? -5 : 14), "l", message.content);
        } else if (alone_at_head || arriving.going(down) == 1) {
            const auto head = plan_.head(message);
            svg.text(head.x - 6, top + head.y + (down ? 14 : -5), "le", message.content);
        }
    }

  private:
    /// How many arrows have an end at a rank in a column.
    struct Ends {
        int up = 0;
        int down = 0;

        void count(bool goes_down) { ++(goes_down ? down : up); }
        int going(bool goes_down) const { return goes_down ? down : up; }
        int all() const { return up + down; }
    };

    bool goes_down(const DrawnMessage& message) const {
        return plan_.row_y(message.to) > plan_.row_y(message.from);
    }

    const CanvasPlan& plan_;
    std::map<std::pair<int, int>, Ends> leaving_;  ///< by column and rank
    std::map<std::pair<int, int>, Ends> arriving_;
};

}  // namespace

std::string arrow_classes(const Schedule& schedule, const DrawnMessage& message, int own_channel) {
    const bool inside = schedule.topology.same_node(message.from, message.to);
    const int dash = own_channel % drawn_dashes;
    return fmt::format("{}{}{}", inside ? 'i' : 'b', message.reduces ? 'r' : 'p',
                       dash == 0 ? "" : fmt::format(" c{}", dash));
}

void paint_messages(Svg& svg, const Schedule& schedule, const std::vector<DrawnMessage>& messages,
                    const CanvasPlan& plan, int top) {
    for (const DrawnMessage& message : messages) {
        const auto tail = plan.tail(message);
        const auto head = plan.head(message);
        svg.arrow(tail.x, top + tail.y, head.x, top + head.y,
                  arrow_classes(schedule, message, plan.own_channel(message)),
                  tooltip_of(schedule, message));
    }
    if (!plan.labels()) return;
    const Labels labels(messages, plan);
    for (const DrawnMessage& message : messages) labels.paint(svg, message, top);
}

}  // namespace shardstone::collectives
