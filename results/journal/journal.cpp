// SPDX-License-Identifier: BSD-3-Clause
// What a run has finished is appended to its journal and survives a kill or a full disk.
#include "results/journal/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "kernels/base/error.hpp"
#include "results/format/atomic_file.hpp"
#include "results/journal/lines.hpp"
#include "results/journal/recover.hpp"

namespace shardstone::results {

namespace {

std::string cannot_write(const std::filesystem::path& path) {
    return fmt::format("cannot write the journal '{}': {}", path.string(), std::strerror(errno));
}

int open_folder_of(const std::filesystem::path& path) {
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    return ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/// Whether the file that is open has this name in a folder.
bool is_file_at(int descriptor, int folder, const char* name) {
    struct stat open {
    }, there{};
    return ::fstat(descriptor, &open) == 0 &&
           ::fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
           open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

}  // namespace

bool is_being_written(const std::filesystem::path& journal) {
    const int descriptor = ::open(journal.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return false;
    const bool held = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    ::close(descriptor);
    return held;
}

Journal::Journal(std::filesystem::path path, const Record& begun, const std::string& done,
                 std::chrono::milliseconds pace)
    : path_(std::move(path)),
      pace_(pace),
      written_(std::chrono::steady_clock::now()),
      synced_(written_) {
    const std::string head = head_text(begun), part = part_text(begun, done);
    const std::string head_hash = line_hash("", head);
    last_hash_ = line_hash(head_hash, part);
    const std::string text = fmt::format("{} {}\n{} {}\n", head_hash, head, last_hash_, part);
    write_file(path_, text);
    on_disk_ = static_cast<std::int64_t>(text.size());
    folder_ = open_folder_of(path_);
    constexpr int flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
    descriptor_ = ::openat(folder_, path_.filename().c_str(), flags);
    if (descriptor_ < 0) {
        const std::string reason = cannot_write(path_);
        ::close(folder_);
        fail(reason, ExitCode::output_lost);
    }
    ::flock(descriptor_, LOCK_EX | LOCK_NB);  // where the file system knows no locks, as before
}

Journal::~Journal() {
    ::close(descriptor_);
    ::close(folder_);
}

void Journal::add(const Record& part, const std::string& done) {
    if (overflown_) {
        flush();
        return;
    }
    add_part(waiting_, part);
    waiting_done_ = done;
    const auto now = std::chrono::steady_clock::now();
    if (now - written_ < pace_) return;
    flush();
    written_ = now;
    if (now - synced_ < sync_interval || !trouble_.empty()) return;
    sync();
    synced_ = now;
}

/// What does not fit any more leaves no gap: nothing after it is taken either.
void Journal::queue_waiting() {
    if (waiting_done_.empty()) return;
    const std::string text = part_text(waiting_, waiting_done_);
    waiting_ = {};
    waiting_done_.clear();
    if (lines_.size() + text.size() > most_lines_bytes) sync();
    overflown_ |= lines_.size() + text.size() > most_lines_bytes && !trouble_.empty();
    if (overflown_) return;
    last_hash_ = line_hash(last_hash_, text);
    lines_ += last_hash_ + " " + text + "\n";
}

void Journal::flush() {
    queue_waiting();
    const bool was_in_trouble = !trouble_.empty();
    if (write_lines() && (!was_in_trouble || sync())) trouble_.clear();
}

/// After a failure the file ends where a line does.
bool Journal::write_lines() {
    // A cut that failed before may have left a piece of a line there.
    if (!trouble_.empty() && !cut_to(in_file_)) return false;
    std::size_t written = in_file_;
    while (written < lines_.size()) {
        const ssize_t more = ::write(descriptor_, lines_.data() + written, lines_.size() - written);
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) {
            trouble_ = cannot_write(path_);
            const auto end = written == 0 ? std::string::npos : lines_.rfind('\n', written - 1);
            cut_to(end == std::string::npos ? 0 : end + 1);
            return false;
        }
        written += static_cast<std::size_t>(more);
    }
    in_file_ = written;
    return true;
}

bool Journal::cut_to(std::size_t bytes) {
    in_file_ = bytes;
    if (::ftruncate(descriptor_, on_disk_ + static_cast<std::int64_t>(bytes)) == 0) return true;
    trouble_ = cannot_write(path_);
    return false;
}

/// A file over a network may tell only now that there was no room: then all is written again.
bool Journal::sync() {
    if (::fdatasync(descriptor_) != 0) {
        trouble_ = cannot_write(path_);
        cut_to(0);
        return false;
    }
    lines_.erase(0, in_file_);
    on_disk_ += static_cast<std::int64_t>(in_file_);
    in_file_ = 0;
    return true;
}

void Journal::close() {
    flush();
    ::flock(descriptor_, LOCK_UN);
}

void Journal::remove() {
    const std::string name = path_.filename();
    if (is_file_at(descriptor_, folder_, name.c_str())) ::unlinkat(folder_, name.c_str(), 0);
}

std::filesystem::path Journal::place() const {
    if (is_file_at(descriptor_, AT_FDCWD, path_.c_str())) return path_;
    struct stat ours {};
    if (::fstat(descriptor_, &ours) != 0 || ours.st_nlink == 0) return {};
    std::error_code failed;
    auto now = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", descriptor_), failed);
    // NFS keeps a removed file under such a name until it is closed.
    const bool goes_soon = now.filename().string().starts_with(".nfs");
    return failed || goes_soon ? std::filesystem::path() : now;
}

}  // namespace shardstone::results
