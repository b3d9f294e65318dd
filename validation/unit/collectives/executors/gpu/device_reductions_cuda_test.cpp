// SPDX-License-Identifier: BSD-3-Clause
// What calibrate times as reductions between GPUs: so many kernels, and their end.
#include <gtest/gtest.h>

#include "collectives/device/reductions.hpp"
#include "validation/emulated_device/counters.hpp"

namespace shardstone::validation {
namespace {

TEST(DeviceReductions, AreDoneAsOftenAsWasAsked) {
    const auto reduce = collectives::DeviceReductions::function()(
        ElementType::fp32, collectives::Reduction::sum, 1024);
    for (const int times : {1, 3}) {
        emulated::counters() = {};
        reduce(times);
        EXPECT_EQ(emulated::counters().launches, times);
        EXPECT_EQ(emulated::counters().kernels_run, times) << "it has waited for them";
    }
}

}  // namespace
}  // namespace shardstone::validation
