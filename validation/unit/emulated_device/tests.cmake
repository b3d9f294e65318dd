# SPDX-License-Identifier: BSD-3-Clause
# The emulated device itself: each kind of fault, planted in a kernel, is found, and nothing where there
# is none. The orders of threads and streams are set by the tests.
foreach(emulation IN LISTS shardstone_emulations)
  set(name emulated_device_test)
  set(kernels emulated_device_test_kernels_${emulation})
  shardstone_as_cxx(${shardstone_test_dir}/test_kernels.cu)
  shardstone_emulated_objects(${kernels} ${emulation} ${shardstone_test_dir}/test_kernels.cu)
  set(labels unit)
  if(NOT emulation STREQUAL "plain")
    set(name ${name}.${emulation})
    set(labels nightly)
  endif()
  shardstone_add_test(${name} EMULATED ${emulation} LABELS ${labels}
    SOURCES ${shardstone_test_dir}/kernel_faults_test.cpp ${shardstone_test_dir}/memory_faults_test.cpp
            ${shardstone_test_dir}/streams_test.cpp ${shardstone_test_dir}/runtime_test.cpp
            ${shardstone_test_dir}/stream_races_test.cpp ${shardstone_test_dir}/ipc_test.cpp
            ${shardstone_test_dir}/wrong_products_test.cpp
            $<TARGET_OBJECTS:${kernels}>)
endforeach()
