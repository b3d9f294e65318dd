// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "collectives/cluster/topology.hpp"
#include "collectives/drawing/messages.hpp"

namespace shardstone::collectives {

/// Positions of everything in a drawing, in pixels. Columns are steps; segment k is drawn k columns
/// later than the first.
class CanvasPlan {
  public:
    CanvasPlan(const Schedule& schedule, const std::vector<DrawnMessage>& messages, int segments);

    struct Point {
        int x = 0;
        int y = 0;
    };

    int columns() const { return columns_; }
    int column_of(const DrawnMessage& message) const {
        return message.step + message.channel % segments_;
    }
    /// Index among the algorithm's own channels, before it was cut into segments.
    int own_channel(const DrawnMessage& message) const { return message.channel / segments_; }
    int own_channels() const { return lanes_ / segments_; }
    bool labels() const { return labels_; }

    int width() const { return width_; }
    int row_height() const { return row_height_; }
    /// Whether rows are so close that lines and arrowheads must be small.
    bool fine() const { return row_height_ < 20; }
    int left() const { return left_; }
    int column_x(int column) const { return left_ + column * column_width_; }
    /// Position of a rank's line, from the top of the rows.
    int row_y(int rank) const { return row_y_[static_cast<std::size_t>(rank)]; }
    int rows_height() const { return rows_height_; }
    /// Interval between ranks whose numbers are shown. Whether a column is wide enough for more
    /// than a number.
    bool roomy() const { return column_width_ >= 50; }
    int rank_number_every() const { return row_height_ >= 14 ? 1 : 2; }

    Point tail(const DrawnMessage& message) const;
    Point head(const DrawnMessage& message) const;

  private:
    int lane(const DrawnMessage& message) const;
    int lanes_width() const;
    void place_rows(const Topology& topology);

    int segments_;
    int lanes_;  ///< all channels
    int columns_ = 0;
    bool labels_ = false;
    int left_ = 0;
    int column_width_ = 0;
    int row_height_ = 0;
    int rows_height_ = 0;
    int width_ = 0;
    std::vector<int> row_y_;
};

/// Longest text on an arrow.
constexpr int longest_label = 13;

}  // namespace shardstone::collectives
