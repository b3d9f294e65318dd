// SPDX-License-Identifier: BSD-3-Clause
// Ranks that wait for ever on purpose: watchdog.cmake holds what is said about it.
#include <gtest/gtest.h>
#include <unistd.h>

#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

TEST(Hang, OfTheLastRank) {
    while (world().rank() == world().size() - 1) pause();
}

}  // namespace
}  // namespace shardstone::validation
