# SPDX-License-Identifier: BSD-3-Clause
shardstone_add_test(bundle_test LABELS unit TIMEOUT 900
  SOURCES ${shardstone_test_dir}/random_changes_test.cpp
          ${shardstone_test_dir}/alterations_test.cpp ${shardstone_test_dir}/bundle_nature_test.cpp
          ${shardstone_test_dir}/bundle_archive_test.cpp ${shardstone_test_dir}/page_place_test.cpp
          ${shardstone_test_dir}/bundle_limits_test.cpp)
shardstone_knows_source_dir(${shardstone_test_dir}/bundled.cpp)
# Beside the thousand of every run.
add_test(NAME bundle_test.50000 COMMAND bundle_test --gtest_filter=BundleChanges.*)
set_tests_properties(bundle_test.50000 PROPERTIES LABELS nightly TIMEOUT 14400
                     ENVIRONMENT SHARDSTONE_BUNDLE_CHANGES=50000)
shardstone_add_test(bundle_command_test LABELS unit TIMEOUT 300
  SOURCES ${shardstone_test_dir}/bundle_command_test.cpp
  ENVIRONMENT "SHARDSTONE_BINARY=$<TARGET_FILE:shardstone>")
add_dependencies(bundle_command_test shardstone)
shardstone_knows_source_dir(${shardstone_test_dir}/bundle_command_test.cpp)
