// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace shardstone::results {

/// A cell of a matrix of pairs.
struct HeatCell {
    std::size_t row = 0, column = 0;
    double factor = 1.0;  ///< time over the usual
    std::string note;     ///< what a pointer that rests on it is told
};

/// A matrix of pairs as an SVG figure: the redder a cell, the slower, in full at twice the usual
/// time. A cell within 2 % of the usual is blank where there are over 64 rows, and without its
/// note. Rows and columns carry the labels given, which are escaped here. Below it stands its
/// scale, from the least to the largest factor.
std::string heat_map_html(const std::string& title, const std::vector<std::string>& labels,
                          const std::vector<HeatCell>& cells);

}  // namespace shardstone::results
