// SPDX-License-Identifier: BSD-3-Clause
// The acceptance file of a bundle, changed.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace shardstone::validation
