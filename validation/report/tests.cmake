# SPDX-License-Identifier: BSD-3-Clause
# The report over what every recording command writes: skips with the reason without h5py; without
# Chromium the page is not browsed.
add_test(NAME report.every_record
         COMMAND /usr/bin/python3 -B ${shardstone_test_dir}/every_record $<TARGET_FILE:shardstone>
                 ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${PROJECT_SOURCE_DIR}
                 ${CMAKE_CURRENT_BINARY_DIR}/every_record)
set_tests_properties(report.every_record PROPERTIES LABELS "unit;mpi" SKIP_RETURN_CODE 77
                     TIMEOUT 900 PROCESSORS 2)
# What the page's script draws of given figures: skips without Chromium.
add_test(NAME report.drawn_figures
         COMMAND /usr/bin/python3 -B ${shardstone_test_dir}/drawn_figures $<TARGET_FILE:shardstone>
                 ${PROJECT_SOURCE_DIR}/results/archive/pipeline/study.h5
                 ${CMAKE_CURRENT_BINARY_DIR}/drawn_figures)
set_tests_properties(report.drawn_figures PROPERTIES LABELS unit SKIP_RETURN_CODE 77 TIMEOUT 300)
# Whether its tables fit a window: skips without Chromium.
add_test(NAME report.interconnect_width
         COMMAND /usr/bin/python3 -B ${shardstone_test_dir}/interconnect_width $<TARGET_FILE:shardstone>
                 ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${CMAKE_CURRENT_BINARY_DIR}/interconnect_width)
set_tests_properties(report.interconnect_width PROPERTIES LABELS "unit;mpi" SKIP_RETURN_CODE 77
                     TIMEOUT 300 PROCESSORS 2)
