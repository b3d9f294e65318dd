# SPDX-License-Identifier: BSD-3-Clause
# What is written from the options, what is installed, and the recipes of jobs/packaging.
find_package(Python3 COMPONENTS Interpreter QUIET)
if(NOT Python3_FOUND)
  return()
endif()

function(shardstone_add_packaging_test script)
  foreach(behaviour IN LISTS ARGN)
    add_test(NAME packaging.${behaviour}
             COMMAND ${Python3_EXECUTABLE} -B ${shardstone_test_dir}/${script} ${behaviour}
                     $<TARGET_FILE:shardstone> ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
    set_tests_properties(packaging.${behaviour} PROPERTIES LABELS unit TIMEOUT 120
                                                           SKIP_RETURN_CODE 77)
  endforeach()
endfunction()

shardstone_add_packaging_test(options_test.py manual_page_has_every_option
                              completion_has_every_option bash_completes)
shardstone_add_packaging_test(install_test.py installed_tree_moves quickstart_counts_its_stages)
shardstone_add_packaging_test(recipes_test.py spack_recipe_names_what_setup_installs
                              spack_recipe_is_a_package)
shardstone_add_packaging_test(mpijob_test.py mpijob_keeps_to_the_schema mpijob_faults_are_seen
                              mpijob_image_has_what_ssh_needs mpijob_runs_what_the_program_knows)
if(NOT SHARDSTONE_SANITIZE)  # the sanitizers' libraries are in no container
  shardstone_add_packaging_test(recipes_test.py containerfile_is_whole)
endif()
