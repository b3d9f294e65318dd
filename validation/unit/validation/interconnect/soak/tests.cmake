# SPDX-License-Identifier: BSD-3-Clause
# A soak's passes, and the times in them at which something was slow, silent or wrong.
shardstone_add_test(interconnect_soak_test LABELS unit
  SOURCES ${shardstone_test_dir}/spells_test.cpp ${shardstone_test_dir}/episodes_test.cpp
          ${shardstone_test_dir}/soak_sums_test.cpp ${shardstone_test_dir}/silent_links_test.cpp
          ${shardstone_test_dir}/soak_subjects_test.cpp)
