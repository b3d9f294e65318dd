// SPDX-License-Identifier: BSD-3-Clause
// Reads a file in pieces that are each held against the hash that they had at first.
#include "reference/data/guarded_file.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "kernels/base/error.hpp"
#include "reference/data/hash.hpp"

namespace shardstone::reference {

namespace {

std::int64_t nanoseconds(const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

FileState state_from(const struct stat& status) {
    return {status.st_dev, status.st_ino, static_cast<std::size_t>(status.st_size),
            nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
}

FileState state_of(const RegularFile& file) {
    struct stat status {};
    ::fstat(file.descriptor(), &status);
    return state_from(status);
}

/// Nothing where there is no file of that name; errno says why.
std::optional<FileState> state_at(const std::filesystem::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return state_from(status);
}

/// "it is another file now (inode 12, was 11); its size went from 100 to 50 bytes"; empty if
/// nothing of that is another.
std::string difference(const FileState& was, const FileState& is) {
    std::string words;
    const auto add = [&](const std::string& more) { words += (words.empty() ? "" : "; ") + more; };
    if (was.inode != is.inode || was.device != is.device) {
        add(fmt::format("it is another file now (inode {}, was {})", is.inode, was.inode));
    }
    if (was.size_bytes != is.size_bytes) {
        add(fmt::format("its size went from {} to {} bytes", was.size_bytes, is.size_bytes));
    }
    if (was.written_ns != is.written_ns) {
        add(fmt::format("it was written to at {:%FT%TZ}",
                        fmt::gmtime(static_cast<std::time_t>(is.written_ns / 1'000'000'000))));
    }
    return words;
}

[[noreturn]] void fail_changed(const std::filesystem::path& path, const std::string& what,
                               const FileState& was, const FileState& is) {
    const std::string how = difference(was, is);
    fail(fmt::format("'{}' changed while it was used: {}; {}; restore the data and run again",
                     path.string(), what,
                     how.empty() ? "its size, time and inode are what they were" : how),
         ExitCode::check_failed);
}

}  // namespace

GuardedFile::GuardedFile(const std::filesystem::path& path, bool stays_open) : path_(path) {
    const RegularFile* file = &open_.emplace(path);
    state_ = state_of(*file);
    if (!stays_open) open_.reset();
}

/// With the descriptor that is open, or one for now.
template <class Action>
void GuardedFile::with_file(Action&& action) const {
    if (open_) {
        action(*open_);
    } else {
        const RegularFile now(path_);
        action(now);
    }
}

std::size_t GuardedFile::size_of(std::size_t piece) const {
    return std::min(piece_bytes, size_bytes() - piece * piece_bytes);
}

/// As many of its bytes as the file has.
std::span<const std::byte> GuardedFile::read_piece(const RegularFile& file, std::size_t piece,
                                                   Buffer buffer) const {
    const std::size_t count = file.read_at(piece * piece_bytes, buffer.first(size_of(piece)));
    return buffer.first(count);
}

void GuardedFile::read_first(const std::function<void(std::span<const std::byte>)>& take) {
    alignas(64) std::array<std::byte, piece_bytes> buffer;
    const std::size_t pieces = (size_bytes() + piece_bytes - 1) / piece_bytes;
    hashes_.reserve(pieces);
    with_file([&](const RegularFile& file) {
        for (std::size_t piece = 0; piece < pieces; ++piece) {
            const auto bytes = read_piece(file, piece, buffer);
            require(bytes.size() == size_of(piece), [&] {
                return fmt::format(
                    "'{}' is truncated: it shrank from {} to {} bytes while it was "
                    "read",
                    path_.string(), size_bytes(), piece * piece_bytes + bytes.size());
            });
            hashes_.push_back(hash_of_bytes(bytes));
            take(bytes);
        }
    });
}

std::span<const std::byte> GuardedFile::read_same(const RegularFile& file, std::size_t piece,
                                                  Buffer buffer) const {
    const auto bytes = read_piece(file, piece, buffer);
    const std::size_t first = piece * piece_bytes, count = size_of(piece);
    if (bytes.size() < count) {
        const FileState now = state_of(file);
        const std::size_t end = std::min(now.size_bytes, first + bytes.size());
        fail_changed(path_, fmt::format("it ends at offset {}", end), state_, now);
    }
    if (hash_of_bytes(bytes) != hashes_[piece]) {
        fail_changed(path_,
                     fmt::format("the {} bytes from offset {} on are not those that were verified",
                                 count, first),
                     state_, state_of(file));
    }
    return bytes;
}

void GuardedFile::read(std::size_t offset, std::span<std::byte> to) const {
    SHARDSTONE_EXPECTS(offset + to.size() <= size_bytes());
    alignas(64) std::array<std::byte, piece_bytes> buffer;
    const auto fill = [&](const RegularFile& file) {
        while (!to.empty()) {
            const std::size_t piece = offset / piece_bytes;
            const auto from = read_same(file, piece, buffer).subspan(offset % piece_bytes);
            const std::size_t count = std::min(from.size(), to.size());
            std::ranges::copy(from.first(count), to.begin());
            to = to.subspan(count);
            offset += count;
        }
    };
    try {
        with_file(fill);
    } catch (const Error& error) {  // also of a disk or a network that fails
        fail(error.what(), ExitCode::check_failed);
    }
}

/// Throws Error at the first byte's piece that is another.
void GuardedFile::compare_all(const RegularFile& file, const FileState& now) const {
    if (now.size_bytes > size_bytes()) {
        fail_changed(path_, fmt::format("it goes on at offset {}", size_bytes()), state_, now);
    }
    alignas(64) std::array<std::byte, piece_bytes> buffer;
    for (std::size_t piece = 0; piece < hashes_.size(); ++piece) read_same(file, piece, buffer);
}

FileFate GuardedFile::look() const {
    const auto seen = state_at(path_);
    if (seen == state_) return {};
    if (!seen && errno == ENOENT) {
        return {false, fmt::format("'{}' was removed meanwhile", path_.string())};
    }
    try {
        const RegularFile file(path_);
        const FileState now = state_of(file);
        compare_all(file, now);
        const std::string how = difference(state_, now);
        state_ = now;
        if (how.empty()) return {};
        return {false, fmt::format("'{}' holds the same bytes, but {}", path_.string(), how)};
    } catch (const Error& error) {
        return {true, error.what()};
    }
}

}  // namespace shardstone::reference
