# SPDX-License-Identifier: BSD-3-Clause
# Planted bugs: those in step programs are data within one test program; those in sources are one
# test program each, of a copy of the source with one line replaced (code_mutants.json) and of all
# the product's other objects.
set(planted_dir ${shardstone_test_dir})
set(planted_list ${planted_dir}/code_mutants.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${planted_list})
shardstone_knows_source_dir(${planted_dir}/mutant.cpp)

shardstone_add_test(planted_programs
    SOURCES ${planted_dir}/program_mutants_test.cpp ${planted_dir}/expectation_test.cpp
    RANKS 4 LABELS numerics TIMEOUT 300)

# A bug whose line is not in the source, or not just once, is not passed over.
add_test(NAME planted_line_is_missed
         COMMAND ${CMAKE_COMMAND} -DSOURCE=${planted_dir}/mutant.cpp -DMUTANTS=${planted_list}
                 -DNUMBER=0 -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/planted/none.cpp
                 -P ${planted_dir}/plant.cmake)
set_tests_properties(planted_line_is_missed PROPERTIES LABELS unit
                     PASS_REGULAR_EXPRESSION "stands[ \n]+there[ \n]+0[ \n]+times")

# Bugs in sources are for the release build alone: with contracts and sanitizers on, those may be the
# first to see a bug.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  return()
endif()

add_library(planted_driver OBJECT ${planted_dir}/code_mutant_test.cpp
            ${planted_dir}/expectation_test.cpp)
target_link_libraries(planted_driver PUBLIC shardstone_options GTest::gtest)
shardstone_precompile(planted_driver shardstone_test_headers)

# What the libraries need to be compiled and linked with, without their objects.
add_library(planted_requirements INTERFACE)
target_link_libraries(planted_requirements INTERFACE ${shardstone_all_libraries})

# planted_add_mutant(NUMBER): the program planted.NAME, and its test.
function(planted_add_mutant number)
  foreach(key name file)
    string(JSON ${key} GET "${planted_mutants}" ${number} ${key})
  endforeach()
  set(source ${PROJECT_SOURCE_DIR}/${file})
  set(copy ${CMAKE_CURRENT_BINARY_DIR}/planted/${name}.cpp)
  shardstone_plant(${source} ${planted_list} ${number} ${copy})
  string(REGEX MATCH "^([^/]*)/(.*)$" whole ${file})
  set(folder ${CMAKE_MATCH_1})
  # An object of its own, which the program does without.
  set_source_files_properties(${source} TARGET_DIRECTORY shardstone_${folder}
                              PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(object "/${CMAKE_MATCH_2}\\.o$")
  get_target_property(options shardstone_${folder} COMPILE_OPTIONS)
  if(NOT options)
    set(options)
  endif()
  set_source_files_properties(${copy} PROPERTIES COMPILE_OPTIONS "${options};-w")

  set(program planted.${name})
  add_executable(${program} ${copy})
  target_link_libraries(${program} PRIVATE planted_driver shardstone_mpi_test_main
                                           planted_requirements)
  shardstone_precompile(${program} shardstone_headers)
  shardstone_link_quickly(${program})
  foreach(library IN LISTS shardstone_all_libraries)
    if(library STREQUAL shardstone_${folder})
      target_sources(${program} PRIVATE
          $<FILTER:$<TARGET_OBJECTS:${library}>,EXCLUDE,${object}>)
    else()
      target_link_libraries(${program} PRIVATE ${library})
    endif()
  endforeach()
  shardstone_add_mpi_command(${program} 4 $<TARGET_FILE:${program}>)
  set_tests_properties(${program} PROPERTIES LABELS "mpi;numerics" TIMEOUT 120
                       ENVIRONMENT SHARDSTONE_PLANTED=${name})
endfunction()

file(READ ${planted_list} planted_mutants)
string(JSON planted_count LENGTH "${planted_mutants}")
math(EXPR planted_last "${planted_count} - 1")
foreach(number RANGE ${planted_last})
  planted_add_mutant(${number})
endforeach()
