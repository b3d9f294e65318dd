// SPDX-License-Identifier: BSD-3-Clause
// Reads regular files alone: a pipe or a device is refused at once instead of waited for.
#include "kernels/base/regular_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "kernels/base/error.hpp"

namespace shardstone {

RegularFile::RegularFile(std::filesystem::path path) : path_(std::move(path)) {
    // Without O_NONBLOCK, opening a FIFO would wait for somebody who writes.
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor_ < 0) fail_to_read(std::strerror(errno));
    struct stat status {};
    const bool regular = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
    if (!regular) {
        ::close(descriptor_);
        fail_to_read("it is no regular file");
    }
    size_bytes_ = static_cast<std::size_t>(status.st_size);
}

RegularFile::~RegularFile() {
    ::close(descriptor_);
}

std::size_t RegularFile::read_at(std::size_t offset, std::span<std::byte> to) const {
    std::size_t filled = 0;
    while (filled < to.size()) {
        const ssize_t got = ::pread(descriptor_, to.data() + filled, to.size() - filled,
                                    static_cast<off_t>(offset + filled));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail_to_read(std::strerror(errno));
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
    }
    return filled;
}

std::string RegularFile::read_all(std::size_t most) const {
    // One more than it should have: then the end is seen without growing the text.
    constexpr std::size_t least_piece = 1 << 16;
    std::string bytes(std::min(most, size_bytes_ + 1), '\0');
    std::size_t filled = 0;
    while (filled < most) {
        if (filled == bytes.size()) bytes.resize(filled + std::min(most - filled, least_piece));
        const std::size_t got =
            read_at(filled, std::as_writable_bytes(std::span(bytes)).subspan(filled));
        if (got == 0) break;
        filled += got;
    }
    bytes.resize(filled);
    return bytes;
}

void RegularFile::fail_to_read(const char* reason) const {
    fail("cannot read '" + path_.string() + "': " + reason);
}

}  // namespace shardstone
