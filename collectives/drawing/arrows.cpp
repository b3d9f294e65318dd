// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/drawing/arrows.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

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
/// sends several that way, at the head; where that is taken, too, only the tooltip tells.
class Labels {
  public:
    Labels(const std::vector<Message>& messages, const CanvasPlan& plan) : plan_(plan) {
        for (const Message& message : messages) {
            ++leaving_[{plan.column_of(message), message.from, goes_down(message)}];
            ++arriving_[{plan.column_of(message), message.to, goes_down(message)}];
        }
    }

    void paint(Svg& svg, const Message& message, int top) const {
        if (characters(message.content) > longest_label) return;
        const bool down = goes_down(message);
        const int column = plan_.column_of(message);
        if (leaving_.at({column, message.from, down}) == 1) {
            const auto tail = plan_.tail(message);
            svg.text(tail.x + 4, top + tail.y + (down ? -5 : 14), "l", message.content);
        } else if (arriving_.at({column, message.to, down}) == 1) {
            const auto head = plan_.head(message);
            svg.text(head.x - 6, top + head.y + (down ? 14 : -5), "le", message.content);
        }
    }

  private:
    using Place = std::tuple<int, int, bool>;  // column, rank, whether the arrow goes down

    bool goes_down(const Message& message) const {
        return plan_.row_y(message.to) > plan_.row_y(message.from);
    }

    const CanvasPlan& plan_;
    std::map<Place, int> leaving_;
    std::map<Place, int> arriving_;
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
