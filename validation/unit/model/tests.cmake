# SPDX-License-Identifier: BSD-3-Clause
set(dir ${shardstone_test_dir})
shardstone_add_test(model_test LABELS unit numerics SOURCES
                    ${dir}/gradient_test.cpp ${dir}/invariance_test.cpp ${dir}/layout_test.cpp
                    ${dir}/input_test.cpp)
