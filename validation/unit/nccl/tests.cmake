# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(nccl_rounds_test SOURCES ${shardstone_test_dir}/rounds_test.cpp LABELS unit)
