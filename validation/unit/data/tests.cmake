# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(data_test
    SOURCES ${shardstone_test_dir}/corpus_test.cpp ${shardstone_test_dir}/markov_test.cpp
            ${shardstone_test_dir}/sampler_test.cpp ${shardstone_test_dir}/shard_test.cpp
    LABELS unit)
shardstone_knows_source_dir(${shardstone_test_dir}/corpus_test.cpp)
