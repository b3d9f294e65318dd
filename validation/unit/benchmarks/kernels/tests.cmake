# SPDX-License-Identifier: BSD-3-Clause
# What nvcc makes of the kernels: no GPU is needed. All of them, for each generation of GPUs, by night.
find_package(Python3 COMPONENTS Interpreter QUIET)
if(NOT SHARDSTONE_HAS_CUDA OR NOT Python3_FOUND)
  return()
endif()

# kernel_resources_add_test(BEHAVIOUR [ARCHITECTURE]): kernel_resources.BEHAVIOUR...
function(kernel_resources_add_test behaviour)
  string(JOIN . name kernel_resources.${behaviour} ${ARGN})
  add_test(NAME ${name}
           COMMAND ${Python3_EXECUTABLE} -B ${shardstone_test_dir}/resources_test.py ${behaviour}
                   ${CMAKE_CUDA_COMPILER} ${PROJECT_SOURCE_DIR} ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 600)
endfunction()

kernel_resources_add_test(spills_are_found)
kernel_resources_add_test(attention_uses_tensor_cores)
foreach(architecture 80 90 100)
  kernel_resources_add_test(every_kernel ${architecture})
  set_tests_properties(kernel_resources.every_kernel.${architecture}
                       PROPERTIES LABELS "unit;nightly" TIMEOUT 3600)
endforeach()
shardstone_add_device_test(device_tensors_test LABELS unit
                           SOURCES ${shardstone_test_dir}/device_tensors_test.cpp)
