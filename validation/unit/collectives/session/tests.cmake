# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(preflight_test LABELS unit SOURCES
  ${shardstone_test_dir}/preflight_test.cpp ${shardstone_test_dir}/health_test.cpp)

# How many ranks a session counts for each core. shardstone_add_crowd(NAME EXPECTED JOBS...): a job is
# RANKS:MACHINE:CORE[,CORE], so many ranks on a machine of that name that may use these cores.
add_executable(crowded_rank ${shardstone_test_dir}/crowded_rank_test.cpp)
shardstone_link(crowded_rank shardstone_collectives shardstone_kernels
                $<TARGET_NAME_IF_EXISTS:shardstone_device>)
function(shardstone_add_crowd name expected)
  set(words "")
  foreach(job IN LISTS ARGN)
    string(REGEX MATCH "^(.*):(.*):(.*)$" all ${job})
    set(ranks ${CMAKE_MATCH_1})
    set(machine ${CMAKE_MATCH_2})
    string(REPLACE "," ";" cores ${CMAKE_MATCH_3})
    if(words)
      list(APPEND words :)
    endif()
    list(APPEND words ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:crowded_rank> ${expected}
         ${machine} ${cores})
  endforeach()
  add_test(NAME crowded_ranks.${name} COMMAND ${MPIEXEC_EXECUTABLE} ${words})
  set_tests_properties(crowded_ranks.${name} PROPERTIES LABELS "unit;mpi" TIMEOUT 60
                       SKIP_RETURN_CODE 77)
endfunction()
shardstone_add_crowd(one_core 3 3:hall:0)
shardstone_add_crowd(part_of_a_rank_counts 2 3:hall:0,1)
shardstone_add_crowd(bound_ranks_have_their_own 1 1:hall:0 1:hall:1)
shardstone_add_crowd(the_fullest_machine_counts 3 1:hall:0 3:yard:0)
shardstone_add_crowd(the_fullest_need_not_be_the_last 3 3:hall:0 1:yard:0)
# Odd and even ranks are two nodes of MPI on one machine: containers, or emulated ones.
shardstone_add_crowd(nodes_of_a_machine_share_its_cores 4 4:hall:0)
set_tests_properties(crowded_ranks.nodes_of_a_machine_share_its_cores PROPERTIES
                     ENVIRONMENT MPIR_CVAR_ODD_EVEN_CLIQUES=1)
