# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(loss_scale_test SOURCES ${shardstone_test_dir}/loss_scale_test.cpp LABELS unit)
shardstone_add_test(precision_test SOURCES ${shardstone_test_dir}/precision_test.cpp
                    RANKS 1 2 3 4 5 8 LABELS numerics)

shardstone_add_refusal(precision.unknown 2 "unknown precision 'fp7'; choose from fp32, bf16" train
                       --precision fp7)
shardstone_add_refusal(precision.scale 2 "--loss-scale 3 must be a power of two" train
                       --precision fp16 --loss-scale 3)
shardstone_add_refusal(precision.unscaled 2 "--loss-scale 2 means nothing without a --precision that scales the loss" train
                       --precision bf16 --loss-scale 2)
shardstone_add_refusal(precision.overflow 2 "--inject-overflow 1:9: there are ranks 0 to 1" train
                       --inject-overflow 1:9)
shardstone_add_refusal(precision.words 2 "--inject-overflow 'now': give STEP:RANK" train
                       --inject-overflow now)
