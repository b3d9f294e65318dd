// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/drawing/arrows.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "collectives/drawing/price.hpp"
#include "collectives/operation/operation.hpp"

namespace shardstone::collectives {

namespace {

std::string tooltip_of(const Schedule& schedule, const Message& message) {
    const bool several = schedule.programs.front().channels.size() > 1;
    const bool moves = moves_data(find_operation(schedule.operation).sharing);
    return fmt::format("step {}{}: {} to {}, {} {}, {} n, {}", message.step,
                       several ? fmt::format(", channel {}", message.channel) : "", message.from,
                       message.to, moves ? "data" : "blocks", message.content,
                       short_number(message.vectors), message.reduces ? "reduced" : "replaced");
}

/// A label stands at the tail of its arrow, on the side that the arrow leaves free; where a rank
/// sends several at once, at the heads; where both ends have several, half-way.
class Labels {
  public:
    Labels(const std::vector<Message>& messages, const CanvasPlan& plan) : plan_(plan) {
        for (const Message& message : messages) {
            ++leaving_[{plan.column_of(message), message.from}];
            ++arriving_[{plan.column_of(message), message.to}];
        }
    }

    void paint(Svg& svg, const Message& message, int top) const {
        if (characters(message.content) > longest_label) return;
        const auto tail = plan_.tail(message);
        const auto head = plan_.head(message);
        const bool down = head.y > tail.y;
        const int column = plan_.column_of(message);
        if (leaving_.at({column, message.from}) == 1) {
            svg.text(tail.x + 4, top + tail.y + (down ? -5 : 14), "l", message.content);
        } else if (arriving_.at({column, message.to}) == 1) {
            svg.text(head.x - 6, top + head.y + (down ? 14 : -5), "le", message.content);
        } else {
            svg.text((tail.x + head.x) / 2, top + (tail.y + head.y) / 2 + 4, "lm", message.content);
        }
    }

  private:
    const CanvasPlan& plan_;
    std::map<std::pair<int, int>, int> leaving_;
    std::map<std::pair<int, int>, int> arriving_;
};

}  // namespace

std::string arrow_classes(const Schedule& schedule, const Message& message, int own_channel) {
    const bool inside = schedule.topology.same_node(message.from, message.to);
    const int dash = own_channel % drawn_dashes;
    return fmt::format("{}{}{}", inside ? 'i' : 'b', message.reduces ? 'r' : 'p',
                       dash == 0 ? "" : fmt::format(" c{}", dash));
}

void paint_messages(Svg& svg, const Schedule& schedule, const std::vector<Message>& messages,
                    const CanvasPlan& plan, int top) {
    for (const Message& message : messages) {
        const auto tail = plan.tail(message);
        const auto head = plan.head(message);
        svg.arrow(tail.x, top + tail.y, head.x, top + head.y,
                  arrow_classes(schedule, message, plan.own_channel(message)),
                  tooltip_of(schedule, message));
    }
    if (!plan.labels()) return;
    const Labels labels(messages, plan);
    for (const Message& message : messages) labels.paint(svg, message, top);
}

}  // namespace shardstone::collectives
