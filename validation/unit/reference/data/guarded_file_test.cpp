// SPDX-License-Identifier: BSD-3-Clause
// What changes under a reader is found before it is used, and said with its place.
#include "reference/data/guarded_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>

#include "kernels/base/error.hpp"
#include "reference/data/dataset.hpp"
#include "reference/data/sampler.hpp"
#include "reference/data/synthetic.hpp"
#include "validation/unit/reference/data/scratch_folder.hpp"

namespace shardstone::validation {
namespace {

namespace fs = std::filesystem;
using namespace reference;

constexpr std::size_t piece = GuardedFile::piece_bytes;

/// A file of two pieces and a bit, read once; opened for each reading, too.
class Guarded : public testing::TestWithParam<bool> {
  protected:
    Guarded() {
        for (std::size_t i = 0; i < 2 * piece + 10; ++i) text_ += static_cast<char>('a' + i % 23);
        path_ = scratch_.write("file", text_);
        file_ = std::make_unique<GuardedFile>(path_, GetParam());
        std::string seen;
        file_->read_first([&](std::span<const std::byte> bytes) {
            seen.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        });
        EXPECT_EQ(seen, text_);
    }

    std::string read(std::size_t offset, std::size_t count) const {
        std::string bytes(count, ' ');
        file_->read(offset, std::as_writable_bytes(std::span(bytes)));
        return bytes;
    }

    /// What reading complains about; it has the code of a failed check.
    std::string complaint(std::size_t offset, std::size_t count) const {
        try {
            read(offset, count);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::check_failed);
            return error.what();
        }
        return "";
    }

    /// In place, so that the inode stays.
    void overwrite(std::size_t offset, const std::string& bytes) const {
        std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(offset));
        file << bytes;
    }

    void expect_fate(bool changed, const std::string& words) const {
        const FileFate fate = file_->look();
        EXPECT_EQ(fate.changed, changed) << fate.words;
        if (words.empty()) {
            EXPECT_EQ(fate.words, "");
        } else {
            EXPECT_NE(fate.words.find(words), std::string::npos) << fate.words;
        }
    }

    ScratchFolder scratch_;
    std::string text_;
    fs::path path_;
    std::unique_ptr<GuardedFile> file_;
};

TEST_P(Guarded, IsReadAtAnyPlace) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{5}, piece - 1, piece, 2 * piece}) {
        for (const std::size_t count : {std::size_t{1}, std::size_t{9}, piece, 2 * piece + 5}) {
            if (offset + count > text_.size()) continue;
            EXPECT_EQ(read(offset, count), text_.substr(offset, count)) << offset << " " << count;
        }
    }
    expect_fate(false, "");
}

/// Every byte of a piece counts, also those that nobody asks for; the other pieces are sound.
TEST_P(Guarded, AnyOtherByteIsFoundWhereItIs) {
    for (const std::size_t at : {piece, piece + 100, 2 * piece - 1}) {
        overwrite(at, "#");
        const std::string line = complaint(piece + 50, 3);
        EXPECT_NE(line.find("4096 bytes from offset 4096 on are not those"), std::string::npos)
            << line;
        EXPECT_NE(line.find("it was written to at 20"), std::string::npos) << line;
        EXPECT_EQ(complaint(0, piece), "");
        EXPECT_EQ(complaint(2 * piece, 10), "");
        expect_fate(true, "from offset 4096 on");
        overwrite(at, text_.substr(at, 1));
        EXPECT_EQ(complaint(piece + 50, 3), "");
        expect_fate(false, "holds the same bytes, but it was written to");
        expect_fate(false, "");  // and that is the end of it
    }
}

/// The last piece is shorter, and a piece like any other.
TEST_P(Guarded, AnyOtherByteOfTheLastPieceIsFound) {
    for (const std::size_t at : {2 * piece, text_.size() - 1}) {
        overwrite(at, "#");
        const std::string line = complaint(2 * piece + 3, 2);
        EXPECT_NE(line.find("10 bytes from offset 8192 on are not those"), std::string::npos)
            << line;
        EXPECT_EQ(complaint(0, 2 * piece), "");
        expect_fate(true, "from offset 8192 on");
        overwrite(at, text_.substr(at, 1));
        EXPECT_EQ(complaint(2 * piece, 10), "");
        expect_fate(false, "holds the same bytes, but it was written to");
    }
}

TEST_P(Guarded, AShorterOneEndsSomewhere) {
    fs::resize_file(path_, piece + 7);
    EXPECT_EQ(complaint(0, piece), "");
    for (const std::size_t offset : {piece, 2 * piece}) {
        const std::string line = complaint(offset, 1);
        EXPECT_NE(line.find("it ends at offset 4103"), std::string::npos) << line;
        EXPECT_NE(line.find("its size went from 8202 to 4103 bytes"), std::string::npos) << line;
    }
    expect_fate(true, "it ends at offset 4103");
    fs::resize_file(path_, 0);
    expect_fate(true, "it ends at offset 0");
}

TEST_P(Guarded, ALongerOneGoesOnSomewhere) {
    overwrite(text_.size(), "x");
    EXPECT_EQ(complaint(0, text_.size()), "");  // nobody needs it
    expect_fate(true, "it goes on at offset 8202");
}

/// With an open descriptor the old file is read on.
TEST_P(Guarded, AnotherFileOfTheNameIsFound) {
    fs::create_hard_link(path_, scratch_.path() / "old");  // or its inode might be taken again
    std::string other = text_;
    other[piece] = '#';
    fs::rename(scratch_.write("other", other), path_);
    EXPECT_EQ(complaint(piece, 1).empty(), GetParam());
    expect_fate(true, "it is another file now (inode");
    fs::rename(scratch_.write("other", text_), path_);
    EXPECT_EQ(complaint(piece, 1), "");
    expect_fate(false, "holds the same bytes, but it is another file now");
}

TEST_P(Guarded, ARemovedOneIsSaid) {
    fs::remove(path_);
    const std::string line = complaint(0, 1);
    EXPECT_EQ(line.empty(), GetParam()) << line;
    EXPECT_EQ(line.find("No such file") == std::string::npos, GetParam()) << line;
    expect_fate(false, "was removed meanwhile");
    fs::create_directory(path_);
    expect_fate(true, "is no regular file");
}

INSTANTIATE_TEST_SUITE_P(OpenOrNot, Guarded, testing::Bool());

TEST(Dataset, LooksAtEveryShard) {
    const ScratchFolder scratch;
    const fs::path folder = scratch.path() / "few";
    SyntheticOptions options;
    options.shard_size_bytes = 4096;
    options.tokens = 4 * options.shard_size_bytes / 2;
    prepare_synthetic(options, folder);
    const Dataset data = Dataset::open(folder);
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".tok") names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    ASSERT_EQ(names.size(), data.shards());
    ASSERT_GE(names.size(), 5U);
    EXPECT_EQ(names.back(), "validation-00000.tok");
    for (const std::string& name : names) {
        std::string text = read_text(folder / name);
        text.back() = static_cast<char>(text.back() ^ 1);
        fs::rename(folder / name, scratch.path() / "kept");
        scratch.write("few/" + name, text);
        const FileFate fate = data.look();
        EXPECT_TRUE(fate.changed) << name;
        EXPECT_NE(fate.words.find(name), std::string::npos) << fate.words;
        fs::rename(scratch.path() / "kept", folder / name);
        EXPECT_FALSE(data.look().changed) << name;
    }
}

/// More shards than a process may have descriptors.
TEST(ManyShards, NeedFewDescriptors) {
    const ScratchFolder scratch;
    SyntheticOptions options;
    options.shard_size_bytes = 4096;
    options.tokens = 300 * options.shard_size_bytes / 2;
    prepare_synthetic(options, scratch.path() / "many");
    rlimit limit{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    rlimit lower = limit;
    lower.rlim_cur = Dataset::most_open + 30;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &lower), 0);
    const Dataset data = Dataset::open(scratch.path() / "many");
    EXPECT_EQ(data.shards(), 300U);
    std::vector<Token> inputs(2000 * 8);
    std::vector<std::int32_t> targets(inputs.size());
    Sampler(data.train(), 8, 1).fill(0, 0, inputs, targets);
    const ValidationWindows windows(data.validation(), 8);
    windows.fill(windows.count() - 1, windows.count(), std::span(inputs).first(8),
                 std::span(targets).first(8));
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    EXPECT_EQ(data.look().words, "");
}

}  // namespace
}  // namespace shardstone::validation
