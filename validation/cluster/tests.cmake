# SPDX-License-Identifier: BSD-3-Clause
# On the virtual cluster, which only root can have: without it these tests are skipped with the
# reason.
find_package(Python3 COMPONENTS Interpreter QUIET)
set(shardstone_cluster ${PROJECT_SOURCE_DIR}/jobs/virtual_cluster/cluster)

# shardstone_add_cluster_test(NAME TIMEOUT LABELS COMMAND...)
function(shardstone_add_cluster_test name timeout labels)
  add_test(NAME cluster.${name} COMMAND ${ARGN})
  set_tests_properties(cluster.${name} PROPERTIES LABELS "${labels}" RUN_SERIAL ON
                       SKIP_RETURN_CODE 77 TIMEOUT ${timeout})
endfunction()

shardstone_add_cluster_test(lifecycle 60 cluster ${shardstone_test_dir}/lifecycle
                            ${shardstone_cluster})
shardstone_add_cluster_test(neighbours 90 cluster ${shardstone_test_dir}/neighbours
                            ${shardstone_cluster})
shardstone_add_cluster_test(faults 90 cluster ${shardstone_test_dir}/faults ${shardstone_cluster})
shardstone_add_cluster_test(slurm.jobs 200 cluster ${shardstone_test_dir}/slurm_jobs
                            ${shardstone_cluster} $<TARGET_FILE:shardstone>)
shardstone_add_cluster_test(slurm.leftovers 200 cluster ${shardstone_test_dir}/slurm_leftovers
                            ${shardstone_cluster} 3)
# Slurm takes half a minute to give a silent node up; and more rounds find what is rare.
shardstone_add_cluster_test(slurm.faults 300 "cluster;nightly" ${shardstone_test_dir}/slurm_faults
                            ${shardstone_cluster} $<TARGET_FILE:shardstone>)
shardstone_add_cluster_test(slurm.rounds 600 "cluster;nightly" ${shardstone_test_dir}/slurm_leftovers
                            ${shardstone_cluster} 12)
shardstone_add_cluster_test(stalls 200 cluster ${shardstone_test_dir}/stalls
                            ${shardstone_cluster} $<TARGET_FILE:shardstone>)
shardstone_add_cluster_test(shared_cores 120 cluster ${shardstone_test_dir}/shared_cores
                            ${shardstone_cluster} $<TARGET_FILE:shardstone>)
shardstone_add_cluster_test(shared_nics 300 "cluster;nightly" ${shardstone_test_dir}/shared_nics
                            ${shardstone_cluster} $<TARGET_FILE:shardstone>)
# Parts of some ten milliseconds on a machine that does nothing else.
shardstone_add_cluster_test(slow_link_parts 200 "cluster;nightly" ${Python3_EXECUTABLE} -B
                            ${shardstone_test_dir}/slow_link_parts.py ${shardstone_cluster}
                            $<TARGET_FILE:shardstone>)
# A training of fifteen seconds for each of the losses and the unharmed ones, twice.
shardstone_add_cluster_test(planted_losses 1200 "cluster;nightly" ${Python3_EXECUTABLE} -B
                            ${shardstone_test_dir}/planted_losses_test.py ${shardstone_cluster}
                            $<TARGET_FILE:shardstone>)
shardstone_add_cluster_test(topology 120 cluster ${shardstone_test_dir}/nodes_and_devices
                            ${shardstone_cluster} $<TARGET_FILE:shardstone>)
shardstone_add_cluster_test(clocks 200 cluster ${shardstone_test_dir}/clocks ${shardstone_cluster}
                            $<TARGET_FILE:shardstone>)
# One trial of each fault, and as many as show 49 of 50.
add_library(rank_faults MODULE ${shardstone_test_dir}/rank_faults_test.cpp)
shardstone_link(rank_faults shardstone_options)
foreach(trials 1 50)
  math(EXPR longest_s "60 + ${trials} * 300")
  shardstone_add_cluster_test(interconnect.${trials} ${longest_s} cluster
                              ${shardstone_test_dir}/interconnect ${shardstone_cluster}
                              $<TARGET_FILE:shardstone> $<TARGET_FILE:rank_faults> ${trials})
endforeach()
set_tests_properties(cluster.interconnect.50 PROPERTIES LABELS "cluster;nightly")
# Beside another test its machine is busy, and no verdict a pass.
set_tests_properties(cluster.interconnect.1 cluster.interconnect.50 PROPERTIES RUN_SERIAL ON)
# Faults that come and go; half an hour of it with each active for 1 % of the time. (What is found of
# windows and events is tested without a cluster: interconnect_soak_test, soak.killed.)
foreach(soak_s 24 1800)
  math(EXPR longest_s "100 + ${soak_s} * 2")
  set(fault_s 4)
  if(soak_s GREATER 24)
    math(EXPR fault_s "${soak_s} / 100")
  endif()
  shardstone_add_cluster_test(soak.${soak_s} ${longest_s} cluster ${shardstone_test_dir}/soak
                              ${shardstone_cluster} $<TARGET_FILE:shardstone>
                              $<TARGET_FILE:rank_faults> ${soak_s} ${fault_s})
endforeach()
set_tests_properties(cluster.soak.24 cluster.soak.1800 PROPERTIES LABELS "cluster;nightly")
shardstone_add_cluster_test(soak.cuts.2 150 cluster ${shardstone_test_dir}/soak_cuts
                            ${shardstone_cluster} $<TARGET_FILE:shardstone> 2)
shardstone_add_cluster_test(soak.cuts.20 450 "cluster;nightly" ${shardstone_test_dir}/soak_cuts
                            ${shardstone_cluster} $<TARGET_FILE:shardstone> 20)
foreach(behaviour undisturbed cancelled preempted refused out_of_time killed_at_the_limit
                  node_crashed slurmd_killed)
  shardstone_add_cluster_test(study.${behaviour} 600 "cluster"
                              ${Python3_EXECUTABLE} -B ${shardstone_test_dir}/slurm_study_test.py
                              ${behaviour} ${shardstone_cluster} $<TARGET_FILE:shardstone>)
endforeach()
# Slurm, for which these wait most of the time, is each cluster's own: two of them at a time.
set_tests_properties(cluster.slurm.jobs cluster.study.undisturbed cluster.study.cancelled
                     cluster.study.refused PROPERTIES RUN_SERIAL OFF)
# They wait for limits of Slurm that are counted in minutes.
set_tests_properties(cluster.study.out_of_time cluster.study.killed_at_the_limit
                     cluster.study.node_crashed cluster.study.slurmd_killed PROPERTIES LABELS "cluster;nightly")
# Half an hour of ranks that sleep, on a machine that does nothing else.
shardstone_add_cluster_test(paced_scaling 3600 "cluster;nightly" ${Python3_EXECUTABLE} -B
                            ${shardstone_test_dir}/paced_scaling_test.py ${shardstone_cluster}
                            $<TARGET_FILE:shardstone>)
# Bytes on links, times beside predictions and beside MPICH's, on a machine that does nothing else.
shardstone_add_cluster_test(collective_traffic 1500 "cluster;nightly" ${Python3_EXECUTABLE} -B
                            ${shardstone_test_dir}/collective_traffic_test.py ${shardstone_cluster}
                            $<TARGET_FILE:shardstone>)
foreach(zero 0 1 2 3)
  shardstone_add_cluster_test(overlap.zero${zero} 120 cluster
                              ${shardstone_cluster} run --timeout 100 $<TARGET_FILE:shardstone>
                              overlap --plan dp=2,zero=${zero} --model nano --micro-batches 2
                              --rounds 3)
endforeach()
# Eight ranks on however many cores: they sleep where others would compute.
shardstone_add_cluster_test(overlap.paced 120 cluster
                            ${shardstone_cluster} run --rate 100mbit -n 8 --timeout 100
                            $<TARGET_FILE:shardstone> overlap --pace 1 --pace-memory 1 --model nano
                            --layers 8 --bucket-size 64K --global-batch 8 --rounds 6)
# A matter of time, so no test for a busy machine.
shardstone_add_cluster_test(overlap.hides 300 "cluster;nightly"
                            ${shardstone_cluster} run --timeout 200 $<TARGET_FILE:shardstone>
                            overlap --rounds 40 --at-most 0.5)

shardstone_add_test(overlap_test SOURCES ${shardstone_test_dir}/overlap_test.cpp RANKS 2 3)
shardstone_add_test(exchange_test SOURCES ${shardstone_test_dir}/exchange_test.cpp
                    RANKS 1 2 3 4 5 8)
