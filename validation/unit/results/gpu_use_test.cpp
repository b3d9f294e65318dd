// SPDX-License-Identifier: BSD-3-Clause
// Figures of a GPU from its readings, in words, in the report, and held against the readings again.
#include "results/schema/gpu_use.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "results/recompute/recompute.hpp"
#include "results/report/section.hpp"
#include "results/schema/gpu_use_in_words.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

/// 4 s at 500 W, whatever the readings of power; once held down by power and heat, once by heat.
std::vector<GpuReadingRow> readings_of(double rank) {
    return {{rank, 0.0, 1000.0, 100.0, 1980.0, 50.0, ""},
            {rank, 1.0, 1400.0, 200.0, 1700.0, 71.0, "power, heat"},
            {rank, 2.0, 2100.0, 600.0, 1900.0, 70.0, ""},
            {rank, 4.0, 3000.0, 500.0, 1800.0, 65.0, "heat"}};
}

GpuUseRow named(GpuUseRow use, double rank) {
    use.rank = rank;
    use.model = "a GPU";
    use.address = "0000:13:00.0";
    return use;
}

TEST(GpuUse, IsThatOfItsReadings) {
    const GpuUseRow use = use_of(readings_of(2.0));
    EXPECT_EQ(use.readings, 4.0);
    EXPECT_EQ(use.time_s, 4.0);
    EXPECT_EQ(use.energy_j, 2000.0);
    EXPECT_EQ(use.power_w, 500.0);
    EXPECT_EQ(use.sm_mhz, 1850.0);
    EXPECT_EQ(use.least_sm_mhz, 1700.0);
    EXPECT_EQ(use.most_celsius, 71.0);
    EXPECT_EQ(use.limited_share, 0.5);
    EXPECT_EQ(use.limited_by, "heat, power");
    const GpuUseRow none = use_of({});
    EXPECT_EQ(none.readings, 0.0);
    EXPECT_TRUE(std::isnan(none.energy_j) && std::isnan(none.power_w) &&
                std::isnan(none.limited_share));
}

TEST(GpuUse, PowerIsThatOfTheReadingsWhereNoEnergyIsCounted) {
    auto readings = readings_of(0.0);
    for (auto& row : readings) row.energy_j = not_measured;
    const GpuUseRow use = use_of(readings);
    EXPECT_TRUE(std::isnan(use.energy_j));
    EXPECT_EQ(use.power_w, 350.0);
    EXPECT_EQ(energy_in_words({use}, 1.0),
              "not counted; 350 W of 1 GPU in the mean of the readings");
}

TEST(GpuUse, WhatHoldsClocksDownIsNotMadeUp) {
    auto readings = readings_of(0.0);
    readings[3].limited_by = limit_not_told;
    const GpuUseRow use = named(use_of(readings), 0.0);
    EXPECT_TRUE(std::isnan(use.limited_share));
    EXPECT_EQ(use.limited_by, "");
    EXPECT_EQ(clocks_in_words({use}),
              "1850 MHz (median; 1700 at least, of rank 0), 71 degC at most");
}

TEST(GpuUse, WordsHaveTheFiguresOfAllGpus) {
    auto slower = named(use_of(readings_of(1.0)), 1.0);
    slower.least_sm_mhz = 1200.0;
    slower.sm_mhz = 1500.0;
    slower.limited_share = 0.25;
    slower.energy_j = 1000.0;
    slower.power_w = 250.0;
    auto hotter = named(use_of(readings_of(0.0)), 0.0);
    EXPECT_EQ(
        energy_in_words({hotter, slower}, 2e6),
        "1.5 mJ per token: 750 W of 2 GPUs over 4.00 s, first steps and evaluations included");
    EXPECT_EQ(energy_in_words({hotter, slower}, 1.5),
              "2 kJ per token: 750 W of 2 GPUs over 4.00 s, first steps and evaluations included");
    EXPECT_EQ(clocks_in_words({hotter, slower}),
              "1500 MHz (median; 1200 at least, of rank 1), 71 degC at most; held down by heat, "
              "power in 50 % of the readings of rank 0");
    hotter.power_w = 749.7;
    EXPECT_TRUE(energy_in_words({hotter, slower}, 2e6).find(": 1 kW of 2") != std::string::npos);
    slower.limited_share = hotter.limited_share = 0.0;
    EXPECT_TRUE(clocks_in_words({hotter, slower}).ends_with("; nothing held it down"));
    slower.time_s = 1.9;
    EXPECT_EQ(energy_in_words({hotter, slower}, 2e6),
              "not told: 1.90 s are too short for counters that are renewed every 0.1 s");
    GpuUseRow silent = named(use_of({}), 3.0);
    silent.not_told = "no library";
    EXPECT_EQ(energy_in_words({hotter, silent}, 2e6), "not told by the GPU of rank 3: no library");
    EXPECT_EQ(clocks_in_words({silent}), "");
}

Record training_on_gpus() {
    Record record = written_training({.plan = "dp=2", .ranks = 2, .tokens_per_s = 900.0});
    record.configuration["device"] = "cuda";
    numbers_of(record, "summary", "tokens_per_step")[0] = 96.0;
    auto readings = readings_of(0.0);
    for (auto& row : readings_of(1.0)) readings.push_back(row);
    record.samples.push_back(table_of(readings));
    record.derived.push_back(table_of(
        std::vector{named(use_of(readings_of(0.0)), 0.0), named(use_of(readings_of(1.0)), 1.0)}));
    return record;
}

TEST(GpuUse, WordsHaveTheMemoryOfTheFullest) {
    GpuUseRow one = named(use_of({}), 0.0), other = named(use_of({}), 1.0);
    one.trainer_bytes = 3 * 0x1p30;
    one.scratch_bytes = 32 * 0x1p20;
    one.libraries_bytes = 400 * 0x1p20;
    one.before_bytes = 600 * 0x1p20;
    one.memory_bytes = other.memory_bytes = 80 * 0x1p30;
    other.trainer_bytes = 2 * 0x1p30;
    other.scratch_bytes = other.before_bytes = 0.0;
    other.libraries_bytes = 2 * 0x1p30;
    EXPECT_EQ(memory_in_words({other, one}),
              "3 GiB by the trainer, 32 MiB scratch, 400 MiB by libraries and others since, 600 "
              "MiB before, of "
              "80 GiB (rank 0)");
    other.before_bytes = 0x1p30;
    EXPECT_EQ(memory_in_words({other, one}),
              "2 GiB by the trainer, 0 B scratch, 2 GiB by libraries and others since, 1 GiB "
              "before, of 80 GiB "
              "(rank 1)");
}

TEST(GpuUse, TheReportTellsEnergyPerTokenOfAllSteps) {
    const Record record = training_on_gpus();
    const auto section = gpus_section(as_sources({record}));
    // 4000 J for twice 96 tokens.
    EXPECT_EQ(
        sentences_of(section),
        (std::vector<std::string>{
            "Energy of training 'nano, fp32, dp=2, cuda': 20.8 J per token: 1 kW of 2 GPUs over "
            "4.00 s, first steps and evaluations included.",
            "Clock of multiprocessors in training 'nano, fp32, dp=2, cuda': 1850 MHz (median; 1700 "
            "at least, of rank 0), 71 degC at most; held down by heat, power in 50 % of the "
            "readings of rank 0."}));
    EXPECT_NE(section->body.find(">0000:13:00.0</td>"), std::string::npos) << section->body;
    EXPECT_FALSE(gpus_section(as_sources({written_training({.plan = "dp=1"})})));
}

TEST(GpuUse, IsHeldAgainstItsReadings) {
    const Record right = training_on_gpus();
    const std::size_t before = recompute(right).wrong.size();
    for (const char* column : {"readings", "time_s", "energy_j", "power_w", "sm_mhz",
                               "least_sm_mhz", "most_celsius", "limited_share"}) {
        Record record = right;
        numbers_of(record, "gpu_use", column)[1] *= 1.5;
        EXPECT_EQ(recompute(record).wrong.size(), before + 1) << column;
    }
    Record record = right;
    for (auto& column : record.samples.back().columns) {
        if (column.name == "energy_j") column.numbers[3] += 1.0;
    }
    EXPECT_EQ(recompute(record).wrong.size(), before + 2) << "energy and power of rank 0";
}

}  // namespace
}  // namespace shardstone::validation
