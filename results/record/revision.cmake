# SPDX-License-Identifier: BSD-3-Clause
# cmake -D SOURCE=folder -D HEADER=file -P revision.cmake: writes the git revision of SOURCE, with
# "-dirty" when files differ from it, or "unknown" outside git.
cmake_minimum_required(VERSION 3.25)
set(revision "")
find_program(git git)
if(git)
  execute_process(COMMAND ${git} -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT revision)
  set(revision "unknown")
endif()
file(CONFIGURE OUTPUT ${HEADER} @ONLY CONTENT [[
// Written by results/record/revision.cmake.
#pragma once
#define SHARDSTONE_REVISION "@revision@"
]])
