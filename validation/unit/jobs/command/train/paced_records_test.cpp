// SPDX-License-Identifier: BSD-3-Clause
// Paced `overlap` and `study pipeline` say so in record, on the screen and in the report, and claim
// nothing of what was not computed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "results/format/atomic_file.hpp"
#include "results/format/record_files.hpp"
#include "results/report/unbroken.hpp"
#include "validation/unit/jobs/command/recorded_run.hpp"

namespace shardstone::validation {
namespace {

using results::Record;

const std::string words =
    "100 GFLOP/s and 3 GB/s of memory on each rank, computations take only time";
const std::string overlap_line = "overlap --model nano --global-batch 4 --rounds 6";
const std::string study_line =
    "study pipeline --schedules naive,1f1b --micro-batches 2 --steps 6 --warmup 2 --layers 3";
const std::string pace = " --pace 100 --pace-memory 3";

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

void expect_marked(const RecordedRun& run, const std::string& title) {
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    EXPECT_TRUE(has(run.output(), "PACED    " + words + "; messages are real")) << run.output();
    EXPECT_TRUE(has(run.output(), "; predicted: steps of up to ")) << run.output();
    const Record& record = run.record();
    EXPECT_EQ(record.identity.at("title"), title + ", paced: " + words);
    EXPECT_EQ(record.configuration.at("pace_gflop_per_s"), 100.0);
    EXPECT_EQ(record.configuration.at("pace_memory_gb_per_s"), 3.0);
}

std::vector<std::string> checks_of(const Record& record) {
    std::vector<std::string> names;
    for (const auto& check : record.verification) names.push_back(check.name);
    // Where the machine was busy this one is left out, paced or not.
    std::erase(names, "no more is hidden than could be");
    return names;
}

TEST(PacedRecords, OverlapSaysSoAndComparesNothingThatWasNotComputed) {
    const RecordedRun paced(3, "overlap --model nano --global-batch 6 --rounds 6" + pace);
    expect_marked(paced, "Overlap of communication, model nano");
    EXPECT_EQ(checks_of(paced.record()),
              std::vector<std::string>{"bytes sent equal the step program's"});
    EXPECT_FALSE(has(paced.output(), "bitwise")) << paced.output();
    // Under "preempted", of whose absence the ranks, which sleep, know nothing.
    EXPECT_TRUE(std::regex_search(paced.output(), std::regex("\\napart .* -\\n")))
        << paced.output();
}

TEST(PacedRecords, StudyOfPipelinesSaysSoAndComparesNoLosses) {
    const RecordedRun paced(3, study_line + pace);
    expect_marked(paced, "Utilisation of pipeline schedules");
    EXPECT_EQ(checks_of(paced.record()),
              std::vector<std::string>{"virtual time is within 5 % of the formula"});
    EXPECT_FALSE(has(paced.output(), "losses")) << paced.output();
}

/// 0 where it is not said.
double said(const std::string& text, const std::string& words) {
    std::smatch found;
    return std::regex_search(text, found, std::regex(words)) ? std::stod(found[1]) : 0.0;
}

// Twice two steps that warm up what has neither caches nor a clock, and six that count, of one
// kind.
TEST(PacedRecords, StudyOfPipelinesSaysHowLongItTakesInAll) {
    const RecordedRun paced(2,
                            "study pipeline --schedules naive --micro-batches 2,2 --steps 6 "
                            "--warmup 9 --layers 3" +
                                pace);
    ASSERT_EQ(paced.code(), 0) << paced.errors() << paced.output();
    const double step_ms = said(paced.output(), "steps of up to ([0-9.]+) ms, ");
    EXPECT_GT(step_ms, 0.0) << paced.output();
    EXPECT_NEAR(said(paced.output(), ", ([0-9.]+) s in all, up to 3 times that where "),
                0.016 * step_ms, 0.01 * 0.016 * step_ms)
        << paced.output();
    const auto& warmup = paced.record().table("utilisation").column("warmup_steps").numbers;
    EXPECT_EQ(warmup, (std::vector<double>{2.0, 2.0}));
}

/// As a user has it, beside the paced one in a report.
TEST(PacedRecords, ReportsTellThemFromComputedOnes) {
    const TemporaryFolder folder;
    const auto run = [&](const std::string& line, const std::string& name) {
        return fmt::format("mpiexec -n 2 {} {} --json {}.json && ", shardstone_binary(), line,
                           name);
    };
    const auto outcome = run_shell(
        fmt::format("cd {} && {}{}{}{}{} report a.json b.json c.json d.json",
                    folder.path().string(), run(overlap_line, "a"), run(overlap_line + pace, "b"),
                    run(study_line, "c"), run(study_line + pace, "d"), shardstone_binary()),
        folder);
    ASSERT_EQ(outcome.code, 0) << outcome.errors << outcome.output;
    const std::string mark = " (paced 100 GFLOP/s, 3 GB/s)";
    const std::string page = results::with_plain_blanks(results::read_file(folder / "report.html"));
    for (const std::string& note : {std::string(), mark}) {
        EXPECT_TRUE(has(outcome.output, "Overlap on 2 ranks" + note + ": the share of"));
        EXPECT_TRUE(has(outcome.output, "The pipeline" + note + " computes for at most"));
        for (const char* title : {"Medians over the rounds", "Every round", "Every step",
                                  "Utilisation by schedule", "Time of a step, round by round",
                                  "Share of its time in which the pipeline computes"}) {
            EXPECT_TRUE(has(page, title + note + "<") || has(page, title + note + " <") ||
                        has(page, title + note + "\""))
                << title << note;
        }
    }
    EXPECT_TRUE(has(page, "In a paced run computations took the time of a device"));
}

}  // namespace
}  // namespace shardstone::validation
