# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(preflight_test SOURCES ${shardstone_test_dir}/preflight_test.cpp LABELS unit)
