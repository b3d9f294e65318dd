// SPDX-License-Identifier: BSD-3-Clause
// The acceptance file of a bundle, changed.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "results/record/incomplete.hpp"
#include "validation/unit/results/bundle/bundled.hpp"

namespace shardstone::validation {
namespace {

using Files = std::vector<results::BundledFile>;

TEST(BundleLimits, AreHeldAgainstTheirRecord) {
    const auto kinder = [](Files& files) {
        replace_in(file_of(files, "acceptance.toml").bytes, "limit = 90\n", "limit = 80\n");
    };
    const std::string line =
        "acceptance.toml: line 5: 'limit = 80' instead of 'limit = 90', by which records/pod.h5 "
        "was judged\n";
    EXPECT_EQ(lines_of(judgement_after(kinder)),
              "acceptance.toml: changed after the manifest was made\n" + line)
        << "README and manifest, which tell of it, are as they were";
    const std::string sealed = lines_of(judgement_after_sealing(kinder));
    EXPECT_NE(sealed.find(line), std::string::npos) << sealed;
}

/// The user's own file is not in the archive.
TEST(BundleLimits, TheCommandToRunItAgainNamesTheirFileInTheArchive) {
    auto contents = example_contents();
    const auto pod = std::ranges::find(contents.records, "pod", &results::BundledRecord::name);
    ASSERT_NE(pod, contents.records.end());
    pod->record.configuration["accept_file"] = "acc2.toml";
    pod->record.identity["command_line"] = {
        "shardstone", "validate", "interconnect", "--accept", "acc2.toml", "--budget", "5"};
    const auto readme = [&] { return results::bundle_readme(contents, given_of(contents)); };
    EXPECT_NE(readme().find("interconnect --accept acceptance.toml --budget 5"), std::string::npos)
        << readme();
    contents.acceptance.reset();
    EXPECT_NE(readme().find("interconnect --accept acc2.toml --budget 5"), std::string::npos);
}

TEST(BundleLimits, OfARunThatStalledAloneThereIsNoBundle) {
    auto contents = example_contents();
    std::erase_if(contents.records, [](const auto& one) { return one.name != "pod"; });
    auto& record = contents.records.at(0).record;
    record.verification = {results::incomplete_check("54 samples were taken", "stalled: rank 2")};
    try {
        static_cast<void>(given_of(contents));
        FAIL();
    } catch (const Error& error) {
        const std::string words = error.what();
        EXPECT_TRUE(
            words.starts_with("nothing to bundle, since no record is of a run that can be "
                              "shown; 'pod': it did not pass its verification: "))
            << words;
        EXPECT_EQ(words.find("records/"), std::string::npos) << "a path in no archive";
    }
}

}  // namespace
}  // namespace shardstone::validation
