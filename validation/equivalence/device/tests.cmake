# SPDX-License-Identifier: BSD-3-Clause
if(SHARDSTONE_HAS_CUDA)
  if(SHARDSTONE_BOOST_CONTEXT)
    shardstone_add_test(device_trainer_test EMULATED SOURCES
                        ${shardstone_test_dir}/device_trainer_test.cpp RANKS 1 LABELS numerics TIMEOUT 300)
  endif()
  shardstone_add_test(device_trainer_test.gpu SOURCES ${shardstone_test_dir}/device_trainer_test.cpp
                      RANKS 1 LABELS gpu TIMEOUT 300)
endif()
