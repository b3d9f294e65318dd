// SPDX-License-Identifier: BSD-3-Clause
// Acceptance files: what they say is what holds, and nonsense is refused by name.
#include "validation/interconnect/acceptance_file.hpp"

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"

namespace shardstone::validation {
namespace {

std::string limit(const std::string& quantity, const std::string& statistic,
                  const std::string& rest) {
    return "[[limit]]\nquantity = '" + quantity + "'\nstatistic = '" + statistic + "'\n" + rest +
           "\n";
}

std::string refusal(const std::string& text) {
    try {
        parse_acceptance(text, "pod.toml");
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

TEST(AcceptanceFile, IsReadAsItSays) {
    const auto limits =
        parse_acceptance(limit("rate between nodes", "median",
                               "size = '4M'\nlimit = 48.5\nunit = 'GB/s'\n"
                               "source = 'port x 97 %'") +
                             limit("wake-up delay", "p90", "limit = 200\nunit = 'us'"),
                         "pod.toml");
    ASSERT_EQ(limits.size(), 2u);
    EXPECT_EQ(limits[0].quantity, "rate between nodes");
    EXPECT_EQ(limits[0].size_bytes, 4 << 20);
    EXPECT_EQ(limits[0].limit, 48.5);
    EXPECT_EQ(limits[0].unit, "GB/s");
    EXPECT_TRUE(limits[0].at_least);
    EXPECT_EQ(limits[1].statistic, "p90");
    EXPECT_EQ(limits[1].size_bytes, -1);
    EXPECT_FALSE(limits[1].at_least);
}

TEST(AcceptanceFile, TwoLimitsOnTheSameAreRefused) {
    const std::string first =
        limit("rate between nodes", "median", "size = '4M'\nlimit = 48.5\nunit = 'GB/s'");
    const std::string other =
        limit("wake-up delay", "p90", "limit = 200\nunit = 'us'") +
        limit("rate between nodes", "median", "size = '4096K'\nlimit = 100\nunit = 'Gbit/s'");
    EXPECT_EQ(refusal(first + other),
              "pod.toml: limits 1 and 3 are both on the median of 'rate between nodes' of 4 MiB: "
              "48.5 GB/s and 100 Gbit/s: give one");
    EXPECT_EQ(refusal(first + limit("rate between nodes", "median",
                                    "size = '8M'\nlimit = 48.5\nunit = 'GB/s'")),
              "accepted");
    EXPECT_EQ(refusal(first +
                      limit("rate between nodes", "p10", "size = '4M'\nlimit = 40\nunit = 'GB/s'")),
              "accepted");
}

TEST(AcceptanceFile, UnitsConvertWhatIsMeasured) {
    const auto& rate = find_quantity("rate between nodes");
    const auto& latency = find_quantity("latency between nodes");
    EXPECT_DOUBLE_EQ(in_unit(0.125, rate, "Mbit/s"), 1000.0);
    EXPECT_DOUBLE_EQ(in_unit(0.125, rate, "Gbit/s"), 1.0);
    EXPECT_DOUBLE_EQ(in_unit(0.125, rate, "MB/s"), 125.0);
    EXPECT_DOUBLE_EQ(in_unit(2e-6, latency, "us"), 2.0);
    EXPECT_DOUBLE_EQ(in_unit(2e-6, latency, "ms"), 2e-3);
}

TEST(AcceptanceFile, NonsenseIsRefusedByName) {
    const std::string rest = "size = '4M'\nlimit = 1\nunit = 'GB/s'";
    const auto expect = [](const std::string& text, const std::string& words) {
        const std::string said = refusal(text);
        EXPECT_TRUE(said.starts_with("pod.toml") && said.find(words) != std::string::npos) << said;
    };
    expect("", "no limits");
    expect(limit("speed", "median", rest), "'speed': choose one of rate between nodes");
    expect(limit("rate between nodes", "best", rest), "best");
    expect(limit("rate between nodes", "median", "size = '4M'\nlimit = 1\nunit = 'us'"),
           "unit 'us' of 'rate between nodes': choose one of GB/s, MB/s");
    expect(limit("rate between nodes", "median", "limit = 1\nunit = 'GB/s'"), "size");
    expect(limit("rate between nodes", "median", "size = '9'\nlimit = 1\nunit = 'GB/s'"),
           "multiple of 8");
    expect(limit("wake-up delay", "median", "size = '8'\nlimit = 1\nunit = 'us'"), "no size");
    expect(limit("rate between nodes", "median", rest + "\nlimits = 2"), "limits");
    expect(limit("rate between nodes", "median", "size = '4M'\nlimit = -1\nunit = 'GB/s'"), "-1");
    expect(limit("rate between nodes", "median", "size = '4M'\nlimit = 0\nunit = 'GB/s'"),
           "limit = 0: give a rate above 0");
    EXPECT_EQ(refusal(limit("clock offset", "median", "limit = 0\nunit = 's'")), "accepted");
}

}  // namespace
}  // namespace shardstone::validation
