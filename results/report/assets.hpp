// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace shardstone::results {

// The files of results/report/assets, and the library that draws the figures, put into the program
// when it is built (embed.cmake).
extern const std::string_view page_style;    ///< page.css
extern const std::string_view page_script;   ///< page.js
extern const std::string_view chart_script;  ///< Chart.js; empty where the build found none

}  // namespace shardstone::results
