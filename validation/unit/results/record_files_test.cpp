// SPDX-License-Identifier: BSD-3-Clause
// In which order the files of a folder are taken, and what else has their names.
#include "results/format/record_files.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "kernels/base/error.hpp"
#include "results/record/record.hpp"
#include "validation/unit/jobs/submit/refused.hpp"
#include "validation/unit/results/closed_folder.hpp"
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

/// Of what the user named.
std::string refusal_of(const std::filesystem::path& named) {
    return submit::refusal_of([&] { (void)results::records_below({named}); });
}

TEST(RecordFiles, AreAlsoFoldersThatAreClosed) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "closed");
    std::ofstream(folder / "record.json") << "{";
    const ClosedFolder closed(folder / "closed");
    EXPECT_EQ(refusal_of(folder / "closed"),
              fmt::format("the folder '{}' cannot be read: Permission denied",
                          (folder / "closed").string()));
    EXPECT_EQ(results::records_below({folder.path()}),
              (std::vector{folder / "closed", folder / "record.json"}));
}

TEST(RecordFiles, WhatIsNamedIsThere) {
    const TemporaryFolder folder;
    std::filesystem::create_symlink("nothing", folder / "dangling.json");
    std::filesystem::create_symlink("loop.json", folder / "loop.json");
    const auto said = [&](const char* name, const char* why) {
        return fmt::format("'{}' {}", (folder / name).string(), why);
    };
    EXPECT_EQ(refusal_of(folder / "absent"), said("absent", "does not exist"));
    EXPECT_EQ(refusal_of(folder / "dangling.json"), said("dangling.json", "does not exist"));
    EXPECT_EQ(refusal_of(folder / "loop.json"),
              said("loop.json", "cannot be read: Too many levels of symbolic links"));
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
