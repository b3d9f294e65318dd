// SPDX-License-Identifier: BSD-3-Clause
// A point counts by its record alone: whole, verified, of this revision.
#include "jobs/submit/state.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "jobs/submit/local.hpp"
#include "results/record/incomplete.hpp"
#include "results/record/record.hpp"
#include "results/schema/interconnect.hpp"
#include "validation/unit/jobs/submit/examples.hpp"

namespace shardstone::submit {
namespace {

namespace fs = std::filesystem;

class States : public ::testing::Test {
  protected:
    States() : plan_(small_plan()) {
        plan_.folder = fs::temp_directory_path() / fmt::format("shardstone-states-{}", ::getpid());
        fs::create_directories(folder());
    }
    ~States() override { fs::remove_all(plan_.folder); }

    fs::path folder() const { return point_folder(plan_, plan_.points[2]); }
    void write(const char* name, const std::string& text) const {
        std::ofstream(folder() / name) << text;
    }
    /// Of the run that `submit` starts for a point.
    results::Record record_of(const Point& point) const {
        std::vector<std::string> words = point.arguments;
        words.insert(words.begin(), "shardstone");
        words.insert(words.end(),
                     {"--json", (point_folder(plan_, point) / "record.json").string()});
        results::Record record = results::new_record("train", "a test", words);
        record.environment["ranks"] = point.ranks;
        return record;
    }
    void write_record(bool passed, const char* revision) const {
        results::Record record = record_of(plan_.points[2]);
        record.environment["build"]["revision"] = revision;
        record.verification = {{"sums are exact", true, ""}, {"loss fell", passed, "7.1"}};
        results::write_json(record, folder() / "record.json");
    }
    PointState state(const Queue& queue = {}) const { return states_of(plan_, queue, "r1").at(2); }
    Queue queue_with(const char* word) const {
        return parse_queue(plan_, fmt::format("5_2|{}|{}|None\n", job_name(plan_, 4), word));
    }

    Plan plan_;
};

TEST_F(States, DoneIsAVerifiedRecordOfThisRevision) {
    write_record(true, "r1");
    EXPECT_EQ(state().state, State::done);
    EXPECT_EQ(state(queue_with("RUNNING")).state, State::done);
    EXPECT_EQ(state(queue_with("RUNNING")).detail(), "");
    const Queue held =
        parse_queue(plan_, fmt::format("5_2|{}|PENDING|JobHeldUser\n", job_name(plan_, 4)));
    EXPECT_EQ(state(held).state, State::done);
    EXPECT_EQ(state(held).why, "") << "which would be against the machine";
    EXPECT_EQ(state(held).found,
              " (job 5_2 PENDING (JobHeldUser) is of no more use: 'scancel 5_2' takes it away)");
    write_record(true, "r0");
    EXPECT_EQ(state().state, State::failed);
    EXPECT_TRUE(state().why.starts_with("its record is of revision r0")) << state().why;
    write_record(false, "r1");
    EXPECT_EQ(state().state, State::failed);
    EXPECT_TRUE(state().why.starts_with("the check 'loss fell' failed (7.1) [")) << state().why;
    EXPECT_EQ(state(queue_with("RUNNING")).state, State::running);
    results::Record unchecked = record_of(plan_.points[2]);
    unchecked.environment["build"]["revision"] = "r1";
    results::write_json(unchecked, folder() / "record.json");
    EXPECT_EQ(state().state, State::failed);
    EXPECT_TRUE(state().why.starts_with("its run made no checks [")) << state().why;
    results::Record stopped = record_of(plan_.points[2]);
    stopped.verification = {results::incomplete_check("3 of 4 steps were done", "stopped")};
    results::write_json(stopped, folder() / "record.json");
    EXPECT_TRUE(state().why.starts_with("the run is incomplete: stopped: 3 of 4 steps were done ["))
        << state().why;
}

// Points differ in options, in ranks, or only in their repetition.
TEST_F(States, ARecordOfAnotherPointIsNone) {
    for (const Point& point : plan_.points) {
        results::Record record = record_of(point);
        record.environment["build"]["revision"] = "r1";
        record.verification = {{"sums are exact", true, ""}};
        results::write_json(record, folder() / "record.json");
        const bool own = point.id == plan_.points[2].id;
        EXPECT_EQ(state().state, own ? State::done : State::failed) << point.id;
        if (own) continue;
        EXPECT_TRUE(state().why.starts_with("its record is of another run: shardstone train "))
            << state().why;
    }
    results::Record record = record_of(plan_.points[2]);
    record.environment["build"]["revision"] = "r1";
    record.environment["ranks"] = 3;
    record.verification = {{"sums are exact", true, ""}};
    results::write_json(record, folder() / "record.json");
    EXPECT_NE(state().why.find(" on 3 ranks ["), std::string::npos) << state().why;
}

// Of a folder that somebody shares, but not all of it.
TEST_F(States, ARecordThatMayNotBeSeenIsNotMissing) {
    write_record(true, "r1");
    fs::permissions(folder(), fs::perms::none);
    const uid_t nobody = 65534, user = ::geteuid();
    ASSERT_EQ(::seteuid(user == 0 ? nobody : user), 0);
    const PointState seen = state();
    ASSERT_EQ(::seteuid(user), 0);
    fs::permissions(folder(), fs::perms::owner_all);
    EXPECT_EQ(seen.state, State::unknown);
    EXPECT_EQ(seen.why, "'" + (folder() / "record.json").string() + "': Permission denied");
}

TEST_F(States, ARunThatHasEndedBeforeItsJobIsTold) {
    const fs::path logs = fs::path(plan_.folder) / "logs";
    fs::create_directories(logs);
    std::ofstream log(logs / "ranks-4.5_2.log");
    log << "2026-11-26 17:01:32 ranks-4_plan-dp-4_run-2: begins on n1\n" << std::flush;
    EXPECT_EQ(state(queue_with("RUNNING")).detail(), "job 5_2 RUNNING");
    log << "2026-11-26 17:02:08 ranks-4_plan-dp-4_run-2: ends with 130\n" << std::flush;
    EXPECT_EQ(state(queue_with("RUNNING")).detail(),
              "job 5_2 RUNNING, and its run ended at 2026-11-26 17:02:08 with code 130: it waits "
              "for Slurm to take its nodes");
    EXPECT_EQ(state(queue_with("RUNNING")).state, State::running);
}

TEST_F(States, ADamagedRecordIsNone) {
    write_record(true, "r1");
    const auto file = folder() / "record.json";
    fs::resize_file(file, fs::file_size(file) - 20);
    EXPECT_EQ(state().state, State::failed);
    EXPECT_NE(state().why.find("record.json"), std::string::npos) << state().why;
}

TEST_F(States, WhyThereIsNoRecord) {
    EXPECT_EQ(state().state, State::failed);
    EXPECT_TRUE(state().why.starts_with("ended without a record")) << state().why;
    write("stderr", "srun: cluster configuration lacks support for cpu binding\n");
    EXPECT_TRUE(state().why.starts_with("ended without a record, no reason said [")) << state().why;
    write("stderr", "shardstone: out of luck\nshardstone: 12 s: step 3\nsrun: noise\n");
    write("exit_code", "4\n");
    EXPECT_TRUE(state().why.starts_with("exit code 4: shardstone: out of luck [")) << state().why;
    write("exit_code", "0\n");
    EXPECT_EQ(state().why, "its run ended well, and its record is missing [" +
                               (folder() / "record.json").string() + "]");
    write("exit_code", "4\n");
    write("stderr",
          "slurmstepd-n1: error: execve(): /bin/stone: No such file or directory\n"
          "srun: error: n1: tasks 0-3: Exited with exit code 2\n");
    EXPECT_NE(state().why.find(": slurmstepd-n1: error: execve(): /bin/stone: No such file"),
              std::string::npos)
        << state().why;
    write("stderr", "srun: error: n1: tasks 0-3: Exited with exit code 2\n");
    EXPECT_NE(state().why.find(": srun: error: n1: tasks 0-3: Exited with"), std::string::npos);
}

TEST_F(States, WhyAJobLeftNoRecord) {
    write("stderr", "slurmstepd: error: *** STEP 5.0 CANCELLED DUE TO TIME LIMIT ***\nbye\n");
    const fs::path logs = fs::path(plan_.folder) / "logs";
    fs::create_directories(logs);
    std::ofstream(logs / "ranks-4.5_2.log") << "ranks-4_plan-dp-4_run-2: begins on n1\n";
    // Also where Slurm only knows that the script ended with the code of a killed rank.
    for (const char* ended : {"TIMEOUT", "FAILED"}) {
        EXPECT_TRUE(state(queue_with(ended))
                        .why.starts_with(std::string("job 5_2 ") + ended +
                                         ": ended by the time limit: [stop] of the study has "
                                         "minutes = 7, which a copy of it under the same name "
                                         "can raise for this folder ["))
            << state(queue_with(ended)).why;
    }
    EXPECT_EQ(state(queue_with("PENDING")).state, State::queued);
    fs::remove_all(folder());
    fs::remove(logs / "ranks-4.5_2.log");
    EXPECT_EQ(state().state, State::missing);
    EXPECT_EQ(state(queue_with("CANCELLED")).state, State::failed);
    EXPECT_EQ(state(queue_with("CANCELLED")).why, "job 5_2 CANCELLED: it had not begun");
    std::ofstream(logs / "ranks-4.5_1.log") << "another task's\n";
    EXPECT_EQ(state().state, State::missing);
    std::ofstream(logs / "ranks-4.5_2.log") << "shardstone submit: module 'x' cannot be loaded\n";
    EXPECT_EQ(state().why,
              "ended without a record: shardstone submit: module 'x' cannot be loaded [" +
                  (logs / "ranks-4.5_2.log").string() + "]");
}

// Here nobody else would tell it: also where the run left nothing.
TEST_F(States, ALimitThatEndedAPointHereIsTold) {
    plan_.site = parse_site(
        "about = \"here\"\nscheduler = \"none\"\nlauncher = \"mpiexec\"\nbinding = \"none\"\n",
        "here.toml");
    plan_.study.minutes = 0;
    plan_.program = (folder() / "sleeper").string();
    write("record.json.journal", "of an earlier try");
    write("sleeper", "#!/bin/sh\nexec sleep 60\n");
    fs::permissions(plan_.program, fs::perms::owner_all);
    const auto now = [&] { return std::vector{state()}; };
    run_locally(plan_, now(), "r1", {[](const std::string&) {}, [] { return false; }});
    EXPECT_EQ(
        now().front().why,
        "ended by the time limit: [stop] of the study has minutes = 0, which a copy of it under "
        "the same name can raise for this folder [" +
            (folder() / "stderr").string() + "]");
    EXPECT_FALSE(fs::exists(folder() / "record.json.journal"))
        << "it would be taken for this one's";
    write("sleeper", "#!/bin/sh\nexit 3\n");
    plan_.study.minutes = 1;
    run_locally(plan_, now(), "r1", {[](const std::string&) {}, [] { return false; }});
    EXPECT_TRUE(now().front().why.starts_with("exit code 3")) << now().front().why;
}

TEST_F(States, TheTableCountsThem) {
    write_record(true, "r1");
    const auto table = status_table(plan_, states_of(plan_, queue_with("RUNNING"), "r1"));
    EXPECT_NE(table.find("ranks-4_plan-dp-4_run-2           1  done\n"), std::string::npos)
        << table;
    EXPECT_NE(table.find("small at place: 1 done, 7 missing of 8 points in "), std::string::npos)
        << table;
}

/// Of the run of a point that is done, by its record.
void give_verdict(results::Record& record, const char* word) {
    record.environment["build"]["revision"] = "r1";
    record.verification = {{"every test left its sample", true, ""}};
    record.derived = {
        results::table_of(std::vector{results::InterconnectVerdictRow{word, "busy"}})};
}

// As of a job that was killed between the two files.
TEST_F(States, ARecordWithoutAnExitCodeTellsItsVerdict) {
    results::Record record = record_of(plan_.points[2]);
    for (const auto& [word, why] : {std::pair("inconclusive", "INCONCLUSIVE: busy"),
                                    std::pair("fail", "FAIL: busy"), std::pair("pass", "")}) {
        give_verdict(record, word);
        results::write_json(record, folder() / "record.json");
        EXPECT_EQ(state().state, State::done);
        EXPECT_EQ(state().why, why);
    }
}

TEST_F(States, WhatFailsIsDoneAndTellsHowToTestAgain) {
    const auto table = [&] { return status_table(plan_, states_of(plan_, {}, "r1")); };
    const std::string hint = "submit again: rm -r " + folder().string() + "\n";
    results::Record record = record_of(plan_.points[2]);
    give_verdict(record, "inconclusive");
    results::write_json(record, folder() / "record.json");
    write("exit_code", "7\n");
    EXPECT_NE(table().find(hint), std::string::npos) << table();
    write("exit_code", "0\n");
    EXPECT_EQ(table().find("rm -r"), std::string::npos) << table();
}

}  // namespace
}  // namespace shardstone::submit
