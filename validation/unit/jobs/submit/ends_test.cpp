// SPDX-License-Identifier: BSD-3-Clause
// Which of several runs, logs and lines counts for a point, and what advice a refusal gets.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "jobs/submit/report.hpp"
#include "jobs/submit/slurm.hpp"
#include "jobs/submit/state.hpp"
#include "results/record/incomplete.hpp"
#include "results/record/record.hpp"
#include "validation/unit/jobs/submit/examples.hpp"

namespace shardstone::submit {
namespace {

namespace fs = std::filesystem;

/// The folder of a point that ended without a record that counts.
class EndedPoint : public ::testing::Test {
  protected:
    EndedPoint() : plan_(small_plan()) {
        plan_.folder = fs::temp_directory_path() / fmt::format("shardstone-ends-{}", ::getpid());
        fs::create_directories(folder());
        fs::create_directories(logs());
    }
    ~EndedPoint() override { fs::remove_all(plan_.folder); }

    fs::path folder() const { return point_folder(plan_, plan_.points[2]); }
    fs::path logs() const { return fs::path(plan_.folder) / "logs"; }
    /// Of the run that `submit` starts for the point.
    std::vector<std::string> words() const {
        std::vector<std::string> words = plan_.points[2].arguments;
        words.insert(words.begin(), "shardstone");
        words.insert(words.end(), {"--json", (folder() / "record.json").string()});
        return words;
    }
    std::string why() const { return states_of(plan_, {}, "r1").at(2).why; }
    /// Of task 2 of a job that Slurm knows.
    std::string why(const char* job, const char* word) const {
        const auto line = fmt::format("{}_2|{}|{}|None\n", job, job_name(plan_, 4), word);
        return states_of(plan_, parse_queue(plan_, line), "r1").at(2).why;
    }

    Plan plan_;
};

TEST_F(EndedPoint, SaysWhatItSaidLast) {
    std::ofstream(folder() / "stderr") << "shardstone: the first warning\nshardstone: the end\n";
    EXPECT_TRUE(why().starts_with("ended without a record: shardstone: the end [")) << why();
    std::ofstream(folder() / "stderr") << "srun: error: node2: task 3: Killed\nsrun: noise\n";
    EXPECT_TRUE(why().starts_with("ended without a record: srun: error: node2: task 3: Killed ["))
        << why();
    std::ofstream(folder() / "stderr") << "one\ntwo\n \n";
    EXPECT_TRUE(why().starts_with("ended without a record: two [")) << why();
}

// How far it was is no reason.
TEST_F(EndedPoint, SaysNoProgressForAReason) {
    const auto write = [&](const char* name, const char* text) {
        std::ofstream(folder() / name) << text;
    };
    write("stderr", "shardstone: 3 s: step 1 of 4: 17 of 17 actions started\n");
    EXPECT_TRUE(why().starts_with("ended without a record, no reason said [")) << why();
    write("exit_code", "9\n");
    EXPECT_TRUE(why().starts_with("exit code 9, no reason said [")) << why();
    write("stdout",
          "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   EXIT CODE: 9\n"
          "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\n"
          "This typically refers to a problem with your application.\n");
    EXPECT_EQ(why(), "exit code 9: mpiexec ended it: Killed (signal 9) [" +
                         (folder() / "stdout").string() + "]");
    // What another rank says of it tells less.
    write("stderr",
          "shardstone: rank 0 on vm: ended by MPI, which has lost another rank (or by an error of "
          "ours), by SIGABRT\n");
    EXPECT_TRUE(why().starts_with("exit code 9: mpiexec ended it: Killed (signal 9) [")) << why();
    write("stdout", "");
    EXPECT_TRUE(why().starts_with("exit code 9: shardstone: rank 0 on vm: ended by MPI")) << why();
    write("stderr", "shardstone: 3 s: step 1 of 4: 17 of 17 actions started\n");
    write("exit_code", "137\n");
    EXPECT_TRUE(why().starts_with("exit code 137 (signal 9: Killed) [")) << why();
    write("exit_code", "130\n");
    EXPECT_TRUE(why().starts_with("exit code 130 (stopped by SIGINT or SIGTERM) [")) << why();
    for (const char* code : {"128", "255"}) {
        write("exit_code", code);
        EXPECT_TRUE(why().starts_with(fmt::format("exit code {}, no reason said [", code)))
            << why();
    }
    write("exit_code", "0\n");
    EXPECT_EQ(why(), "its run ended well, and its record is missing [" +
                         (folder() / "record.json").string() + "]");
    write("exit_code", "1\n");
    std::ofstream(logs() / "ranks-4.5_2.log")
        << "2026-11-26 17:01:32 ranks-4_plan-dp-4_run-2: begins on n1\n"
           "2026-11-26 17:01:33 ranks-4_plan-dp-4_run-2: ends with 1\n";
    EXPECT_TRUE(why().starts_with("exit code 1, no reason said [")) << why();
}

TEST_F(EndedPoint, IsToldByItsLatestLog) {
    const auto now = fs::file_time_type::clock::now();
    const auto write = [&](const char* name, const char* text, int minutes_ago) {
        std::ofstream(logs() / name) << text;
        fs::last_write_time(logs() / name, now - std::chrono::minutes(minutes_ago));
    };
    write("ranks-4.5_2.log", "shardstone submit: the first try\n", 9);
    write("ranks-4.11_2.log", "shardstone submit: the last try\n", 1);
    write("ranks-4.8_2.log", "shardstone submit: the second try\n", 5);
    EXPECT_NE(why().find("the last try"), std::string::npos) << why();
    write("ranks-4.5_2.log", "shardstone submit: the first try\n", 0);
    EXPECT_NE(why().find("the first try"), std::string::npos) << why();
    // Of the same place on 40 ranks.
    fs::last_write_time(logs() / "ranks-4.5_2.log", now - std::chrono::minutes(9));
    write("ranks-40.12_2.log", "shardstone submit: another point\n", 0);
    EXPECT_NE(why().find("the last try"), std::string::npos) << why();
}

constexpr const char* begins = "2026-11-26 17:01:32 ranks-4_plan-dp-4_run-2: begins on n1\n";
constexpr const char* ends_by_failure =
    "2026-11-26 17:02:08 ranks-4_plan-dp-4_run-2: ends with 6\n";
constexpr const char* ends_by_signal =
    "2026-11-26 17:02:08 ranks-4_plan-dp-4_run-2: ends with 130\n";
constexpr const char* out_of_time =
    "slurmstepd: error: *** JOB 5 ON n1 CANCELLED AT 2026-11-26T17:03:00 DUE TO TIME LIMIT ***\n";

// What the run before left in the folder, and in its own log, is not its reason.
TEST_F(EndedPoint, IsNotToldByTheRunBefore) {
    std::ofstream(logs() / "ranks-4.5_2.log") << begins << out_of_time << ends_by_signal;
    std::ofstream(folder() / "stderr") << out_of_time;
    std::ofstream(folder() / "exit_code") << "130\n";
    EXPECT_TRUE(why("5", "TIMEOUT").starts_with("job 5_2 TIMEOUT: ended by the time limit: "))
        << why("5", "TIMEOUT");
    EXPECT_EQ(why("7", "CANCELLED"), "job 7_2 CANCELLED: it had not begun");
    // It did not come as far as the folder.
    const std::string refused = "shardstone submit: module 'x' cannot be loaded";
    std::ofstream(logs() / "ranks-4.7_2.log") << refused << "\n";
    const std::string reason =
        "ended without a record: " + refused + " [" + (logs() / "ranks-4.7_2.log").string() + "]";
    EXPECT_EQ(why("7", "FAILED"), "job 7_2 FAILED: " + reason);
    EXPECT_EQ(why(), reason) << "also when Slurm has forgotten it";
    // A task that was started again goes on in its log.
    std::ofstream(logs() / "ranks-4.7_2.log") << begins << out_of_time << begins;
    std::ofstream(folder() / "stderr") << "shardstone: out of luck\n";
    EXPECT_TRUE(why("7", "FAILED")
                    .starts_with("job 7_2 FAILED: exit code 130 (stopped by SIGINT or SIGTERM): "
                                 "shardstone: out of "))
        << why("7", "FAILED");
}

// Its script waits after a signal, and may be ended by the time limit then.
TEST_F(EndedPoint, ThatWasStoppedBeforeItsTimeLimitSaysSo) {
    std::ofstream(folder() / "stderr") << "shardstone: 3 s: step 1 of 4\n";
    std::ofstream(folder() / "exit_code") << "130\n";
    const auto log = [&](const std::string& text) {
        std::ofstream(logs() / "ranks-4.5_2.log") << begins << text;
        return why("5", "TIMEOUT");
    };
    EXPECT_TRUE(log(std::string(ends_by_signal) + out_of_time)
                    .starts_with("job 5_2 TIMEOUT: exit code 130 (stopped by SIGINT or SIGTERM), "
                                 "ended 2026-11-26 17:02:08 ["))
        << why();
    results::Record record = results::new_record("train", "a test", words());
    record.environment["ranks"] = plan_.points[2].ranks;
    record.verification = {results::incomplete_check("3 of 4 steps were done", "stopped")};
    results::write_json(record, folder() / "record.json");
    EXPECT_EQ(log(std::string(ends_by_signal) + out_of_time),
              "job 5_2 TIMEOUT: the run is incomplete: stopped: 3 of 4 steps were done, ended "
              "2026-11-26 17:02:08 [" +
                  (folder() / "record.json").string() + "]");
    EXPECT_TRUE(log(std::string(out_of_time) + ends_by_signal)
                    .starts_with("job 5_2 TIMEOUT: ended by the time limit: "))
        << why();
}

// Neither the exit code nor a word of the program could be written.
TEST_F(EndedPoint, OnAFullDiskIsToldByWhoeverCouldSayIt) {
    const fs::path log = logs() / "ranks-4.5_2.log", errors = folder() / "stderr";
    std::ofstream(errors) << "shardstone: of the run before\n";
    fs::last_write_time(errors, fs::file_time_type::clock::now() - std::chrono::minutes(9));
    const std::ofstream nothing(log);
    EXPECT_EQ(why("5", "FAILED"),
              fmt::format("job 5_2 FAILED: ended without a record: its log is empty: it was killed "
                          "at once, or nothing could be written into '{}' [{}]",
                          folder().string(), log.string()));
    std::ofstream(log) << begins << "s: line 9: exit_code: No space left on device\n"
                       << ends_by_failure;
    std::ofstream(errors) << "libfabric: a warning\n";
    EXPECT_EQ(why("5", "FAILED"),
              "job 5_2 FAILED: exit code 6: s: line 9: exit_code: No space left on device [" +
                  log.string() + "]");
    std::ofstream(log, std::ios::trunc).flush();
    std::ofstream(errors) << "shardstone: cannot write\n";
    EXPECT_EQ(why("5", "FAILED"),
              "job 5_2 FAILED: ended without a record: shardstone: cannot write [" +
                  errors.string() + "]");
}

TEST_F(EndedPoint, IsToldByTheFailureLogOfItsRanks) {
    std::ofstream(logs() / "ranks-4.5_2.log") << begins;
    const fs::path failures = folder() / "record.json.failures.jsonl";
    const char* said =
        "{{\"time\": \"{}\", \"host\": \"n1\", \"rank\": 3, \"phase\": \"step 2\", \"reason\": "
        "\"{}\", \"output\": \"{}\"}}\n";
    const auto line = [&](const char* time, const char* reason) {
        return fmt::format(fmt::runtime(said), time, reason, (folder() / "record.json").string());
    };
    std::ofstream(failures) << line("2026-11-26T17:02:00.000Z", "the disk is full");
    EXPECT_EQ(why("5", "FAILED"),
              "job 5_2 FAILED: ended without a record: rank 3 on n1, step 2: the disk is full [" +
                  failures.string() + "]");
    // What a rank says of another one there tells less than what the launcher says of that one.
    std::ofstream(failures) << line("2026-11-26T17:02:00.000Z",
                                    "ended by MPI, which has lost another rank");
    std::ofstream(folder() / "stderr") << "libfabric: a warning\n";
    EXPECT_TRUE(why("5", "FAILED").ends_with(failures.string() + "]")) << why("5", "FAILED");
    std::ofstream(folder() / "stdout")
        << "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\n";
    EXPECT_EQ(why("5", "FAILED"),
              "job 5_2 FAILED: ended without a record: mpiexec ended it: Killed (signal 9) [" +
                  (folder() / "stdout").string() + "]");
    fs::remove(failures);
    // Where there was no room for it either: in the log elsewhere, but of this run only.
    ::setenv("TMPDIR", plan_.folder.c_str(), 1);
    const std::ofstream output(folder() / "stdout");
    const fs::path elsewhere =
        fs::path(plan_.folder) / fmt::format("shardstone-failures-{}.jsonl", ::getuid());
    std::ofstream(elsewhere) << line("2001-01-01T00:00:00.000Z", "of the run before")
                             << line("2999-01-01T00:00:00.000Z", "no room");
    EXPECT_EQ(why("5", "FAILED"),
              "job 5_2 FAILED: ended without a record: rank 3 on n1, step 2: no room [" +
                  elsewhere.string() + "]");
    ::unsetenv("TMPDIR");
}

TEST_F(EndedPoint, ShowsBytesThatATerminalWouldObey) {
    std::ofstream(folder() / "stderr") << "shardstone: \x1b[2J\x07 gr\u00fcn \x9b\xff\r\n";
    std::ofstream(folder() / "exit_code") << "\x1b]0;4\n";
    const auto table = status_table(plan_, states_of(plan_, {}, "r1"));
    EXPECT_NE(table.find("exit code ?]0;4: shardstone: ?[2J? gr\u00fcn \\x9b\\xff? ["),
              std::string::npos)
        << table;
    std::ofstream(logs() / "report.3.log") << "shardstone: \x1b[2J\n";
    const auto line = report_line(plan_, {});
    EXPECT_NE(line.find("shardstone: ?[2J ["), std::string::npos) << line;
}

// A machine of which nothing could be said has not passed.
TEST_F(EndedPoint, ThatIsDoneSaysWhatItFoundOfTheMachine) {
    results::Record record = results::new_record("train", "a test", words());
    record.environment["ranks"] = plan_.points[2].ranks;
    record.environment["build"]["revision"] = "r1";
    record.verification = {{"sums are exact", true, ""}};
    results::write_json(record, folder() / "record.json");
    for (const char* verdict : {"FAIL: a slow link", "INCONCLUSIVE: too few rounds"}) {
        std::ofstream(folder() / "stdout") << "pairs one by one\n" << verdict << "\nbye\n";
        std::ofstream(folder() / "exit_code") << "7\n";
        EXPECT_EQ(states_of(plan_, {}, "r1").at(2).state, State::done);
        EXPECT_EQ(why(), std::string("exit code 7: ") + verdict);
    }
    std::ofstream(folder() / "stdout")
        << "FAIL: 2 of 3 limits broken\n  nodes declared\n  - rate of "
           "rank 1\n  - rate of rank 2\n\nLimits\n";
    EXPECT_EQ(why(), "exit code 7: FAIL: 2 of 3 limits broken: rate of rank 1");
    std::ofstream(folder() / "stdout") << "FAIL: 2 of 3 limits broken\n\nLimits\n  - none of it\n";
    EXPECT_EQ(why(), "exit code 7: FAIL: 2 of 3 limits broken");
    std::ofstream(folder() / "exit_code") << "0\n";
    EXPECT_EQ(why(), "");
}

// Job 100 is later than job 99; and one that is to make it counts before one that ended since.
TEST_F(EndedPoint, TheReportIsToldByItsLastJob) {
    const auto told = [&](const std::string& lines) {
        return report_line(plan_, parse_queue(plan_, lines));
    };
    const auto job = [&](const std::string& id, const std::string& state) {
        return id + "|" + report_job_name(plan_) + "|" + state + "|None\n";
    };
    const std::string early = job("99", "FAILED"), late = job("100", "TIMEOUT");
    EXPECT_EQ(told(early + late), "report: none yet; job 100 TIMEOUT\n");
    EXPECT_EQ(told(late + early), "report: none yet; job 100 TIMEOUT\n");
    EXPECT_EQ(told(job("98", "RUNNING") + late), "report: none yet; job 98 RUNNING\n");
}

TEST(RefusalAdvice, IsForWhatWasRefused) {
    const Site site = small_plan().site;
    const auto advice = [&](const std::string& said) {
        return explain_refusal(site, "sbatch: error: Batch job submission failed: " + said);
    };
    EXPECT_TRUE(advice("Requested time limit is invalid (missing or exceeds some limit)")
                    .ends_with(": lower 'minutes' of the study"));
    EXPECT_TRUE(advice("Invalid job array specification")
                    .ends_with(": lower 'repetitions' of the study, or what it varies"));
    EXPECT_TRUE(advice("Invalid account or account/partition combination specified")
                    .ends_with(": set SBATCH_ACCOUNT to an account of yours"));
}

}  // namespace
}  // namespace shardstone::submit
