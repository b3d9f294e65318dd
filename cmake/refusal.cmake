# SPDX-License-Identifier: BSD-3-Clause
# Runs LAUNCHER PROGRAM WORDS; passes when it ends with code 2 and prints one line, with EXPECTED in
# it, and nothing on stdout.
separate_arguments(WORDS)
execute_process(COMMAND ${LAUNCHER} ${PROGRAM} ${WORDS} RESULT_VARIABLE code OUTPUT_VARIABLE out
                ERROR_VARIABLE err)
string(STRIP "${err}" line)
string(FIND "${line}" "\n" second_line)
string(FIND "${line}" "${EXPECTED}" place)
if(NOT code EQUAL 2 OR NOT second_line EQUAL -1 OR place EQUAL -1 OR NOT "${out}" STREQUAL "")
  message(FATAL_ERROR "exit code ${code}, expected 2 and one line with '${EXPECTED}':\n${err}${out}")
endif()
