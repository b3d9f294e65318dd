// SPDX-License-Identifier: BSD-3-Clause
// Speed and time as `shardstone train` prints and records them, worked out again from its samples.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <regex>
#include <string>

#include "kernels/roofline/roofline.hpp"
#include "reference/model/gpt_config.hpp"
#include "results/format/atomic_file.hpp"
#include "validation/unit/jobs/command/recorded_run.hpp"

namespace shardstone::validation {
namespace {

const std::vector<std::string> phases{"compute_s", "communication_s", "data_s", "optimizer_s",
                                      "preempted_s"};

int usable_cores() {
    cpu_set_t cores;
    return sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

/// The longest rank of every step, from what the ranks measured.
std::vector<double> step_times(const results::Record& record, int ranks) {
    const auto& all = column(record, "rank_steps", "time_s");
    std::vector<double> longest;
    for (std::size_t i = 0; i < all.size(); i += static_cast<std::size_t>(ranks)) {
        longest.push_back(*std::max_element(all.begin() + static_cast<std::ptrdiff_t>(i),
                                            all.begin() + static_cast<std::ptrdiff_t>(i) + ranks));
    }
    return longest;
}

/// The rule in words: from the second step on, the first five steps of which the median of the next
/// five lies among them, and theirs among the next five; half of the steps at most.
std::size_t warmup_in(const std::vector<double>& times) {
    const auto five = [&](std::size_t i) {
        const auto begin = times.begin() + static_cast<std::ptrdiff_t>(i);
        return std::vector<double>(begin, begin + 5);
    };
    const auto holds = [](const std::vector<double>& window, double value) {
        return std::ranges::min(window) <= value && value <= std::ranges::max(window);
    };
    for (std::size_t i = 1; i <= times.size() / 2; ++i) {
        if (holds(five(i), middle_of(five(i + 5))) && holds(five(i + 5), middle_of(five(i)))) {
            return i;
        }
    }
    return times.size() / 2;
}

/// P(fewer than `below` of `count` fair coins show heads).
double tail_of_coins(std::size_t count, std::size_t below) {
    double probability = 0.0;
    for (std::size_t heads = 0; heads < below; ++heads) {
        const auto n = static_cast<double>(count), k = static_cast<double>(heads);
        probability += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) -
                                n * std::log(2.0));
    }
    return probability;
}

TEST(TrainSpeed, IsTheMedianStepOfAllRanksAfterTheWarmUp) {
    const RecordedRun run(2, "train --model nano --global-batch 6 --sequence 48 --steps 40");
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    const auto record = run.record();
    const auto times = step_times(record, 2);
    ASSERT_EQ(times.size(), 40U);
    EXPECT_EQ(times, column(record, "steps", "time_s"));
    EXPECT_NE(column(record, "rank_steps", "time_s")[0], column(record, "rank_steps", "time_s")[1]);

    for (std::size_t i = 0; i < 2 * times.size(); ++i) {
        double parts_s = 0.0;
        for (const auto& phase : phases) parts_s += column(record, "rank_steps", phase)[i];
        EXPECT_NEAR(parts_s, column(record, "rank_steps", "time_s")[i], 1e-9) << "row " << i;
        EXPECT_EQ(column(record, "rank_steps", "step")[i], static_cast<double>(i / 2 + 1));
        EXPECT_EQ(column(record, "rank_steps", "rank")[i], static_cast<double>(i % 2));
    }
    const std::size_t warmup = warmup_in(times);
    const std::vector<double> counted(times.begin() + static_cast<std::ptrdiff_t>(warmup),
                                      times.end());
    EXPECT_EQ(single(record, "summary", "uncounted_steps"), static_cast<double>(warmup));
    EXPECT_EQ(single(record, "summary", "counted_steps"), static_cast<double>(counted.size()));
    const double tokens = 6.0 * 48.0;  // of both ranks together
    EXPECT_DOUBLE_EQ(single(record, "summary", "tokens_per_s"), tokens / middle_of(counted));
    EXPECT_NEAR(run.printed("speed "), tokens / middle_of(counted), 0.5);

    auto sorted = counted;
    std::ranges::sort(sorted);
    std::size_t cut = 0;
    while (tail_of_coins(sorted.size(), cut + 1) <= 0.025) ++cut;
    ASSERT_GT(cut, 0U);
    EXPECT_DOUBLE_EQ(single(record, "summary", "tokens_per_s_high"), tokens / sorted[cut - 1]);
    EXPECT_DOUBLE_EQ(single(record, "summary", "tokens_per_s_low"),
                     tokens / sorted[sorted.size() - cut]);
    EXPECT_NEAR(run.printed("(95 % interval "), tokens / sorted[sorted.size() - cut], 0.5);
}

TEST(TrainSpeed, MfuIsAShareOfTheCoresInUse) {
    for (const int ranks : {1, 2, 4}) {
        const RecordedRun run(ranks,
                              "train --model nano --global-batch 4 --sequence 48 --steps 12");
        ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
        const auto record = run.record();
        const int cores = std::min(ranks, usable_cores());
        EXPECT_EQ(single(record, "summary", "busy_cores"), cores);
        const auto model = reference::gpt_preset("nano");
        const double flop = reference::training_flop_per_token(model, 48) * 4.0 * 48.0;
        const double peak = cores * single(record, "summary", "core_peak_flop_per_s");
        const double rate = flop / single(record, "summary", "step_s");
        EXPECT_NEAR(single(record, "summary", "mfu"), rate / peak, 1e-12);
        const std::string out = run.output();
        std::smatch said;
        ASSERT_TRUE(std::regex_search(out, said, std::regex(R"(, ([0-9.]+) ([MGT])FLOP/s, MFU )")))
            << out;
        const std::map<std::string, double> units{{"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
        EXPECT_NEAR(std::stod(said[1]) * units.at(said[2]) / rate, 1.0, 0.006) << out;
        EXPECT_NEAR(run.printed("FLOP/s, MFU "), 100.0 * rate / peak, 0.06) << run.output();
        EXPECT_EQ(record.table("summary").column("peak_arithmetic").texts.at(0),
                  "FP32 multiply-adds");
        EXPECT_GT(peak, 1e9);
    }
}

TEST(TrainSpeed, Bf16IsAShareOfTheMatrixUnit) {
    const auto unit_flop_s = measured_matrix_unit_flop_s();
    if (!unit_flop_s) GTEST_SKIP() << "this processor has no matrix unit (AMX)";
    const RecordedRun run(1, "train --model nano --global-batch 4 --steps 2 --precision bf16");
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    const auto record = run.record();
    EXPECT_EQ(record.table("summary").column("peak_arithmetic").texts.at(0), "BF16 matrix tiles");
    EXPECT_GT(single(record, "summary", "core_peak_flop_per_s"), 0.5 * *unit_flop_s);
}

/// What a rank's passes took, in the trace, in seconds: they are marked in microseconds.
double passes_in_trace_s(const nlohmann::json& trace) {
    double total_us = 0.0;
    for (const auto& event : trace) {
        const std::string kind = event.value("cat", "");
        if (kind == "forward" || kind == "backward") total_us += event.at("dur").get<double>();
    }
    return 1e-6 * total_us;
}

// One rank waits for nobody: nearly all is passes, and what they took stands in the trace as well.
TEST(TrainTime, ComputeIsWhatThePassesTake) {
    const TemporaryFolder folder;
    const auto path = folder / "trace.json";
    const RecordedRun run(
        1, "train --model tiny --global-batch 4 --sequence 64 --steps 12 --trace " + path.string());
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    const auto record = run.record();
    std::vector<double> sums;
    for (const auto& phase : phases) {
        const auto& all = column(record, "rank_steps", phase);
        sums.push_back(std::accumulate(all.begin(), all.end(), 0.0));
    }
    EXPECT_GT(sums[0], 10.0 * sums[1]) << "compute against exposed communication";
    EXPECT_GT(sums[0], sums[3]) << "compute against the optimizer";
    const double passes_s = passes_in_trace_s(nlohmann::json::parse(results::read_file(path)));
    EXPECT_LE(sums[0] * 0.8, passes_s);
    EXPECT_GE(sums[0] + sums[2] + sums[4], passes_s * 0.8);
}

TEST(TrainTime, TheTraceIsInMicroseconds) {
    const TemporaryFolder folder;
    const auto path = folder / "trace.json";
    const RecordedRun run(2,
                          "train --model nano --global-batch 4 --steps 10 --eval-sequences 0 "
                          "--trace " +
                              path.string());
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    double first_us = INFINITY, last_us = 0.0;
    for (const auto& event : nlohmann::json::parse(results::read_file(path))) {
        if (!event.contains("ts")) continue;
        first_us = std::min(first_us, event.at("ts").get<double>());
        last_us = std::max(last_us, event.at("ts").get<double>() + event.value("dur", 0.0));
    }
    const auto times = step_times(run.record(), 2);
    const double steps_us = 1e6 * std::accumulate(times.begin(), times.end(), 0.0);
    EXPECT_GT(last_us - first_us, 0.3 * steps_us);
    EXPECT_LT(last_us - first_us, 3.0 * steps_us);
    EXPECT_LE(last_us, 1e6 * single(run.record(), "summary", "duration_s"));
}

// The figures differ from each other, so that each can only be in its own place.
TEST(TrainTime, SharesArePrintedAndRecordedAsTheRanksMeasuredThem) {
    const RecordedRun run(2, "train --model tiny --global-batch 4 --sequence 64 --steps 20");
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    const auto record = run.record();
    const auto first = static_cast<std::size_t>(single(record, "summary", "uncounted_steps"));
    double total_s = 0.0;
    std::vector<double> means;
    for (const auto& phase : phases) {
        const auto& all = column(record, "rank_steps", phase);
        const double sum =
            std::accumulate(all.begin() + 2 * static_cast<std::ptrdiff_t>(first), all.end(), 0.0);
        means.push_back(sum / 2.0);
        total_s += sum / 2.0;
        EXPECT_NEAR(single(record, "summary", phase), sum / 2.0, 1e-9 * total_s) << phase;
    }
    EXPECT_NEAR(run.printed("time                 compute "), 100 * means[0] / total_s, 0.06);
    EXPECT_NEAR(run.printed("exposed communication "), 100 * means[1] / total_s, 0.06);
    EXPECT_NEAR(run.printed(" %, data "), 100 * means[2] / total_s, 0.06);
    EXPECT_NEAR(run.printed(" %, optimizer "), 100 * means[3] / total_s, 0.06);
    EXPECT_NEAR(run.printed(" %, preempted "), 100 * means[4] / total_s, 0.06);
    EXPECT_GT(means[0], means[2]) << "compute against data";
}

// Eight ranks that take turns on two cores compute for a quarter of the time at most.
TEST(TrainTime, RanksDoNotComputeMoreThanTheirCoresCan) {
    constexpr int ranks = 8;
    const RecordedRun run(ranks, "train --model nano --global-batch 16 --steps 12");
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    const auto record = run.record();
    const int cores = std::min(ranks, usable_cores());
    double busy_s = 0.0, wall_s = 0.0;
    for (const char* phase : {"compute_s", "data_s", "optimizer_s"}) {
        for (const double time_s : column(record, "rank_steps", phase)) busy_s += time_s;
    }
    for (const double time_s : column(record, "rank_steps", "time_s")) wall_s += time_s / ranks;
    EXPECT_LE(busy_s, 1.01 * cores * single(record, "summary", "duration_s"));
    EXPECT_LE(busy_s / ranks / wall_s, 1.1 * cores / ranks) << run.output();
}

}  // namespace
}  // namespace shardstone::validation
