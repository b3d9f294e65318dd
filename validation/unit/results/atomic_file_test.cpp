// SPDX-License-Identifier: BSD-3-Clause
// A file appears whole or not at all, and nothing of a run that was killed stays.
#include "results/format/atomic_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "kernels/base/error.hpp"
#include "results/format/temporary_name.hpp"
#include "validation/unit/results/example_record.hpp"

namespace shardstone::validation {
namespace {

using results::AtomicFile;

TEST(AtomicFile, LeavesAModeToTheUmask) {
    const TemporaryFolder folder;
    const mode_t before = umask(027);
    results::write_file(folder / "file", "text");
    umask(before);
    struct stat status {};
    ASSERT_EQ(stat((folder / "file").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST(AtomicFile, TakesTheLinksPlaceAndSparesWhatItPointsTo) {
    const TemporaryFolder folder;
    results::write_file(folder / "target", "precious");
    std::filesystem::create_symlink(folder / "target", folder / "link");
    results::write_file(folder / "link", "new");
    EXPECT_FALSE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_EQ(results::read_file(folder / "link"), "new");
    EXPECT_EQ(results::read_file(folder / "target"), "precious");
}

TEST(AtomicFile, LeavesTheOldFileWhereItIsNotCommitted) {
    const TemporaryFolder folder;
    results::write_file(folder / "file", "old");
    {
        AtomicFile file(folder / "file");
        file.write("new");
    }
    EXPECT_EQ(results::read_file(folder / "file"), "old");
    EXPECT_EQ(folder.entries(), 1U);
}

/// A file that a run left under a temporary name long ago.
std::filesystem::path leftover(const TemporaryFolder& folder, const std::string& name) {
    const auto path = results::fresh_temporary(folder / name);
    std::ofstream(path) << "half";
    const timespec long_ago[]{{1000, 0}, {1000, 0}};
    EXPECT_EQ(utimensat(AT_FDCWD, path.c_str(), long_ago, 0), 0);
    return path;
}

TEST(AtomicFile, RemovesWhatAKilledRunLeftAndNothingElse) {
    const TemporaryFolder folder;
    const auto dead = leftover(folder, "file"), of_another = leftover(folder, "other");
    const auto in_use = leftover(folder, "file"), fresh = results::fresh_temporary(folder / "file");
    std::ofstream(fresh) << "just begun";
    const int descriptor = open(in_use.c_str(), O_RDONLY | O_CLOEXEC);
    results::mark_as_in_use(descriptor);
    const auto foreign = folder / ".file.01234567-0123456789abcdef.tmp";
    std::ofstream(foreign) << "of another machine";
    testing::internal::CaptureStderr();
    results::write_file(folder / "file", "text");
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("removed '" + dead.string() + "'"), std::string::npos) << said;
    EXPECT_FALSE(std::filesystem::exists(dead));
    for (const auto& spared : {of_another, in_use, fresh, foreign}) {
        EXPECT_TRUE(std::filesystem::exists(spared)) << spared;
    }
    close(descriptor);
}

/// No file of this process may grow beyond so many bytes while it lives: as a full disk.
class SizeLimit {
  public:
    explicit SizeLimit(rlim_t bytes) {
        std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~SizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

  private:
    rlimit before_{};
};

TEST(FullDisk, LeavesTheOldRecordAndNamesTheNewOne) {
    const TemporaryFolder folder;
    const std::array writers{&results::write_json, &results::write_hdf5};
    for (const auto write : writers) {
        const auto path = folder / "record";
        results::write_file(path, "old");
        for (const rlim_t limit : {0UL, 100UL, 600UL, 1500UL}) {
            const SizeLimit full(limit);
            try {
                write(example_record(), path);
                ADD_FAILURE() << "written within " << limit << " bytes";
            } catch (const Error& error) {
                EXPECT_EQ(error.code(), ExitCode::output_lost);
                EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos);
            }
        }
        EXPECT_EQ(results::read_file(path), "old");
        EXPECT_EQ(folder.entries(), 1U);
    }
}

TEST(ReadFile, WaitsForNobody) {
    const TemporaryFolder folder;
    ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
    EXPECT_THROW(results::read_file(folder / "fifo"), Error);
}

}  // namespace
}  // namespace shardstone::validation
