// SPDX-License-Identifier: BSD-3-Clause
// Every damaged file is refused in one line that names it; nothing half-written is ever left.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "kernels/base/error.hpp"
#include "results/record/record.hpp"
#include "validation/unit/results/example_record.hpp"

namespace shardstone::validation {
namespace {

std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return bytes.str();
}

void store(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

void expect_refused(const std::filesystem::path& path, const std::string& what) {
    try {
        results::read_record(path);
        ADD_FAILURE() << what << " went unnoticed";
    } catch (const Error& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find(path.filename().string()), std::string::npos) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
}

class Damage : public testing::TestWithParam<const char*> {
  protected:
    Damage() : path_(folder_ / GetParam()) {
        if (std::string(GetParam()).ends_with("json")) {
            results::write_json(example_record(), path_);
        } else {
            results::write_hdf5(example_record(), path_);
        }
        bytes_ = bytes_of(path_);
    }
    TemporaryFolder folder_;
    std::filesystem::path path_;
    std::string bytes_;
};

TEST_P(Damage, AFlippedByteIsSeen) {
    // The heads of both formats whole (the HDF5 one is 512 bytes long), then every 61st byte.
    for (std::size_t i = 0; i < bytes_.size(); i += i < 520 ? 1 : 61) {
        const int mask = i % 2 == 0 ? 0x01 : 0xff;
        std::string damaged = bytes_;
        damaged[i] = static_cast<char>(damaged[i] ^ mask);
        store(path_, damaged);
        expect_refused(path_, "a flip in byte " + std::to_string(i));
    }
}

TEST_P(Damage, ACutOrLongerFileIsSeen) {
    for (std::size_t size = 0; size < bytes_.size(); size += 1 + bytes_.size() / 50) {
        store(path_, bytes_.substr(0, size));
        expect_refused(path_, "a cut at " + std::to_string(size));
    }
    store(path_, bytes_ + " ");
    expect_refused(path_, "a byte more");
}

TEST_P(Damage, TheOriginalIsStillTaken) {
    store(path_, bytes_);
    EXPECT_NO_THROW(results::read_record(path_));
}

INSTANTIATE_TEST_SUITE_P(Formats, Damage, testing::Values("record.json", "record.h5"));

TEST(Unwritable, FoldersAndDevicesAreRefusedUpFront) {
    const TemporaryFolder folder;
    const std::vector<std::filesystem::path> places{folder / "absent" / "record.json",
                                                    folder.path(), folder / "", "/dev/null",
                                                    "/proc/record.json"};
    for (const auto& path : places) {
        EXPECT_THROW(results::require_writable(path), Error) << path;
        EXPECT_THROW(results::write_json(example_record(), path), Error) << path;
        EXPECT_THROW(results::write_hdf5(example_record(), path), Error) << path;
    }
    EXPECT_NO_THROW(results::require_writable(folder / "record.json"));
    EXPECT_EQ(folder.entries(), 0U);
    struct stat device {};
    ASSERT_EQ(stat("/dev/null", &device), 0);
    EXPECT_TRUE(S_ISCHR(device.st_mode)) << "a device was replaced";
}

TEST(Unreadable, AbsentFoldersAndForeignFilesAreRefused) {
    const TemporaryFolder folder;
    expect_refused(folder / "absent.json", "an absent file");
    expect_refused(folder.path(), "a folder");
    store(folder / "foreign.json", "{\"benchmarks\": []}");
    expect_refused(folder / "foreign.json", "foreign JSON");
    store(folder / "foreign.h5", "\x89HDF\r\n\x1a\n and more");
    expect_refused(folder / "foreign.h5", "foreign HDF5");
    store(folder / "empty.json", "");
    expect_refused(folder / "empty.json", "an empty file");
}

}  // namespace
}  // namespace shardstone::validation
