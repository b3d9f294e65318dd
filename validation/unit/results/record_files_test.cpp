// SPDX-License-Identifier: BSD-3-Clause
// In which order the files of a folder are taken.
#include "results/format/record_files.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "validation/unit/results/example_record.hpp"

namespace shardstone::validation {
namespace {

TEST(RecordFiles, OfEightRanksAreBeforeThoseOfSixteen) {
    const TemporaryFolder folder;
    for (const char* name : {"ranks-16.json", "ranks-8.json", "ranks-8.h5", "a.json"}) {
        std::ofstream(folder.path() / name) << "{}";
    }
    std::vector<std::string> names;
    for (const auto& file : results::files_below({folder.path()}, {".json", ".h5"})) {
        names.push_back(file.filename().string());
    }
    EXPECT_EQ(names,
              (std::vector<std::string>{"a.json", "ranks-8.h5", "ranks-8.json", "ranks-16.json"}));
}

}  // namespace
}  // namespace shardstone::validation
