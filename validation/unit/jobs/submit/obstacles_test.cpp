// SPDX-License-Identifier: BSD-3-Clause
// What cannot be removed, or read, is named.
#include "jobs/submit/obstacles.hpp"

#include <gtest/gtest.h>

#include "jobs/submit/folder.hpp"
#include "validation/unit/jobs/submit/examples.hpp"
#include "validation/unit/jobs/submit/refused.hpp"
#include "validation/unit/results/closed_folder.hpp"
#include "validation/unit/results/example_record.hpp"

namespace shardstone::submit {
namespace {

TEST(Obstacles, ThatStayAreNamed) {
    const auto said = refusal_of([] { remove_whole("/proc/self/environ"); });
    EXPECT_TRUE(
        said.starts_with("'/proc/self/environ' is in the way of a new run, and cannot be "
                         "removed ("))
        << said;
    EXPECT_TRUE(said.ends_with("): remove it")) << said;
}

TEST(Obstacles, AClosedFolderOfAStudyIsNamed) {
    const validation::TemporaryFolder folder;
    Plan plan = small_plan();
    plan.folder = (folder / "runs").string();
    std::filesystem::create_directory(plan.folder);
    const validation::ClosedFolder closed(plan.folder);
    EXPECT_EQ(refusal_of([&] { require_same_folder(plan, "1"); }),
              "the folder '" + plan.folder +
                  "' cannot be read: Permission denied: name another with --out");
}

}  // namespace
}  // namespace shardstone::submit
