# SPDX-License-Identifier: BSD-3-Clause
# Planted bugs of GPUs: each is a program of a copy of one source with one line replaced
# (device_mutants.json), of all the product's other objects and of the emulated device, which trains a layout
# as device_layouts_test does; races, besides, as device_steps_test does under the thread sanitizer. All of them
# take an hour: they are for the night, and built for it.
if(NOT SHARDSTONE_HAS_NCCL OR NOT plain IN_LIST shardstone_emulations OR NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  return()
endif()
set(device_planted_dir ${shardstone_test_dir})
set(device_mutants_file ${device_planted_dir}/device_mutants.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${device_mutants_file})
find_package(Python3 COMPONENTS Interpreter QUIET)
add_custom_target(planted_device_tests)

foreach(driver layouts steps)
  add_library(planted_device_${driver} OBJECT EXCLUDE_FROM_ALL
              ${device_planted_dir}/../device_${driver}_test.cpp)
  target_link_libraries(planted_device_${driver} PUBLIC shardstone_options GTest::gtest)
  shardstone_precompile(planted_device_${driver} shardstone_test_headers)
endforeach()
# What the libraries need to be compiled and linked with, without their objects.
add_library(planted_device_requirements INTERFACE)
target_link_libraries(planted_device_requirements INTERFACE ${shardstone_all_but_device})

# planted_add_copy(LIBRARY SOURCE HOLDER): the object library of SOURCE, compiled as what HOLDER holds.
function(planted_add_copy library source holder)
  add_library(${library} OBJECT EXCLUDE_FROM_ALL ${source})
  foreach(property LINK_LIBRARIES COMPILE_DEFINITIONS COMPILE_OPTIONS INCLUDE_DIRECTORIES)
    set_property(TARGET ${library} PROPERTY ${property} $<TARGET_PROPERTY:${holder},${property}>)
  endforeach()
  target_compile_options(${library} PRIVATE -w)
endfunction()

# planted_add_program(PROGRAM NAME COPY OBJECT DRIVER EMULATION): all of the product but OBJECT, instead of which
# it has the library COPY, as DRIVER trains it on that emulation of the device; and its test, of mutant NAME.
function(planted_add_program program name copy object driver emulation)
  add_executable(${program} EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${copy}>)
  set_target_properties(${program} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${program} PRIVATE planted_device_${driver} shardstone_mpi_test_main
                        planted_device_requirements shardstone_emulated_${emulation}_but_kernels)
  shardstone_link_quickly(${program})
  foreach(library IN LISTS shardstone_all_but_device ITEMS shardstone_emulated_${emulation}_kernels)
    target_sources(${program} PRIVATE $<FILTER:$<TARGET_OBJECTS:${library}>,EXCLUDE,${object}>)
  endforeach()
  add_dependencies(planted_device_tests ${program})
  add_test(NAME ${program} COMMAND ${Python3_EXECUTABLE} -B ${device_planted_dir}/caught.py ${name}
                                   $<TARGET_FILE:${program}> ${MPIEXEC_EXECUTABLE} ${emulation})
  set_tests_properties(${program} PROPERTIES LABELS "mpi;numerics;nightly" TIMEOUT 600 PROCESSORS 2)
endfunction()

# planted_add_device_mutant(NUMBER): the program planted_device.NAME, and its test; of a race, which has an
# order in which nothing goes wrong, also planted_device.NAME.tsan, under the thread sanitizer.
function(planted_add_device_mutant number)
  foreach(key name file)
    string(JSON ${key} GET "${device_mutants}" ${number} ${key})
  endforeach()
  string(JSON races ERROR_VARIABLE no_race GET "${device_mutants}" ${number} races)
  set(emulations plain)
  if(races AND tsan IN_LIST shardstone_emulations)
    list(APPEND emulations tsan)
  endif()
  string(REGEX MATCH "^([^/]*)/(.*)$" whole ${file})
  set(library shardstone_${CMAKE_MATCH_1})
  set(object "/${CMAKE_MATCH_2}\\.o$")
  set(source ${PROJECT_SOURCE_DIR}/${file})
  set(planted ${CMAKE_CURRENT_BINARY_DIR}/planted/device_${name}.cpp)
  shardstone_plant(${source} ${device_mutants_file} ${number} ${planted})
  get_filename_component(suffix ${file} LAST_EXT)
  foreach(emulation IN LISTS emulations)
    set(program planted_device.${name})
    set(copy ${program}.copy)
    set(driver layouts)
    if(emulation STREQUAL "tsan")
      string(APPEND program .tsan)
      set(driver steps)
    endif()
    if(suffix STREQUAL ".cu")
      set(library shardstone_emulated_${emulation}_kernels)
      set(copy ${program}.copy)
    else()
      # An object of its own, which the program does without.
      set_source_files_properties(${source} TARGET_DIRECTORY ${library}
                                  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
    if(NOT TARGET ${copy})
      planted_add_copy(${copy} ${planted} ${library})
    endif()
    planted_add_program(${program} ${name} ${copy} ${object} ${driver} ${emulation})
  endforeach()
endfunction()

file(READ ${device_mutants_file} device_mutants)
string(JSON device_mutant_count LENGTH "${device_mutants}")
math(EXPR device_mutant_last "${device_mutant_count} - 1")
foreach(number RANGE ${device_mutant_last})
  planted_add_device_mutant(${number})
endforeach()

# Of the right program it tells no bug: what it tells of the others is theirs.
string(JSON first_mutant GET "${device_mutants}" 0 name)
add_test(NAME planted_device_harness.tells_no_bug_of_the_right_program
         COMMAND ${Python3_EXECUTABLE} -B ${device_planted_dir}/caught.py ${first_mutant}
                 $<TARGET_FILE:device_layouts_test> ${MPIEXEC_EXECUTABLE} plain)
set_tests_properties(planted_device_harness.tells_no_bug_of_the_right_program
                     PROPERTIES PASS_REGULAR_EXPRESSION "${first_mutant}: not caught: "
                     LABELS "mpi;numerics;nightly" TIMEOUT 600 PROCESSORS 2)
