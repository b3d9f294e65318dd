// SPDX-License-Identifier: BSD-3-Clause
// What is read of a GPU while it computes, from a library that plays NVML.
#include "benchmarks/harness/gpu_meter.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace shardstone::validation {
namespace {

using benchmarks::GpuMeter;

GpuMeter meter_at(const char* address) {
    return GpuMeter(address, std::getenv("SHARDSTONE_FAKE_NVML"));
}

TEST(GpuMeter, EveryValueInItsUnit) {
    GpuMeter first = meter_at("0000:13:00.0"), second = meter_at("0000:93:00.0");
    ASSERT_EQ(first.why_none() + second.why_none(), "");
    first.read(3.5);
    second.read(4.0);
    ASSERT_EQ(first.readings().size(), 1U);
    const auto& one = first.readings().front();
    const auto& other = second.readings().front();
    EXPECT_EQ(one.time_s, 3.5);
    EXPECT_EQ(one.power_w, 690.5);
    EXPECT_EQ(one.sm_mhz, 1980.0);
    EXPECT_EQ(one.celsius, 61.0);
    EXPECT_EQ(one.limited_by, "") << "being idle holds nothing down";
    EXPECT_NEAR(one.energy_j / other.energy_j, 2.0, 1e-3) << "350 W to 700, for as long";
    EXPECT_EQ(other.limited_by, "power, heat");
}

TEST(GpuMeter, EnergyIsInJoules) {
    GpuMeter meter = meter_at("0000:13:00.0");
    meter.read(0.0);
    timespec nap{0, 200'000'000};
    nanosleep(&nap, nullptr);
    meter.read(0.2);
    const double used_j = meter.readings()[1].energy_j - meter.readings()[0].energy_j;
    EXPECT_GE(used_j, 0.199 * 700.0);
    EXPECT_LT(used_j, 20.0 * 700.0) << "or this machine stood still";
}

TEST(GpuMeter, ReadsAtItsPaceAndThinsOut) {
    GpuMeter meter = meter_at("0000:13:00.0");
    for (const double time_s : {0.0, 0.05, 0.0999, 0.1, 0.15, 0.21}) meter.lap(time_s);
    ASSERT_EQ(meter.readings().size(), 3U);
    EXPECT_EQ(meter.readings()[1].time_s, 0.1);
    EXPECT_EQ(meter.readings()[2].time_s, 0.21);
    for (std::size_t i = 3; i < GpuMeter::most_readings; ++i) {
        meter.read(static_cast<double>(i));
    }
    EXPECT_EQ(meter.readings().size(), GpuMeter::most_readings);
    meter.read(1e6);
    EXPECT_EQ(meter.readings().size(), GpuMeter::most_readings / 2 + 1);
    EXPECT_EQ(meter.readings().front().time_s, 0.0) << "energy is told from the first on";
    EXPECT_EQ(meter.readings()[1].time_s, 0.21);
    EXPECT_EQ(meter.readings().back().time_s, 1e6);
    meter.lap(1e6 + 0.15);
    EXPECT_EQ(meter.readings().size(), GpuMeter::most_readings / 2 + 1) << "half as often";
    meter.lap(1e6 + 0.25);
    EXPECT_EQ(meter.readings().size(), GpuMeter::most_readings / 2 + 2);
}

TEST(GpuMeter, SaysWhyItReadsNothing) {
    GpuMeter elsewhere = meter_at("0000:ff:00.0");
    EXPECT_TRUE(elsewhere.why_none().ends_with(" knows no GPU at 0000:ff:00.0"))
        << elsewhere.why_none();
    elsewhere.read(1.0);
    EXPECT_TRUE(elsewhere.readings().empty());
    EXPECT_TRUE(GpuMeter("0000:13:00.0", "libno-such-nvml.so.1")
                    .why_none()
                    .starts_with("libno-such-nvml.so.1: cannot open"));
}

}  // namespace
}  // namespace shardstone::validation
