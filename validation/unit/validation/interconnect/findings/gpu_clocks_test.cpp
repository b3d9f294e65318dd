// SPDX-License-Identifier: BSD-3-Clause
// Clocks of GPUs beside the ranks that are slow: each rank's own, and none where none was told.
#include "validation/interconnect/gpu_clocks.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "validation/interconnect/findings.hpp"
#include "validation/unit/validation/interconnect/findings/planted_samples.hpp"

namespace shardstone::validation {
namespace {

/// Of four ranks, of whose GPUs rank 2's multiplies slowly at a clock that heat holds down in two
/// of three readings; that of rank 3 tells nothing.
InterconnectSamples with_clocks() {
    auto samples = planted_samples();
    for (auto& place : samples.places) place.gpu = "Some at Any at 0000:0a:00.0";
    for (auto& row : samples.ranks) {
        if (row.test != "arithmetic") continue;
        row.test = "GPU product";
        if (row.rank == 2.0) row.time_s *= 1.5;
    }
    const auto read = [&](double rank, double time_s, double sm_mhz, const char* limited_by) {
        samples.gpu_readings.push_back(
            {rank, time_s, 100.0 + time_s, 300.0, sm_mhz, 60.0, limited_by});
    };
    for (const double time_s : {1.0, 2.0, 3.0}) {
        read(0.0, time_s, 1900.0 + time_s, "");
        read(1.0, time_s, 1980.0, results::limit_not_told);
        read(2.0, time_s, 1200.0 + 10.0 * time_s, time_s > 1.0 ? "heat" : "");
    }
    return samples;
}

TEST(GpuClocks, AreARowForEachRank) {
    const auto rows = gpu_use_rows(with_clocks());
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[0].model, "Some at Any");
    EXPECT_EQ(rows[0].address, "0000:0a:00.0");
    EXPECT_EQ(rows[0].sm_mhz, 1902.0);
    EXPECT_EQ(rows[2].rank, 2.0);
    EXPECT_EQ(rows[2].least_sm_mhz, 1210.0);
    EXPECT_EQ(rows[2].time_s, 2.0);
    EXPECT_EQ(rows[2].not_told, "");
    EXPECT_TRUE(std::isnan(rows[0].energy_j)) << "of other work as well";
    EXPECT_EQ(rows[0].power_w, 300.0);
    EXPECT_EQ(rows[3].readings, 0.0);
    EXPECT_EQ(rows[3].not_told, "no reading was taken");
    EXPECT_TRUE(std::isnan(rows[3].sm_mhz));
    EXPECT_TRUE(gpu_use_rows(planted_samples()).empty());
    auto silent = planted_samples();
    silent.note_unread_gpus({"", "no library", "", ""});
    EXPECT_EQ(gpu_use_rows(silent).at(1).not_told, "no library");
}

TEST(GpuClocks, AreTheSlowRanksOwn) {
    const auto gpus = gpu_use_rows(with_clocks());
    EXPECT_EQ(clock_in_words(0.0, gpus),
              " (its clock, 1902 MHz, all GPUs' median 1902 MHz, was not held down)");
    EXPECT_EQ(clock_in_words(1.0, gpus),
              " (its clock, 1980 MHz, all GPUs' median 1902 MHz, does not tell what held it down)");
    EXPECT_EQ(clock_in_words(2.0, gpus),
              " (its clock, 1220 MHz, all GPUs' median 1902 MHz, was held down by heat in 67 % of "
              "the readings)");
    EXPECT_EQ(clock_in_words(3.0, gpus), "");
    EXPECT_EQ(clock_in_words(0.0, {}), "");
    const auto found = find_in(with_clocks());
    ASSERT_EQ(found.reasons.size(), 1u);
    EXPECT_TRUE(found.reasons[0].starts_with("rank 2 on cn2, ")) << found.reasons[0];
    EXPECT_TRUE(found.reasons[0].ends_with(clock_in_words(2.0, gpus))) << found.reasons[0];
    EXPECT_EQ(found.gpus.size(), 4u);
}

TEST(GpuClocks, ThatCannotBeReadSayWhy) {
    auto samples = with_clocks();
    EXPECT_EQ(unread_gpus_in_words(gpu_use_rows(samples)),
              "Clocks of 1 of 4 GPUs are not known (rank 3: no reading was taken): nothing tells "
              "whether power or heat holds a slow one down.\n");
    samples.note_unread_gpus({"", "", "", "no library"});
    EXPECT_TRUE(unread_gpus_in_words(gpu_use_rows(samples))
                    .starts_with("Clocks of 1 of 4 GPUs are not known (rank 3: no library): "));
    for (auto& row : samples.gpu_readings) row.sm_mhz = results::not_measured;
    EXPECT_TRUE(unread_gpus_in_words(gpu_use_rows(samples))
                    .starts_with("Clocks of 4 of 4 GPUs are not known (rank 0: it tells none): "));
    EXPECT_EQ(unread_gpus_in_words({}), "");
}

}  // namespace
}  // namespace shardstone::validation
