// SPDX-License-Identifier: BSD-3-Clause
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

[[noreturn]] void fail_with(const std::filesystem::path& path) {
    fail(fmt::format("cannot write the journal '{}': {}", path.string(), std::strerror(errno)),
         ExitCode::output_lost);
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
    write_file(path_, fmt::format("{} {}\n{} {}\n", head_hash, head, last_hash_, part));
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor_ < 0) fail_with(path_);
    ::flock(descriptor_, LOCK_EX | LOCK_NB);  // where the file system knows no locks, as before
}

Journal::~Journal() {
    ::close(descriptor_);
}

void Journal::add(const Record& part, const std::string& done) {
    add_part(waiting_, part);
    const auto now = std::chrono::steady_clock::now();
    waiting_done_ = done;
    if (now - written_ < pace_) return;
    write_waiting();
    written_ = now;
    if (now - synced_ < sync_interval) return;
    if (::fdatasync(descriptor_) != 0) fail_with(path_);
    synced_ = now;
}

void Journal::write_waiting() {
    write_line(part_text(waiting_, waiting_done_));
    waiting_ = {};
    waiting_done_.clear();
}

void Journal::close() {
    if (!waiting_done_.empty()) write_waiting();
    ::flock(descriptor_, LOCK_UN);
}

/// A line that was written in part has no end, and is passed over by who reads.
void Journal::write_line(const std::string& text) {
    const std::string hash = line_hash(last_hash_, text);
    const std::string line = hash + " " + text + "\n";
    std::string_view rest = line;
    while (!rest.empty()) {
        const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) fail_with(path_);
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    last_hash_ = hash;
}

void Journal::remove() {
    struct stat ours {
    }, there{};
    if (::fstat(descriptor_, &ours) != 0 || ::lstat(path_.c_str(), &there) != 0) return;
    if (ours.st_dev == there.st_dev && ours.st_ino == there.st_ino) ::unlink(path_.c_str());
}

}  // namespace shardstone::results
