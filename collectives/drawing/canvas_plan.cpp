// SPDX-License-Identifier: BSD-3-Clause
// Pixel positions of steps and ranks, wide enough for labels and narrow enough for a screen.
#include "collectives/drawing/canvas_plan.hpp"

#include <algorithm>

#include "collectives/drawing/svg.hpp"

namespace shardstone::collectives {

namespace {

constexpr int most_labelled_ranks = 8;
constexpr int margin = 24;
constexpr int rank_numbers_width = 70;
constexpr int node_names_width = 60;
constexpr int least_width = 760;
constexpr int widest_column = 260;
constexpr int least_shared_width = 120;  ///< of a column in which segments meet
constexpr int end_gap = 7;               ///< between an arrow's end and the next step

/// Arrows of many steps are narrow, since a reader then looks for the pattern.
int column_width_for(int columns, int label_characters) {
    if (label_characters > 0) return std::clamp(52 + 6 * label_characters, 70, 132);
    return columns <= 12 ? 84 : columns <= 32 ? 56 : 36;
}

}  // namespace

CanvasPlan::CanvasPlan(const Schedule& schedule, const std::vector<DrawnMessage>& messages,
                       int segments)
    : segments_(segments), lanes_(static_cast<int>(schedule.programs.front().channels.size())) {
    int label_characters = 0;
    for (const DrawnMessage& message : messages) {
        columns_ = std::max(columns_, column_of(message) + 1);
        label_characters =
            std::max(label_characters, std::min(longest_label, characters(message.content)));
    }
    const Topology& topology = schedule.topology;
    // Where there is one block, saying so once is enough.
    labels_ = topology.size() <= most_labelled_ranks && schedule.programs.front().blocks() > 1;
    column_width_ = column_width_for(columns_, labels_ ? label_characters : 0);
    if (segments > 1) column_width_ = std::max(column_width_, least_shared_width);
    row_height_ = std::clamp(640 / topology.size(), 12, 46);
    left_ = margin + rank_numbers_width + (topology.nodes() > 1 ? node_names_width : 0);
    width_ = std::max(least_width, column_x(columns_) + margin + 8);
    if (columns_ > 0) {
        const int spare = width_ - margin - 8 - left_;
        column_width_ = std::max(column_width_, std::min(spare / columns_, widest_column));
    }
    place_rows(topology);
}

/// Ranks of a node stand together, also where they are not numbered in a row.
void CanvasPlan::place_rows(const Topology& topology) {
    row_y_.assign(static_cast<std::size_t>(topology.size()), 0);
    int y = row_height_ / 2;
    for (int node = 0; node < topology.nodes(); ++node) {
        for (const int rank : topology.ranks_on(node)) {
            row_y_[static_cast<std::size_t>(rank)] = y;
            y += row_height_;
        }
        y += row_height_ / 2;
    }
    rows_height_ = y - row_height_;
}

/// Channels start and end beside each other, and so do segments.
int CanvasPlan::lane(const DrawnMessage& message) const {
    return lanes_ == 1 ? 0 : message.channel * lanes_width() / (lanes_ - 1);
}

int CanvasPlan::lanes_width() const {
    constexpr int lane_width = 10;
    return std::min(column_width_ / 3, lane_width * (lanes_ - 1));
}

CanvasPlan::Point CanvasPlan::tail(const DrawnMessage& message) const {
    return {column_x(column_of(message)) + end_gap + lane(message), row_y(message.from)};
}

CanvasPlan::Point CanvasPlan::head(const DrawnMessage& message) const {
    return {column_x(column_of(message) + 1) - end_gap - lanes_width() + lane(message),
            row_y(message.to)};
}

}  // namespace shardstone::collectives
