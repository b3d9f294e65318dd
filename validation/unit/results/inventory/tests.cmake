# SPDX-License-Identifier: BSD-3-Clause
# What is read of a node's hardware, from planted files and a library that plays NVML.
add_library(fake_nvml MODULE ${shardstone_test_dir}/fake_nvml_test.cpp)
shardstone_link(fake_nvml shardstone_options)
shardstone_add_test(inventory_test LABELS unit
  SOURCES ${shardstone_test_dir}/reading_test.cpp ${shardstone_test_dir}/asymmetries_test.cpp
          ${shardstone_test_dir}/gpu_asymmetries_test.cpp
          ${shardstone_test_dir}/nvml_test.cpp ${shardstone_test_dir}/words_test.cpp
  ENVIRONMENT "SHARDSTONE_FAKE_NVML=$<TARGET_FILE:fake_nvml>")
add_dependencies(inventory_test fake_nvml)
