// SPDX-License-Identifier: BSD-3-Clause
#include "results/format/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "kernels/base/error.hpp"
#include "results/format/record.hpp"

namespace shardstone::results {

namespace {

class Descriptor {
  public:
    Descriptor(const std::filesystem::path& path, int flags)
        : value_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (value_ >= 0) ::close(value_);
    }
    bool open() const { return value_ >= 0; }
    int get() const { return value_; }

  private:
    int value_;
};

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

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
    require(path_.has_filename(), [&] {
        return fmt::format("cannot write '{}': it names a folder; add a file name", path_.string());
    });
    std::error_code ignored;
    const auto status = std::filesystem::status(path_, ignored);
    require(!std::filesystem::exists(status) || std::filesystem::is_regular_file(status), [&] {
        return fmt::format("cannot write '{}': it exists and is no regular file; choose another",
                           path_.string());
    });
    temporary_ = folder_of(path_) / fmt::format(".{}.{}.tmp", path_.filename().string(), getpid());
    if (!Descriptor(temporary_, O_WRONLY | O_CREAT | O_TRUNC).open()) fail_with("create a file in");
}

AtomicFile::~AtomicFile() {
    if (!committed_) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes, std::uintmax_t offset) {
    const Descriptor file(temporary_, O_WRONLY);
    if (!file.open() || !write_all(file.get(), bytes, static_cast<off_t>(offset))) {
        fail_with("write to");
    }
}

void AtomicFile::commit() {
    const Descriptor file(temporary_, O_RDONLY);
    if (!file.open() || ::fsync(file.get()) != 0) fail_with("sync to");
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail_with("rename in");
    committed_ = true;
    const Descriptor folder(folder_of(path_), O_RDONLY | O_DIRECTORY);
    if (!folder.open() || ::fsync(folder.get()) != 0) fail_with("sync");
}

void AtomicFile::fail_with(const char* action) const {
    const char* reason = std::strerror(errno);
    fail(fmt::format("cannot write '{}': cannot {} the folder '{}': {}", path_.string(), action,
                     folder_of(path_).string(), reason));
}

std::string read_file(const std::filesystem::path& path) {
    std::error_code ignored;
    const auto status = std::filesystem::status(path, ignored);
    require(!std::filesystem::exists(status) || std::filesystem::is_regular_file(status),
            [&] { return fmt::format("cannot read '{}': it is no regular file", path.string()); });
    std::ifstream file(path, std::ios::binary);
    require(file.is_open(), [&] {
        return fmt::format("cannot read '{}': {}", path.string(), std::strerror(errno));
    });
    std::ostringstream bytes;
    bytes << file.rdbuf();
    require(!file.bad(), [&] { return fmt::format("cannot read '{}'", path.string()); });
    return std::move(bytes).str();
}

void require_writable(const std::filesystem::path& path) {
    const AtomicFile probe(path);
}

}  // namespace shardstone::results
