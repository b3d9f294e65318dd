# SPDX-License-Identifier: BSD-3-Clause
# Runs LAUNCHER PROGRAM, of two ranks, in which rank 1 never comes to an end: it must fail soon, and
# both must say where they are.
set(ENV{SHARDSTONE_TEST_LIMIT_S} 2)
execute_process(COMMAND ${LAUNCHER} ${PROGRAM} RESULT_VARIABLE code OUTPUT_VARIABLE out
                ERROR_VARIABLE err TIMEOUT 50)
foreach(words "rank 0: has not come to an end in 2 s; it waits between its tests or after them"
              "rank 1: has not come to an end in 2 s; it waits in Hang.OfTheLastRank")
  string(FIND "${err}" "${words}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "'${words}' is not said; exit code ${code}:\n${err}${out}")
  endif()
endforeach()
if(code EQUAL 0)
  message(FATAL_ERROR "ends with code 0:\n${err}${out}")
endif()
