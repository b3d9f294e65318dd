// SPDX-License-Identifier: BSD-3-Clause
// What a run left, in words: how it was disturbed, what ended it, and what may be had of it.
#include "jobs/submit/remains.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "jobs/submit/last_words.hpp"
#include "validation/unit/jobs/submit/examples.hpp"

namespace shardstone::submit {
namespace {

namespace fs = std::filesystem;

// Calibration and points of a sweep each say how much they were disturbed.
TEST(FoundLine, HasTheWorstDisturbanceOnce) {
    const auto told = [](int percent) {
        return fmt::format(
            "(at worst others took {} % of 2 cores, a rank waited {} % of the time for a core)",
            percent, 100 - percent);
    };
    const auto note = [&](int percent) {
        return "! DISTURBED: 3 of 3 points " + told(percent) + ".\n";
    };
    const std::string worst = "disturbed " + told(96);
    EXPECT_EQ(found_line(note(8) + note(96) + note(92)), worst);
    EXPECT_EQ(found_line(note(96) + "speed    71 tokens/s\n" + note(8)), "71 tokens/s, " + worst);
    EXPECT_EQ(found_line("speed    71 tokens/s\n"), "71 tokens/s");
}

/// A run that ended without a record, in a folder of its own.
class LostRun : public ::testing::Test {
  protected:
    LostRun() {
        run_.folder = fs::temp_directory_path() / fmt::format("shardstone-lost-{}", ::getpid());
        run_.wrote_in_folder = true;
        fs::create_directories(run_.folder);
    }
    ~LostRun() override { fs::remove_all(run_.folder); }

    void write(const char* name, const char* text) const {
        std::ofstream(run_.folder / name) << text;
    }
    std::string why() const { return why_it_ended({}, run_, ""); }
    std::string place(const char* name) const { return (run_.folder / name).string(); }

    Remains run_;
};

// The exit code of a run that a `submit` waits for is noted, unless that is killed.
TEST_F(LostRun, WithoutAnExitCodeEndedWithItsSubmit) {
    const std::string file = " [" + place("stderr") + "]";
    EXPECT_EQ(why(), "ended without a record, no reason said" + file);
    run_.is_child = true;
    EXPECT_EQ(why(), "ended without a record, with the 'shardstone submit' that ran it" + file);
    write("exit_code", "1\n");
    EXPECT_EQ(why(), "exit code 1, no reason said" + file);
}

TEST_F(LostRun, IsToldHowToKeepWhatItHadDone) {
    const std::string advice = "]; 'shardstone recover " + place("record.json.journal") +
                               "' makes a record of what it had done";
    EXPECT_TRUE(why().ends_with("]")) << why();
    write("record.json.journal", "");
    EXPECT_TRUE(why().ends_with("]")) << "of an empty one none can be made: " << why();
    write("record.json.journal", "a line\n");
    EXPECT_TRUE(why().ends_with(advice)) << why();
    write("time_limit", "");
    EXPECT_TRUE(why().starts_with("ended by the time limit: ") && why().ends_with(advice)) << why();
    write("record.json", "{}");
    EXPECT_TRUE(why().ends_with("]")) << "there is a record: " << why();
    fs::remove(run_.folder / "record.json");
    run_.wrote_in_folder = false;
    run_.log = run_.folder / "log";
    run_.logged = "shardstone submit: it did not come to the folder\n";
    EXPECT_TRUE(why().ends_with("]")) << "it is of the run before: " << why();
}

}  // namespace
}  // namespace shardstone::submit
