# SPDX-License-Identifier: BSD-3-Clause
# Each source is a program: kernels on the emulated device, and on a GPU where there is one.
file(GLOB sources CONFIGURE_DEPENDS ${shardstone_test_dir}/*_test.cpp)
foreach(source IN LISTS sources)
  get_filename_component(name ${source} NAME_WE)
  shardstone_add_device_test(device_${name} SOURCES ${source} LABELS unit numerics TIMEOUT 300)
endforeach()
