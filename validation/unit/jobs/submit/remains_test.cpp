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
    const auto note = [](int percent) {
        return fmt::format("! DISTURBED: 3 of 3 points (at worst others took {} % of 2 cores).\n",
                           percent);
    };
    const std::string worst = "disturbed (at worst others took 96 % of 2 cores)";
    EXPECT_EQ(found_line(note(8) + note(96) + note(92)), worst);
    EXPECT_EQ(found_line(note(96) + "speed    71 tokens/s\n" + note(8)), "71 tokens/s, " + worst);
    EXPECT_EQ(found_line("speed    71 tokens/s\n"), "71 tokens/s");
}

}  // namespace
}  // namespace shardstone::submit
