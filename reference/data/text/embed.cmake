# SPDX-License-Identifier: BSD-3-Clause
# cmake -D TEXT=file.txt -D SOURCE=file.cpp -P embed.cmake: writes the text into SOURCE as the string
# that default_text.hpp declares.
cmake_minimum_required(VERSION 3.25)
file(READ ${TEXT} text)
file(WRITE ${SOURCE} "// Written by reference/data/text/embed.cmake.
#include \"reference/data/default_text.hpp\"

namespace shardstone::reference {
extern const std::string_view default_text = R\"~~~(${text})~~~\";
}  // namespace shardstone::reference
")
