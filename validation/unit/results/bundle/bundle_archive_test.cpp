// SPDX-License-Identifier: BSD-3-Clause
// Bundles are the same bytes each time; archives that no bundle is are refused in one line.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "kernels/base/error.hpp"
#include "results/bundle/gather.hpp"
#include "results/bundle/sha256.hpp"
#include "results/format/hdf5_format.hpp"
#include "validation/fuzz/mutator.hpp"
#include "validation/unit/results/bundle/bundled.hpp"
#include "validation/unit/results/example_record.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

/// FIPS 180-4, the examples "abc" and the empty text.
TEST(BundleArchive, HashesAreThoseOfSha256sum) {
    EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

/// Neither the day nor the zone of the machine is in it, nor, where HDF5 is made of JSON, its time.
TEST(BundleArchive, IsTheSameBytesEachTime) {
    const TemporaryFolder folder;
    write_json(written_collectives(), folder / "sweep.json");
    const auto made = [&] {
        return to_zip(bundle_files(gather({folder / "sweep.json"}, {}).contents));
    };
    const std::string first = made();
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    ASSERT_EQ(setenv("TZ", "Asia/Tokyo", 1), 0);
    tzset();
    const std::string second = made();
    unsetenv("TZ");
    tzset();
    EXPECT_TRUE(first == second);
}

TEST(BundleArchive, GivesBackWhatWasPutIn) {
    const std::vector<BundledFile> files{
        {"a.txt", "one"}, {"b/c.bin", std::string(70000, '\0')}, {"empty", ""}};
    const auto opened = from_zip(to_zip(files), "x.zip");
    EXPECT_TRUE(opened.damage.empty());
    ASSERT_EQ(opened.files.size(), files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        EXPECT_EQ(opened.files[i].path, files[i].path);
        EXPECT_EQ(opened.files[i].bytes, files[i].bytes);
    }
}

void expect_refused(const std::string& bytes, const std::string& words) {
    try {
        judgement_of(bytes);
        FAIL() << "accepted instead of: " << words;
    } catch (const Error& error) {
        EXPECT_TRUE(is_one_line(error.what()));
        EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("test.zip"), std::string::npos) << error.what();
    }
}

/// With one of its paths replaced everywhere by another of the same length.
std::string renamed(const std::string& from, const std::string& to) {
    std::string bytes = to_zip({{from, "contents"}});
    for (std::size_t at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at)) {
        bytes.replace(at, from.size(), to);
    }
    return bytes;
}

TEST(BundleArchive, WhatLeadsOutOfItIsRefused) {
    expect_refused(renamed("aa/bb/c.txt", "../../c.txt"), "is no name of a file in a bundle");
    expect_refused(renamed("a/etc/passwd", "//etc/passwd"), "is no name");
    expect_refused(renamed("xetcxpasswd", "/etc/passwd"), "is no name");
    expect_refused(renamed("abc.txt", "a\\c.txt"), "is no name");
    expect_refused(renamed("abc.txt", "a\x1b[.txt"), "is no name");
    expect_refused(renamed("abcd", "dir/"), "is no name");
}

/// An entry that is compressed, as a bomb would be, in bytes of libzip's own.
TEST(BundleArchive, WhatUnpacksToMoreThanItIsIsRefused) {
    std::string bytes = to_zip({{"manifest.json", std::string(100, 'a')}});
    for (const char* signature : {"PK\x03\x04", "PK\x01\x02"}) {
        const std::size_t place = bytes.find(signature);
        const std::size_t method = place + (signature[2] == 3 ? 8 : 10);
        bytes[method] = 8;  // deflate
    }
    expect_refused(bytes, "is compressed, which 'shardstone bundle' never does");

    // Two entries of the directory that share the contents of one file.
    std::string overlapping = to_zip({{"a", std::string(5000, 'a')}, {"b", "x"}});
    const std::size_t second = overlapping.find("PK\x01\x02", overlapping.find("PK\x01\x02") + 4);
    const std::size_t first = overlapping.find("PK\x01\x02");
    for (std::size_t i = 16; i < 28; ++i) overlapping[second + i] = overlapping[first + i];
    for (std::size_t i = 42; i < 46; ++i) overlapping[second + i] = overlapping[first + i];
    expect_refused(overlapping, "claim to hold more than the archive");
}

TEST(BundleArchive, WhatIsNoBundleIsRefused) {
    expect_refused("", "is no bundle");
    expect_refused("not a ZIP archive at all", "is damaged");
    expect_refused(example_archive().substr(0, example_archive().size() / 2), "is damaged");
    expect_refused(to_zip({{"photo.jpg", "x"}}), "is no bundle");
}

TEST(BundleArchive, NamesRecordsApartAndTakesTwinsOnce) {
    const TemporaryFolder folder;
    for (const char* day : {"monday", "tuesday"}) {
        std::filesystem::create_directory(folder / day);
        const auto record = written_collectives();
        write_json(record, folder / day / "sweep 1.json");
        write_hdf5(record, folder / day / "sweep 1.h5");
    }
    const auto contents =
        gather({folder / "monday" / "sweep 1.json", folder / "monday" / "sweep 1.h5",
                folder / "tuesday" / ".." / "tuesday" / "sweep 1.json"},
               {})
            .contents;
    ASSERT_EQ(contents.records.size(), 2U);
    EXPECT_EQ(contents.records[0].path(), "records/monday/sweep_1.h5");
    EXPECT_EQ(contents.records[1].path(), "records/tuesday/sweep_1.h5");
    EXPECT_EQ(judgement_of(to_zip(bundle_files(contents))).wrong.size(), 0U);
}

TEST(BundleArchive, OfAnotherVersionIsUndecidedUnlessAHashIsWrong) {
    BundleContents contents = example_contents();
    contents.maker.version = "0.0.1";
    auto files = bundle_files(contents);
    EXPECT_TRUE(judgement_of(to_zip(files)).undecided.empty()) << "all is as this one writes it";

    auto& page = file_of(files, "report.html").bytes;
    replace_in(page, "<h2", "<h2 ");  // as another version might have it
    EXPECT_FALSE(judgement_of(to_zip(files)).wrong.empty());
    reseal_manifest_over(files, contents);
    const auto judgement = judgement_of(to_zip(files));
    EXPECT_TRUE(judgement.wrong.empty()) << lines_of(judgement);
    EXPECT_EQ(judgement.undecided, std::vector<std::string>{"report.html"});
    EXPECT_NE(judgement.summary.find("made by Shardstone 0.0.1"), std::string::npos);
    EXPECT_NE(judgement.summary.find("cannot be made again"), std::string::npos);
}

}  // namespace
}  // namespace shardstone::validation
