# SPDX-License-Identifier: BSD-3-Clause
# cmake -D ASSETS=folder -D SOURCE=file.cpp -P embed.cmake: writes page.css and page.js of ASSETS
# into SOURCE as the two strings that assets.hpp declares.
cmake_minimum_required(VERSION 3.25)
file(READ ${ASSETS}/page.css style)
file(READ ${ASSETS}/page.js script)
file(WRITE ${SOURCE} "// Written by results/report/embed.cmake.
#include \"results/report/assets.hpp\"

namespace shardstone::results {
extern const std::string_view page_style = R\"~~~(${style})~~~\";
extern const std::string_view page_script = R\"~~~(${script})~~~\";
}  // namespace shardstone::results
")
