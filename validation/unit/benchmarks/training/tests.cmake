# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(noise_scale_test SOURCES ${shardstone_test_dir}/noise_scale_test.cpp
                    LABELS unit numerics)
shardstone_add_test(batch_record_test SOURCES ${shardstone_test_dir}/batch_record_test.cpp
                    LABELS unit)
