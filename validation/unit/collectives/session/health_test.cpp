// SPDX-License-Identifier: BSD-3-Clause
// Counters of a node's troubles, from a tree of files as the kernel's.
#include "results/record/health.hpp"

#include <gtest/gtest.h>

#include "validation/unit/reference/data/scratch_folder.hpp"

namespace shardstone::validation {
namespace {

using results::health_changes;
using results::HealthCounters;
using results::read_health;

void write_all(const ScratchFolder& root) {
    const auto put = [&](const char* name, const char* text) { root.write(name, text); };
    put("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "4\n");
    put("sys/devices/system/cpu/cpufreq/policy0", "");
    put("sys/devices/system/edac/mc/mc1/ce_count", "2\n");
    put("sys/class/net/eth0/device/vendor", "0x1\n");
    put("sys/class/net/eth0/statistics/rx_errors", "7\n");
    put("sys/class/net/eth0/statistics/rx_dropped", "100\n");
    put("sys/class/net/eth0/statistics/rx_bytes", "123456\n");
    put("sys/class/net/eth0/carrier_down_count", "1\n");
    put("sys/class/net/veth1/statistics/rx_errors", "9\n");
    put("sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error", "3\n");
    put("sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence", "11\n");
    put("sys/bus/pci/devices/0000:3b:00.0/aer_dev_correctable",
        "RxErr 1\nBadTLP 4\nTOTAL_ERR_COR 5\n");
}

HealthCounters counters_in(const ScratchFolder& root) {
    return read_health({root.path() / "proc", root.path() / "sys"});
}

TEST(Health, CountersAreReadWhereTheyAre) {
    const ScratchFolder root;
    EXPECT_TRUE(counters_in(root).empty());
    write_all(root);
    const HealthCounters expected{{"cpu0 core_throttle_count", 4},
                                  {"mc1 ce_count", 2},
                                  {"eth0 rx_errors", 7},
                                  {"eth0 rx_dropped", 100},
                                  {"eth0 carrier_down_count", 1},
                                  {"mlx5_0/1 symbol_error", 3},
                                  {"mlx5_0/1 out_of_sequence", 11},
                                  {"0000:3b:00.0 aer_dev_correctable", 5}};
    EXPECT_EQ(counters_in(root), expected);
}

/// Counters of one folder of the tree, and what their names in a record begin with.
struct Extent {
    std::string folder, whose;
    std::vector<std::string> names;
};
const std::vector<Extent> places{
    {"sys/devices/system/cpu/cpu3/thermal_throttle",
     "cpu3",
     {"core_throttle_count", "package_throttle_count"}},
    {"sys/devices/system/edac/mc/mc0", "mc0", {"ce_count", "ue_count"}},
    {"sys/class/net/eth0/statistics",
     "eth0",
     {"rx_errors", "tx_errors", "rx_crc_errors", "rx_frame_errors", "rx_dropped",
      "rx_missed_errors", "tx_dropped", "tx_carrier_errors"}},
    {"sys/class/net/eth0", "eth0", {"carrier_down_count"}},
    {"sys/class/infiniband/mlx5_0/ports/2/counters",
     "mlx5_0/2",
     {"symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors",
      "port_rcv_remote_physical_errors", "local_link_integrity_errors",
      "excessive_buffer_overrun_errors", "port_xmit_discards"}},
    {"sys/class/infiniband/mlx5_0/ports/2/hw_counters",
     "mlx5_0/2",
     {"out_of_sequence", "packet_seq_err", "local_ack_timeout_err", "rnr_nak_retry_err",
      "rx_icrc_encapsulated", "roce_adp_retrans"}},
    {"sys/bus/pci/devices/0000:3b:00.0",
     "0000:3b:00.0",
     {"aer_dev_correctable", "aer_dev_nonfatal", "aer_dev_fatal"}}};

// Every one another number, so that none is read for another.
TEST(Health, EveryCounterIsRead) {
    const ScratchFolder root;
    root.write("sys/class/net/eth0/device/vendor", "0x1\n");
    HealthCounters expected;
    std::int64_t value = 100;
    for (const Extent& place : places) {
        for (const std::string& name : place.names) {
            root.write(place.folder + "/" + name, std::to_string(++value) + "\n");
            expected[place.whose + " " + name] = value;
        }
    }
    EXPECT_EQ(counters_in(root), expected);
}

TEST(Health, ErrorsFailAndDropsAreSaid) {
    const ScratchFolder root;
    write_all(root);
    const auto before = counters_in(root);
    EXPECT_TRUE(health_changes(before, counters_in(root)).empty());
    root.write("sys/devices/system/edac/mc/mc1/ce_count", "3\n");
    root.write("sys/class/net/eth0/statistics/rx_dropped", "101\n");
    root.write("sys/devices/system/edac/mc/mc2/ce_count", "50\n");  // was not there
    const auto changes = health_changes(before, counters_in(root));
    ASSERT_EQ(changes.size(), 2U);
    EXPECT_EQ(changes[0].counter, "eth0 rx_dropped");
    EXPECT_FALSE(changes[0].fails);
    EXPECT_EQ(changes[1].counter, "mc1 ce_count");
    EXPECT_EQ(changes[1].before, 2);
    EXPECT_EQ(changes[1].after, 3);
    EXPECT_TRUE(changes[1].fails);
}

TEST(Health, EveryKindOfErrorFails) {
    for (const char* name :
         {"cpu0 core_throttle_count", "mc1 ce_count", "eth0 rx_errors", "eth0 carrier_down_count",
          "mlx5_0/1 symbol_error", "0000:3b:00.0 aer_dev_correctable"}) {
        const auto changes = health_changes({{name, 1}}, {{name, 2}});
        ASSERT_EQ(changes.size(), 1U);
        EXPECT_TRUE(changes.front().fails) << name;
    }
}

TEST(Health, WhatFailsARunIsToldInWords) {
    const nlohmann::json environment{
        {"health",
         {{{"node", "cn07"},
           {"counter", "mc0 ue_count"},
           {"before", 3},
           {"after", 9},
           {"fails", true}},
          {{"node", "cn08"}, {"counter", "a"}, {"before", 1}, {"after", 2}, {"fails", false}},
          "no change"}}};
    EXPECT_EQ(results::failed_health(environment),
              std::vector<std::string>{"cn07: mc0 ue_count went from 3 to 9"});
    EXPECT_TRUE(results::failed_health({}).empty());
    EXPECT_TRUE(results::failed_health({{"health", 7}}).empty());
}

}  // namespace
}  // namespace shardstone::validation
