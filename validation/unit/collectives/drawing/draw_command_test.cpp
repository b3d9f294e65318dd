// SPDX-License-Identifier: BSD-3-Clause
// `shardstone draw` as a user types it.
#include <gtest/gtest.h>

#include <filesystem>

#include "validation/unit/reference/data/scratch_folder.hpp"
#include "validation/unit/results/shell.hpp"

namespace shardstone::validation {
namespace {

class DrawCommand : public testing::Test {
  protected:
    Outcome draw(const std::string& words) const {
        return run_shell(
            "cd " + (folder_ / "").string() + " && " + shardstone_binary() + " draw " + words,
            folder_);
    }
    TemporaryFolder folder_;
};

TEST_F(DrawCommand, NamesTheFileThatItWrites) {
    const Outcome outcome = draw("hierarchical:ring/ring --ranks 8 --ranks-per-node 4");
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_EQ(outcome.output.find("hierarchical-ring-ring-8.svg: "), 0U);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "hierarchical-ring-ring-8.svg"));
}

TEST_F(DrawCommand, WritesWhereItIsTold) {
    EXPECT_EQ(draw("bruck --operation all_to_all --ranks 5 --output b.svg").code, 0);
    const std::string svg = read_text(folder_ / "b.svg");
    EXPECT_NE(svg.find("all-to-all: bruck"), std::string::npos);
}

TEST_F(DrawCommand, WritesTheCatalogue) {
    EXPECT_EQ(draw("--catalogue docs").code, 0);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "docs" / "algorithms.md"));
    EXPECT_TRUE(std::filesystem::exists(folder_ / "docs" / "figures" / "all_reduce-ring-8.svg"));
}

TEST_F(DrawCommand, RefusesInOneLine) {
    EXPECT_TRUE(draw("rung --ranks 8").is_one_line_about("rabenseifner"));
    EXPECT_TRUE(draw("ring --ranks 8 --operation all_red").is_one_line_about("all_reduce"));
    EXPECT_TRUE(draw("ring").is_one_line_about("--ranks 0"));
    EXPECT_TRUE(draw("ring --ranks 2147483647").is_one_line_about("--ranks 2147483647"));
    EXPECT_TRUE(draw("").is_one_line_about("name an algorithm"));
    EXPECT_TRUE(draw("ring --ranks 8 --ranks-per-node -1").is_one_line_about("-1"));
    EXPECT_TRUE(draw("mpi --ranks 8").is_one_line_about("no schedule"));
    EXPECT_TRUE(draw("ring --ranks 8 -o /nonexistent/r.svg").is_one_line_about("/nonexistent"));
    EXPECT_TRUE(draw("ring --catalogue docs").is_one_line_about("--catalogue"));
}

}  // namespace
}  // namespace shardstone::validation
