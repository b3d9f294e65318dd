// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace shardstone::results {

// The files of results/report/assets, and the library that draws the figures, embedded in the
// program at build time (embed.cmake).
extern const std::string_view page_style;    ///< page.css
extern const std::string_view page_script;   ///< page.js
extern const std::string_view chart_script;  ///< Chart.js; empty if the build found none

}  // namespace shardstone::results
