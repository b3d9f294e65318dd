// SPDX-License-Identifier: BSD-3-Clause
// What is taken from NVIDIA's management library, played by a library of our own.
#include "results/inventory/nvml.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>

#include "results/inventory/gpus.hpp"
#include "results/inventory/inventory.hpp"
#include "results/inventory/nvml_functions.hpp"
#include "validation/unit/results/planted_machine.hpp"

namespace shardstone::validation {
namespace {

using results::NvmlReading;

// nvml.h has these sizes on 64-bit machines.
static_assert(sizeof(results::nvml::PciInfo) == 68);
static_assert(sizeof(results::nvml::Memory) == 24);
static_assert(sizeof(results::nvml::FieldValue) == 40);

NvmlReading fake() {
    return results::read_nvml(std::getenv("SHARDSTONE_FAKE_NVML"));
}

TEST(Nvml, EveryValueInItsUnit) {
    const NvmlReading reading = fake();
    ASSERT_EQ(reading.why_none, "");
    ASSERT_EQ(reading.gpus.size(), 2u);
    EXPECT_EQ(reading.driver, "550.54.15");
    const auto& row = reading.gpus[0].row;
    EXPECT_EQ(row.model, "NVIDIA H100 80GB HBM3");
    EXPECT_EQ(row.address, "0000:13:00.0");
    EXPECT_EQ(row.memory_bytes, 80 * 0x1p30);
    EXPECT_NEAR(row.memory_rate_gb_s, 3352.0, 1.0) << "3.35 TB/s: NVIDIA's H100 data sheet";
    EXPECT_EQ(row.most_mhz, 1980.0);
    EXPECT_EQ(row.power_limit_w, 700.0);
    EXPECT_EQ(row.settings, "ECC on, MIG off, persistence on");
    EXPECT_EQ(row.firmware, "96.00.30.00.01");
    EXPECT_EQ(row.links, 17.0);
    EXPECT_EQ(row.links_down, 1.0);
    EXPECT_EQ(row.link_rate_gb_s, 26.562);
    EXPECT_EQ(reading.gpus[0].corrected_errors, 37.0);
    EXPECT_EQ(reading.gpus[0].uncorrected_errors, 0.0);
}

TEST(Nvml, WhatAGpuDoesNotSupportIsLeftOut) {
    const results::DeviceRow row = fake().gpus.at(1).row;
    EXPECT_EQ(row.settings, "ECC on, persistence on");
    EXPECT_EQ(row.links, 0.0);
    EXPECT_TRUE(std::isnan(row.link_rate_gb_s));
}

std::string fact_of_nvml(const results::Inventory& all) {
    for (const auto& fact : all.facts) {
        if (fact.subject == "NVML") return fact.text;
    }
    return "no such fact";
}

TEST(Nvml, JoinsWhatPcieShows) {
    const PlantedMachine machine(
        std::filesystem::temp_directory_path() / ("nvml-" + std::to_string(::getpid())), "cn07");
    machine.write(planted_gpu0 + std::string("current_link_width"), "4\n");
    const auto all =
        results::take_inventory({machine.files(), std::getenv("SHARDSTONE_FAKE_NVML")});
    ASSERT_EQ(all.devices.size(), 5u) << "no GPU twice";
    EXPECT_EQ(all.devices[0].name, "gpu0");
    EXPECT_EQ(all.devices[0].model, "NVIDIA H100 80GB HBM3");
    EXPECT_EQ(all.devices[0].pcie_width, 4.0);
    EXPECT_EQ(all.devices[0].numa_node, 0.0);
    EXPECT_EQ(all.links[0].to, "gpu1");
    EXPECT_EQ(all.links[0].path, "SYS") << "the second GPU has no NVLinks";
    const auto is_error = [](const auto& fact) {
        return fact.subject == "0000:13:00.0 gpu_corrected" && fact.number == 37.0;
    };
    EXPECT_TRUE(std::ranges::any_of(all.facts, is_error));
    EXPECT_EQ(fact_of_nvml(all), "550.54.15");
    const auto without = results::take_inventory({machine.files(), "libno-such-nvml.so.1"});
    EXPECT_TRUE(fact_of_nvml(without).starts_with("libno-such-nvml.so.1: cannot open"));
    EXPECT_EQ(without.devices.size(), 5u) << "PCIe shows the GPUs by itself";
}

TEST(Nvml, NvlinksBetweenGpusAddUp) {
    results::DeviceRow one;
    one.kind = "gpu";
    one.name = "gpu0";
    one.links = 17.0;
    one.link_rate_gb_s = 26.0;
    results::DeviceRow other = one;
    other.name = "gpu1";
    other.links = 18.0;
    const auto links = results::links_between({one, other}, {}, {});
    ASSERT_EQ(links.size(), 1u);
    EXPECT_EQ(links[0].path, "NVLink");
    EXPECT_EQ(links[0].rate_gb_s, 17.0 * 26.0);
}

TEST(Nvml, WithoutTheLibraryItSaysWhy) {
    const NvmlReading absent = results::read_nvml("libno-such-nvml.so.1");
    EXPECT_TRUE(absent.gpus.empty());
    EXPECT_NE(absent.why_none.find("libno-such-nvml.so.1"), std::string::npos);
    const NvmlReading other = results::read_nvml("libm.so.6");
    EXPECT_EQ(other.why_none, "libm.so.6 lacks functions of NVML");
}

}  // namespace
}  // namespace shardstone::validation
