# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(nccl_rounds_test SOURCES ${shardstone_test_dir}/rounds_test.cpp LABELS unit)
if(SHARDSTONE_HAS_NCCL AND plain IN_LIST shardstone_emulations)
  shardstone_add_test(stream_order_test EMULATED plain
                      SOURCES ${shardstone_test_dir}/stream_order_test.cpp RANKS 2 3
                      LABELS unit ENVIRONMENT SHARDSTONE_EMULATED_DEVICES=8)
endif()
