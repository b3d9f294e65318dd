// SPDX-License-Identifier: BSD-3-Clause
// GPUs of nodes that differ in what is a number: by more than their tolerance, or not.
#include <gtest/gtest.h>

#include "results/inventory/asymmetries.hpp"

namespace shardstone::validation {
namespace {

using results::AsymmetryRow;
using results::Inventory;
using Numbers = std::vector<double>;

/// Two GPUs on each node, the second of them 100 MHz and 50 W below the first.
std::vector<AsymmetryRow> found_of_gpus(const Numbers& clocks_mhz, const Numbers& limits_w) {
    Inventory all;
    int node = 0;
    for (const double clock_mhz : clocks_mhz) {
        Inventory one;
        for (const double below : {0.0, 1.0}) {
            results::DeviceRow gpu;
            gpu.kind = "gpu";
            gpu.name = below > 0.0 ? "gpu1" : "gpu0";
            gpu.model = "H100";
            gpu.most_mhz = clock_mhz - 100.0 * below;
            gpu.power_limit_w = limits_w.at(static_cast<std::size_t>(node)) - 50.0 * below;
            one.devices.push_back(gpu);
        }
        add_node(node++, one, all);
    }
    return find_asymmetries(all, std::vector<std::string>(clocks_mhz.size(), "cn"));
}

// 1 %: of 1980 MHz 19.8, of 700 W 7.
TEST(GpuAsymmetries, ClocksAndPowerOfGpusAreAlikeWithinTheirTolerance) {
    EXPECT_TRUE(found_of_gpus({1980, 1985, 1980}, {700, 695, 700}).empty());
    const auto slow = found_of_gpus({1980, 1980, 1900}, {700, 700, 700});
    ASSERT_EQ(slow.size(), 1u);
    EXPECT_EQ(slow[0].subject, "highest clock");
    EXPECT_EQ(slow[0].node, 2.0);
    EXPECT_EQ(slow[0].found, "1800 MHz: gpu1; 1900 MHz: gpu0");
    EXPECT_EQ(slow[0].usual, "1880 MHz: gpu1; 1980 MHz: gpu0");
    const auto capped = found_of_gpus({1980, 1980, 1980}, {700, 650, 700});
    ASSERT_EQ(capped.size(), 1u);
    EXPECT_EQ(capped[0].subject, "power limit");
    EXPECT_EQ(capped[0].node, 1.0);
}

}  // namespace
}  // namespace shardstone::validation
