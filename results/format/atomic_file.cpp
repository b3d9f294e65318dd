// SPDX-License-Identifier: BSD-3-Clause
// A file is written without its name, synced, and only then renamed to its place.
#include "results/format/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/regular_file.hpp"
#include "results/format/temporary_name.hpp"
#include "results/record/record.hpp"

namespace shardstone::results {

namespace {

constexpr mode_t for_all = 0666;  // less what the umask takes

std::filesystem::path folder_of(const std::filesystem::path& path) {
    return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

bool write_all(int descriptor, std::string_view bytes, off_t offset) {
    while (!bytes.empty()) {
        const ssize_t written = ::pwrite(descriptor, bytes.data(), bytes.size(), offset);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(written));
        offset += written;
    }
    return true;
}

/// Under which a file without a name can be given one.
std::string handle_of(int descriptor) {
    return fmt::format("/proc/self/fd/{}", descriptor);
}

/// -1 where the file system, or a system without /proc, does not have files without names.
int open_without_name(const std::filesystem::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, for_all);
    if (descriptor < 0 || ::access(handle_of(descriptor).c_str(), F_OK) == 0) return descriptor;
    ::close(descriptor);
    return -1;
}

/// Names that were free when the run began, and are not written yet.
std::set<std::filesystem::path>& expected_absent() {
    static std::set<std::filesystem::path> of_this_process;
    return of_this_process;
}

/// False with EEXIST where something has the name.
bool rename_to_free(const std::filesystem::path& from, const std::filesystem::path& to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS) return false;
    // A file system that cannot: link() never replaces either.
    return ::link(from.c_str(), to.c_str()) == 0 && ::unlink(from.c_str()) == 0;
}

bool sync_folder(const std::filesystem::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return false;
    const bool synced = ::fsync(descriptor) == 0;
    const int reason = errno;
    ::close(descriptor);
    errno = reason;
    return synced;
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
    require(path_.has_filename(), [&] {
        return fmt::format("cannot write '{}': it names a folder; add a file name", path_.string());
    });
    std::error_code ignored;
    const auto status = std::filesystem::status(path_, ignored);
    require(!std::filesystem::exists(status) || std::filesystem::is_regular_file(status), [&] {
        return fmt::format("cannot write '{}': it exists and is not a regular file; choose another",
                           path_.string());
    });
    remove_leftovers(path_);
    create();
}

void AtomicFile::create() {
    descriptor_ = open_without_name(folder_of(path_));
    if (descriptor_ >= 0) return;
    temporary_ = fresh_temporary(path_);
    constexpr int fresh_and_ours = O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC;
    descriptor_ = ::open(temporary_.c_str(), fresh_and_ours, for_all);
    if (descriptor_ < 0) fail_with("create a file in");
    mark_as_in_use(descriptor_);
}

AtomicFile::~AtomicFile() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    if (descriptor_ >= 0) ::close(descriptor_);
}

void AtomicFile::write(std::string_view bytes, std::uintmax_t offset) {
    if (!write_all(descriptor_, bytes, static_cast<off_t>(offset))) fail_with("write to");
}

/// At once where nothing has it: a run that is killed then leaves no other name.
bool AtomicFile::takes_free_name() {
    return temporary_.empty() && ::linkat(AT_FDCWD, handle_of(descriptor_).c_str(), AT_FDCWD,
                                          path_.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

/// A link never replaces a file, so the name that is to be renamed comes first.
void AtomicFile::give_it_a_name() {
    if (!temporary_.empty()) return;
    mark_as_in_use(descriptor_);
    const auto name = fresh_temporary(path_);
    if (::linkat(AT_FDCWD, handle_of(descriptor_).c_str(), AT_FDCWD, name.c_str(),
                 AT_SYMLINK_FOLLOW) != 0) {
        fail_with("name a file in");
    }
    temporary_ = name;
}

void AtomicFile::commit() {
    if (::fsync(descriptor_) != 0) fail_with("sync to");
    const bool was_absent = expected_absent().erase(path_) != 0;
    const auto beside = takes_free_name() ? std::filesystem::path() : rename_into_place(was_absent);
    temporary_.clear();
    if (!sync_folder(folder_of(path_))) fail_with("sync");
    if (beside.empty()) return;
    fail(fmt::format("'{}' appeared while this ran and is kept: what was to be there is '{}'",
                     path_.string(), beside.string()),
         ExitCode::output_lost);
}

std::filesystem::path AtomicFile::rename_into_place(bool was_absent) {
    give_it_a_name();
    if (was_absent) {
        if (rename_to_free(temporary_, path_)) return {};
        if (errno != EEXIST) fail_with("rename in");
        return rename_beside();
    }
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail_with("rename in");
    return {};
}

std::filesystem::path AtomicFile::rename_beside() {
    for (int number = 2;; ++number) {
        auto beside = path_;
        beside.replace_extension(fmt::format("{}{}", number, path_.extension().string()));
        if (rename_to_free(temporary_, beside)) return beside;
        if (errno != EEXIST) fail_with("rename in");
    }
}

void expect_absent(const std::filesystem::path& path) {
    expected_absent().insert(path);
}

void AtomicFile::fail_with(const char* action) const {
    const char* reason = std::strerror(errno);
    fail(fmt::format("cannot write '{}': cannot {} the folder '{}': {}", path_.string(), action,
                     folder_of(path_).string(), reason),
         ExitCode::output_lost);
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
    AtomicFile file(path);
    file.write(bytes);
    file.commit();
}

std::string read_file(const std::filesystem::path& path) {
    return RegularFile(path).read_all();
}

/// With what stands before and after it while it and the files beside it are written.
void require_room_for_name(const std::filesystem::path& path) {
    // ".journal" and ".damaged", or ".failures.jsonl", and of a temporary file of that the dot
    // before and ".kkkkkkkk-rrrrrrrrrrrrrrrr.tmp" behind it: 47 at most.
    constexpr long most_added = 48;
    const long most = ::pathconf(folder_of(path).c_str(), _PC_NAME_MAX) - most_added;
    const auto length = static_cast<long>(path.filename().native().size());
    require(most <= 0 || length <= most, [&] {
        return fmt::format(
            "cannot write '{}': its name has {} bytes, and takes more while it is "
            "written: give {} at most",
            path.string(), length, most);
    });
}

void require_writable(const std::filesystem::path& path) {
    require_room_for_name(path);
    try {
        const AtomicFile probe(path);
    } catch (const Error& error) {
        fail(error.what());  // before the run nothing is lost yet: another place can be chosen
    }
}

}  // namespace shardstone::results
