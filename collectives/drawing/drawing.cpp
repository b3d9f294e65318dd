// SPDX-License-Identifier: BSD-3-Clause
// One schedule painted as a picture: its facts, nodes, steps, ranks, messages and legend.
#include "collectives/drawing/drawing.hpp"

#include <fmt/format.h>

#include <utility>

#include "collectives/drawing/arrows.hpp"
#include "collectives/drawing/canvas_plan.hpp"
#include "collectives/drawing/facts.hpp"
#include "collectives/drawing/legend.hpp"
#include "collectives/drawing/phases.hpp"
#include "collectives/drawing/svg.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

constexpr int page_margin = 24;
constexpr int facts_top = 86;
constexpr int fact_names_width = 66;
constexpr int line_height = 18;
constexpr int steps_height = 26;  ///< their numbers, above the rows
constexpr int phases_height = 20;
constexpr int gap = 26;

int line_characters(int width) {
    constexpr int most_character_width = 7;  // of 12 px text, on the average of a line
    return width / most_character_width;
}

class Painter {
  public:
    Painter(const Algorithm& algorithm, const Schedule& schedule, int segments)
        : algorithm_(algorithm),
          schedule_(schedule),
          segments_(segments),
          messages_(messages_of(schedule)),
          plan_(schedule, messages_, segments),
          phases_(phases_of(algorithm, schedule, messages_, plan_)),
          facts_(wrapped_facts()),
          legend_(legend_of(schedule, messages_, plan_,
                            line_characters(plan_.width() - 2 * page_margin))) {}

    std::string paint() const {
        const int legend_top = rows_top() + plan_.rows_height() + gap;
        Svg svg(plan_.width(), legend_top + legend_.height() + gap / 2,
                fmt::format("{} by {} on {} ranks", spoken(algorithm_.operation->name),
                            algorithm_.name, schedule_.topology.size()),
                plan_.fine());
        paint_facts(svg);
        paint_nodes(svg);
        paint_steps(svg);
        paint_phases(svg);
        paint_ranks(svg);
        paint_messages(svg, schedule_, messages_, plan_, rows_top());
        legend_.paint(svg, page_margin, legend_top);
        return svg.finish();
    }

  private:
    int rows_top() const {
        return facts_top + static_cast<int>(facts_.size()) * line_height + steps_height +
               (phases_.empty() ? 0 : phases_height);
    }

    std::vector<Fact> wrapped_facts() const {
        const int most = line_characters(plan_.width() - 2 * page_margin - fact_names_width);
        std::vector<Fact> wrapped;
        for (Fact& fact : facts_of(algorithm_, schedule_, messages_, segments_)) {
            for (const std::string& line : wrapped_lines(fact.text, most)) {
                wrapped.push_back({std::exchange(fact.name, ""), line});
            }
        }
        return wrapped;
    }

    void paint_facts(Svg& svg) const {
        svg.text(page_margin, 36, "h",
                 fmt::format("{}: {}", spoken(algorithm_.operation->name), algorithm_.name));
        svg.text(page_margin, 59, "s", algorithm_.summary);
        int y = facts_top;
        for (const Fact& fact : facts_) {
            if (!fact.name.empty()) svg.text(page_margin, y, "k", fact.name);
            svg.text(page_margin + fact_names_width, y, "t", fact.text);
            y += line_height;
        }
    }

    void paint_nodes(Svg& svg) const {
        const Topology& topology = schedule_.topology;
        if (topology.nodes() == 1) return;
        const int half = plan_.row_height() / 2;
        for (int node = 0; node < topology.nodes(); ++node) {
            const auto ranks = topology.ranks_on(node);
            const int top = rows_top() + plan_.row_y(ranks.front()) - half;
            const int bottom = rows_top() + plan_.row_y(ranks.back()) + half;
            svg.rectangle(page_margin - 10, top, plan_.width() - 2 * page_margin + 20, bottom - top,
                          "node");
            svg.text(page_margin, (top + bottom) / 2 + 4, "k", fmt::format("node {}", node));
        }
    }

    void paint_steps(Svg& svg) const {
        for (int column = 0; column <= plan_.columns(); ++column) {
            const int x = plan_.column_x(column);
            svg.line(x, rows_top() - 4, x, rows_top() + plan_.rows_height(), "grid");
            if (column == plan_.columns()) break;
            svg.text((x + plan_.column_x(column + 1)) / 2, rows_top() - 10, "m d",
                     fmt::format("{}{}", column == 0 && plan_.roomy() ? "step " : "", column));
        }
    }

    void paint_phases(Svg& svg) const {
        const int y = rows_top() - 28;
        for (const Phase& phase : phases_) {
            const int left = plan_.column_x(phase.first) + 4;
            const int right = plan_.column_x(phase.end) - 4;
            svg.line(left, y, right, y, "life");
            svg.text((left + right) / 2, y - 5, "m", phase.name);
        }
    }

    void paint_ranks(Svg& svg) const {
        const bool rooted = schedule_.operation->rooted;
        for (int rank = 0; rank < schedule_.topology.size(); ++rank) {
            const int y = rows_top() + plan_.row_y(rank);
            svg.line(plan_.left() - 6, y, plan_.column_x(plan_.columns()) + 6, y, "life");
            if (rank % plan_.rank_number_every() != 0) continue;
            const bool root = rooted && rank == schedule_.root;
            svg.text(plan_.left() - 12, y + 4, "e",
                     fmt::format("{}{}",
                                 root        ? "root "
                                 : rank == 0 ? "rank "
                                             : "",
                                 rank));
        }
    }

    const Algorithm& algorithm_;
    const Schedule& schedule_;
    int segments_;
    std::vector<DrawnMessage> messages_;
    CanvasPlan plan_;
    std::vector<Phase> phases_;
    std::vector<Fact> facts_;
    Legend legend_;
};

}  // namespace

std::string draw(const Algorithm& algorithm, const Topology& topology, int segments) {
    require(algorithm.has_schedule(), [&] {
        return fmt::format(
            "{} '{}' has no schedule to draw ({}): draw one for which `shardstone collectives "
            "--list` shows steps",
            algorithm.operation->name, algorithm.name, algorithm.summary);
    });
    require(topology.size() <= most_drawn_ranks, [&] {
        return fmt::format("{} ranks: too many to distinguish, draw at most {}", topology.size(),
                           most_drawn_ranks);
    });
    require(segments >= 1 && segments <= most_drawn_segments, [&] {
        return fmt::format("{} segments: draw 1 to {}", segments, most_drawn_segments);
    });
    const Schedule schedule = make_schedule(algorithm, topology, segments);
    return Painter(algorithm, schedule, segments).paint();
}

}  // namespace shardstone::collectives
