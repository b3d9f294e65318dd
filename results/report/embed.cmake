# SPDX-License-Identifier: BSD-3-Clause
# cmake -D ASSETS=folder -D CHART=chart.min.js -D SOURCE=file.cpp -P embed.cmake: writes page.css and
# page.js of ASSETS and the library that draws the figures into SOURCE as the strings that assets.hpp
# declares.
cmake_minimum_required(VERSION 3.25)
file(READ ${ASSETS}/page.css style)
file(READ ${ASSETS}/page.js script)
set(chart "")
if(CHART)
  file(READ ${CHART} chart)
endif()
# A note of where its source map lies would have a browser ask for it.
string(REGEX REPLACE "//# sourceMappingURL=[^\n]*" "" chart "${chart}")
string(FIND "${chart}" "</script" script_end)
if(NOT script_end EQUAL -1 OR chart MATCHES "[)]~~~\"")
  message(FATAL_ERROR "${CHART} cannot stand inside a page")
endif()
file(WRITE ${SOURCE} "// Written by results/report/embed.cmake.
#include \"results/report/assets.hpp\"

namespace shardstone::results {
extern const std::string_view page_style = R\"~~~(${style})~~~\";
extern const std::string_view page_script = R\"~~~(${script})~~~\";
extern const std::string_view chart_script = R\"~~~(${chart})~~~\";
}  // namespace shardstone::results
")
