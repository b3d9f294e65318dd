# SPDX-License-Identifier: BSD-3-Clause
# shardstone_plant(SOURCE LIST NUMBER COPY): COPY is the source with the line of the list's bug of this
# number replaced (validation/equivalence/planted/plant.cmake).
function(shardstone_plant source list number copy)
  set(plant ${PROJECT_SOURCE_DIR}/validation/equivalence/planted/plant.cmake)
  add_custom_command(
      OUTPUT ${copy}
      COMMAND ${CMAKE_COMMAND} -DSOURCE=${source} -DMUTANTS=${list} -DNUMBER=${number} -DOUTPUT=${copy}
              -P ${plant}
      DEPENDS ${source} ${list} ${plant})
endfunction()
