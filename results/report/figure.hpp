// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/report/section.hpp"

namespace shardstone::results {

// The vocabulary of figures, which assets/page.js draws. A trace: name, x, y, shade, and optionally
// low and high (error bars), notes (tooltips, one text per point), dashed, points and lines (false
// to leave them out), hollow (per point), width, hidden (not in the legend, which shows and hides
// it with the trace of its name). A layout: x and y axes (title, log, zero, ticks of {at, text}),
// or labels with horizontal and stacked for bars, and height.

/// A line with markers in the k-th colour and symbol.
nlohmann::json line_trace(const std::string& name, const std::vector<double>& x,
                          const std::vector<double>& y, int shade);

/// Turns a trace into the dashed, markerless curve of a model or an ideal.
void make_dashed(nlohmann::json& trace);

/// Error bars from `low` to `high`; bars with an infinite or undefined end are left out.
void add_interval(nlohmann::json& trace, const std::vector<double>& low,
                  const std::vector<double>& high);

/// Draws disturbed points hollow, and says so in the figure's title if there are any.
void mark_disturbed(nlohmann::json& trace, const std::vector<bool>& disturbed, Figure& figure);

/// Bars, one for each of layout["labels"].
nlohmann::json bar_trace(const std::string& name, const std::vector<double>& values, int shade);

nlohmann::json plain_axis(const std::string& title);
nlohmann::json linear_axis(const std::string& title);  ///< begins at zero
nlohmann::json log_axis(const std::string& title);
/// Logarithmic with decades from the least to the greatest of `values`, labelled by `text`.
nlohmann::json decade_axis(const std::string& title, const std::vector<double>& values,
                           std::string (*text)(double));
/// Logarithmic over binary sizes, with at most eight ticks.
nlohmann::json size_axis(const std::vector<double>& sizes);
/// Logarithmic with a tick at each of the (few) values.
nlohmann::json count_axis(const std::string& title, const std::vector<double>& counts);

}  // namespace shardstone::results
