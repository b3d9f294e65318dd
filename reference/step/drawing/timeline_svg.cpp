// SPDX-License-Identifier: BSD-3-Clause
// Draws the timelines of a step, predicted or measured, as one SVG with a row per rank.
#include "reference/step/drawing/timeline_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "collectives/drawing/svg.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "reference/step/drawing/bars.hpp"

namespace shardstone::reference {

namespace {

/// Of M. Okabe and K. Ito's palette; numbers on the bars are dark in dark mode, too.
constexpr std::string_view classes = R"(.pf{fill:#56b4e9}
.pb{fill:#e69f00}
.pw{fill:#2bb58f}
.pr{fill:#cc79a7}
.po{fill:#8b949e}
.cm{fill:#0072b2}
.ct{fill:#d55e00}
.pf,.pb,.pw,.pr,.po{stroke:#fdfdfc;stroke-width:.6}
text.o{font-size:10px;fill:#1f2328;text-anchor:middle}
)";

struct Sample {
    const char* style;
    const char* meaning;
};
constexpr std::array<Sample, 7> legend{{{"pf", "forward"},
                                        {"pb", "backward (or its input half)"},
                                        {"pw", "its weight half"},
                                        {"pr", "recompute"},
                                        {"po", "norm, update"},
                                        {"cm", "message under way"},
                                        {"ct", "transfer under way"}}};

constexpr int width = 1200;
constexpr int left = 128;
constexpr int right = 20;
constexpr int plot = width - left - right;
constexpr int header = 74;
constexpr int panel_header = 26;
constexpr int panel_footer = 34;
constexpr int character = 7;  ///< width of one on a bar

/// Heights of a rank's rows.
struct RowHeights {
    int row, pass, thin;
};

RowHeights heights_for(std::size_t ranks) {
    return ranks <= 16 ? RowHeights{30, 16, 3} : RowHeights{15, 7, 2};
}

double end_of(const std::vector<DrawnStep>& steps) {
    double end_s = 0.0;
    for (const DrawnStep& step : steps) {
        for (const auto& rank : step.spans) {
            for (const ActionSpan& span : rank) end_s = std::max(end_s, span.end_s);
        }
    }
    return end_s;
}

/// 1, 2 or 5 times a power of ten, for about eight ticks.
double tick_s(double end_s) {
    const double power = std::pow(10.0, std::floor(std::log10(end_s / 8.0)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power * 8.0 >= end_s) return factor * power;
    }
    return 10.0 * power;
}

class Painter {
  public:
    Painter(const std::string& heading, const ParallelPlan& plan,
            std::span<const StepProgram> programs, const std::vector<DrawnStep>& steps)
        : plan_(plan),
          programs_(programs),
          heights_(heights_for(programs.size())),
          end_s_(end_of(steps)),
          svg_(width, header + static_cast<int>(steps.size()) * panel_height(), heading, false,
               classes) {
        svg_.text(20, 34, "h", heading);
        paint_legend();
        for (std::size_t s = 0; s < steps.size(); ++s) {
            paint(steps[s], header + static_cast<int>(s) * panel_height());
        }
    }

    std::string finish() { return svg_.finish(); }

  private:
    int panel_height() const {
        return panel_header + heights_.row * static_cast<int>(programs_.size()) + panel_footer;
    }
    int x_of(double time_s) const {
        return left + static_cast<int>(std::lround(time_s / end_s_ * plot));
    }

    void paint_legend() {
        int x = 20;
        for (const Sample& sample : legend) {
            svg_.bar(x, 47, 14, 12, sample.style, "");
            svg_.text(x + 19, 57, "d", sample.meaning);
            x += 40 + character * static_cast<int>(std::string_view(sample.meaning).size());
        }
    }

    void paint(const DrawnStep& step, int top) {
        svg_.text(20, top + 16, "k", step.title);
        const int rows_top = top + panel_header;
        const int rows_end = rows_top + heights_.row * static_cast<int>(programs_.size());
        const double step_s = tick_s(end_s_);
        for (int i = 0; i * step_s <= end_s_ * (1.0 + 1e-9); ++i) {
            const int x = x_of(i * step_s);
            svg_.line(x, rows_top, x, rows_end + 4, "grid");
            svg_.text(x, rows_end + 18, "d m", i == 0 ? "0" : format_time(i * step_s));
        }
        for (std::size_t rank = 0; rank < programs_.size(); ++rank) {
            paint_rank(static_cast<int>(rank), step.spans[rank],
                       rows_top + heights_.row * static_cast<int>(rank));
        }
    }

    void paint_rank(int rank, const SharedList<ActionSpan>& spans, int top) {
        const Coordinates at = coordinates_of(plan_, rank);
        std::string name = fmt::format("rank {}", rank);
        if (plan_.pipeline > 1) name += fmt::format(" · stage {}", at.pipeline);
        svg_.text(20, top + heights_.pass - 2, "d", name);
        const double pixel_s = end_s_ / plot;
        for (const Bar& bar : bars_of(programs_[static_cast<std::size_t>(rank)], spans, pixel_s)) {
            paint(bar, top);
        }
    }

    void paint(const Bar& bar, int top) {
        const int begin = x_of(bar.span.begin_s);
        const int length = std::max(1, x_of(bar.span.end_s) - begin);
        if (bar.row != Bar::Row::computing) {
            const int below = bar.row == Bar::Row::messages ? 1 : 2 + heights_.thin;
            return svg_.bar(begin, top + heights_.pass + below, length, heights_.thin, bar.style,
                            bar.tooltip);
        }
        svg_.bar(begin, top, length, heights_.pass, bar.style, bar.tooltip);
        const bool fits = length >= character * static_cast<int>(bar.label.size()) + 2;
        if (bar.label.empty() || !fits || heights_.pass < 12) return;
        svg_.text(begin + length / 2, top + heights_.pass - 4, "o", bar.label);
    }

    const ParallelPlan& plan_;
    std::span<const StepProgram> programs_;
    RowHeights heights_;
    double end_s_;
    collectives::Svg svg_;
};

}  // namespace

std::string timeline_svg(const std::string& heading, const ParallelPlan& plan,
                         std::span<const StepProgram> programs,
                         const std::vector<DrawnStep>& steps) {
    require(std::ssize(programs) <= most_drawn_step_ranks, [&] {
        return fmt::format("a timeline of {} ranks: at most {} are drawn", programs.size(),
                           most_drawn_step_ranks);
    });
    return Painter(heading, plan, programs, steps).finish();
}

}  // namespace shardstone::reference
