# SPDX-License-Identifier: BSD-3-Clause
# cmake -DSOURCE=file -DMUTANTS=code_mutants.json -DNUMBER=n -DOUTPUT=file -P plant.cmake
#
# Copies a source with the mutant's line replaced. The line, without its indentation, stands in the
# source exactly once, or the build ends: a mutant must not survive its source by accident.
file(READ ${MUTANTS} mutants)
string(JSON line GET "${mutants}" ${NUMBER} line)
string(JSON replacement GET "${mutants}" ${NUMBER} replacement)
file(READ ${SOURCE} text)
set(line " ${line}\n")
string(REPLACE "${line}" " ${replacement}\n" planted "${text}")
string(REPLACE "${line}" "" rest "${text}")
string(LENGTH "${text}" all)
string(LENGTH "${rest}" left)
string(LENGTH "${line}" once)
math(EXPR removed "${all} - ${left}")
if(NOT removed EQUAL once)
  math(EXPR times "${removed} / ${once}")
  message(FATAL_ERROR "a planted bug wants this line once in ${SOURCE}, but it stands there "
                      "${times} times; mend ${MUTANTS}:\n${line}")
endif()
file(WRITE ${OUTPUT} "${planted}")
