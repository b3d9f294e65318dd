// SPDX-License-Identifier: BSD-3-Clause
// 128 nodes with 8 NICs: faults named in 95 % of 1,000 trials, false alarms in fewer than 1 in
// 1,000.
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "kernels/base/statistics.hpp"
#include "validation/interconnect/trials.hpp"

namespace shardstone::validation {

namespace {

/// The trials, shared out over the cores.
TrialCounts many_trials(std::span<const FaultsOfKind> faults, int count) {
    const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    std::vector<TrialCounts> parts(static_cast<std::size_t>(threads));
    {
        std::vector<std::jthread> running;
        for (int i = 0; i < threads; ++i) {
            running.emplace_back([&, i] {
                const int first = count * i / threads, next = count * (i + 1) / threads;
                parts[static_cast<std::size_t>(i)] = run_trials(faults, {}, first, next - first);
            });
        }
    }
    TrialCounts sum;
    for (const auto& part : parts) sum = sum + part;
    return sum;
}

}  // namespace

TEST(TrialsNightly, OneNicTwoCablesAndOnePortAreNamed) {
    constexpr std::array faults{
        FaultsOfKind{Culprit::nic, 1, 0.9}, FaultsOfKind{Culprit::cable_out, 1, 0.9},
        FaultsOfKind{Culprit::cable_in, 1, 0.9}, FaultsOfKind{Culprit::port_up, 1, 0.9}};
    const auto counts = many_trials(faults, 1000);
    EXPECT_GE(counts.all_right, 950);
    EXPECT_EQ(counts.false_alarms, 0);
}

TEST(TrialsNightly, HealthyClustersRaiseNoAlarm) {
    const auto counts = many_trials({}, 3000);
    // None in 3000 bounds the probability by 1 - 0.05^(1 / 3000) < 0.1 % with 95 % confidence.
    const auto seen = static_cast<std::size_t>(counts.false_alarms);
    EXPECT_LT(share_interval(seen, 3000, 0.9).high, 1e-3);
}

}  // namespace shardstone::validation
