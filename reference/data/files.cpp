// SPDX-License-Identifier: BSD-3-Clause
// Writes data to the disk durably: synced files, folders that are renamed into place when whole.
#include "reference/data/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "kernels/base/error.hpp"
#include "results/format/temporary_name.hpp"

namespace shardstone::reference {

namespace {

namespace fs = std::filesystem;

void require_system(bool ok, const char* what, const fs::path& path,
                    ExitCode code = ExitCode::output_lost) {
    if (ok) return;
    fail(fmt::format("cannot {} '{}': {}", what, path.string(), std::strerror(errno)), code);
}

void sync_folder(const fs::path& folder) {
    const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    require_system(descriptor >= 0, "open folder", folder);
    const bool synced = fsync(descriptor) == 0;
    close(descriptor);
    require_system(synced, "sync folder", folder);
}

fs::path folder_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

void rename_into_place(const fs::path& from, const fs::path& to) {
    require_system(std::rename(from.c_str(), to.c_str()) == 0, "create", to);
    sync_folder(folder_of(to));
}

}  // namespace

OutputFile::OutputFile(fs::path path) : path_(std::move(path)) {
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
    descriptor_ = open(path_.c_str(), flags, 0666);
    require_system(descriptor_ >= 0, "write", path_);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0) close(descriptor_);
}

void OutputFile::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        require_system(written > 0, "write", path_);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

void OutputFile::overwrite(std::size_t offset, std::span<const std::byte> bytes) {
    const auto written =
        pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    require_system(written == static_cast<ssize_t>(bytes.size()), "write", path_);
}

void OutputFile::finish() {
    require_system(fsync(descriptor_) == 0, "sync", path_);
    require_system(close(std::exchange(descriptor_, -1)) == 0, "close", path_);
}

OutputFolder::OutputFolder(fs::path place) : place_(std::move(place)) {
    if (!place_.has_filename()) place_ = place_.parent_path();  // "out/" is "out"
    std::error_code status;
    const bool taken = fs::exists(place_, status) &&
                       (!fs::is_directory(place_, status) || !fs::is_empty(place_, status));
    require(!taken, [&] {
        return fmt::format("'{}' already exists: remove it or choose another --out",
                           place_.string());
    });
    fs::create_directories(folder_of(place_), status);
    require(!status, [&] {
        return fmt::format("cannot create '{}': {}", place_.string(), status.message());
    });
    results::remove_leftovers(place_);
    const fs::path fresh = results::fresh_temporary(place_);
    require_system(mkdir(fresh.c_str(), 0777) == 0, "create", place_, ExitCode::bad_input);
    temporary_ = fresh;
    descriptor_ = open(fresh.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor_ >= 0) results::mark_as_in_use(descriptor_);
}

OutputFolder::~OutputFolder() {
    std::error_code ignored;
    if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
    if (descriptor_ >= 0) close(descriptor_);
}

void OutputFolder::commit() {
    sync_folder(temporary_);
    rename_into_place(temporary_, place_);
    temporary_.clear();
}

}  // namespace shardstone::reference
