// SPDX-License-Identifier: BSD-3-Clause
// In which order the files of a folder are taken, and what else has their names.
#include "results/format/record_files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "kernels/base/error.hpp"
#include "results/record/record.hpp"
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

// Whoever reads them says why they cannot be read; passed over, they would be missing without a
// word.
TEST(RecordFiles, AreAlsoWhatIsNoFile) {
    const TemporaryFolder folder;
    const auto path = [&](const char* name) { return folder.path() / name; };
    std::filesystem::create_symlink("nothing", path("dangling.json"));
    std::filesystem::create_symlink("loop.h5", path("loop.h5"));
    ASSERT_EQ(::mkfifo(path("pipe.json").c_str(), 0600), 0);
    std::filesystem::create_directories(path("empty.json/stdout"));
    std::filesystem::create_directories(path("points.json"));
    std::ofstream(path("points.json/record.json")) << "{";
    std::vector<std::string> found;
    for (const auto& file : results::records_below({folder.path()})) {
        found.push_back(file.lexically_relative(folder.path()).string());
        EXPECT_THROW((void)results::read_record(file), Error) << file;
    }
    EXPECT_EQ(found, (std::vector<std::string>{"dangling.json", "empty.json", "loop.h5",
                                               "pipe.json", "points.json/record.json"}));
}

// Sparse: no memory would hold it.
TEST(RecordFiles, WhatIsNoRecordIsNotReadToItsEnd) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "record.json";
    std::ofstream(file).flush();
    constexpr std::uintmax_t tebibyte = 1ULL << 40U;
    std::filesystem::resize_file(file, 8 * tebibyte);
    EXPECT_FALSE(results::is_foreign(file));
    EXPECT_THROW((void)results::read_record(file), Error);
}

}  // namespace
}  // namespace shardstone::validation
