// SPDX-License-Identifier: BSD-3-Clause
// A command that ends by itself, on request, or only by force, and which share in a lock.
#include "jobs/submit/child.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "jobs/submit/folder_lock.hpp"
#include "jobs/submit/lock_holders.hpp"
#include "results/format/atomic_file.hpp"
#include "validation/unit/results/example_record.hpp"

namespace shardstone::submit {
namespace {

using namespace std::chrono_literals;

/// Of a shell that runs `line`, waited for as `limit` and `grace` say.
Child::Ended end_of(const std::string& line, std::chrono::milliseconds limit,
                    std::chrono::milliseconds grace) {
    Child child({{"sh", "-c", line}, {}, "/dev/null", "/dev/null"});
    return child.wait(limit, grace);
}

TEST(Child, EndsByItself) {
    const auto ended = end_of("exit 3", 1min, 1min);
    EXPECT_EQ(ended.code, 3);
    EXPECT_FALSE(ended.by_limit);
}

TEST(Child, IsAskedToEndAfterTheLimit) {
    const auto ended = end_of("trap 'exit 5' TERM; while :; do sleep 0.05; done", 500ms, 1min);
    EXPECT_EQ(ended.code, 5);
    EXPECT_TRUE(ended.by_limit);
}

// Two shells that do not hear SIGTERM: none of the group outlives the grace.
TEST(Child, IsForcedToEndWithItsGroup) {
    const auto begin = std::chrono::steady_clock::now();
    const auto ended = end_of("trap '' TERM; sh -c 'sleep 600' & sleep 600", 300ms, 700ms);
    EXPECT_EQ(ended.code, 128 + 9);
    EXPECT_TRUE(ended.by_limit);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 1s);
}

TEST(Command, ThatOnlyAsksIsGivenUpAfterItsLimit) {
    const Outcome in_time = ask_command({"sh", "-c", "echo said; echo failed >&2; exit 3"}, 1min);
    EXPECT_EQ(in_time.code, 3);
    EXPECT_EQ(in_time.out, "said\n");
    EXPECT_EQ(in_time.last_line(), "failed");
    const auto begin = std::chrono::steady_clock::now();
    const Outcome late = ask_command({"sh", "-c", "echo said; exec sleep 600"}, 1500ms);
    EXPECT_EQ(late.code, 124);
    EXPECT_EQ(late.last_line(), "no answer within 1.5 s");
    const auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_GE(took, 1500ms);
    EXPECT_LT(took, 1min);
}

// What sbatch queues, or a run writes, is another's work until it ends; a question is nobody's.
TEST(Command, ThatOnlyAsksHasNoShareInTheLock) {
    const validation::TemporaryFolder folder;
    const std::vector<std::string> files{"sh", "-c", "ls -l /proc/self/fd"};
    const auto has_lock = [](const std::string& listed) {
        return listed.find("/.lock") != std::string::npos;
    };
    EXPECT_FALSE(has_lock(run_command(files).out));
    const FolderLock lock(folder.path(), [](const std::string&) { FAIL(); });
    EXPECT_TRUE(has_lock(run_command(files).out));
    EXPECT_FALSE(has_lock(ask_command(files, 1min).out));
    Child({files, {}, folder / "listed", "/dev/null"}).wait(1min, 1min);
    EXPECT_TRUE(has_lock(results::read_file(folder / "listed")));
}

TEST(Lock, TellsWhoHoldsIt) {
    const validation::TemporaryFolder folder;
    const auto file = folder / FolderLock::file_name;
    EXPECT_EQ(holders_of(file), "");
    std::ofstream(file).flush();
    const std::ifstream open(file);  // as by one who waits
    EXPECT_EQ(holders_of(file), "");
    const FolderLock lock(folder.path(), [](const std::string&) { FAIL(); });
    const std::string us = fmt::format("process {} (submit_test)", ::getpid());
    EXPECT_EQ(holders_of(file), us);
    Child child({{"sleep", "600"}, {}, "/dev/null", "/dev/null"});
    EXPECT_EQ(holders_of(file), us + " and 1 more");
    child.wait(0ms, 0ms);
    EXPECT_EQ(holders_of(file), us);
}

}  // namespace
}  // namespace shardstone::submit
