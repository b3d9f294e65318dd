// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/command/standard_streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "kernels/base/error.hpp"

namespace shardstone::command {

namespace {

/// Of stdout as the caller gave it, once tables go elsewhere.
int& descriptor_for_json() {
    static int descriptor = -1;
    return descriptor;
}

}  // namespace

void occupy_standard_descriptors() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) != -1) continue;
        // The lowest free one, which is this. Read-only, so that output is not lost in silence.
        if (::open("/dev/null", O_RDONLY) != descriptor) return;
    }
}

void reserve_stdout_for_json() {
    std::fflush(stdout);
    descriptor_for_json() = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    require(descriptor_for_json() >= 0 && ::dup2(STDERR_FILENO, STDOUT_FILENO) >= 0,
            [] { return fmt::format("cannot write to stdout: {}", std::strerror(errno)); });
}

bool stdout_is_for_json() {
    return descriptor_for_json() >= 0;
}

void write_to_stdout(const std::string& text) {
    for (std::string_view rest = text; !rest.empty();) {
        const ssize_t written = ::write(descriptor_for_json(), rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        require(written >= 0, [] {
            return fmt::format("cannot write the record to stdout: {}", std::strerror(errno));
        });
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
}

int code_after_flush(int code) {
    errno = 0;
    const bool reached = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (reached || code == 2) return code;
    if (errno == 0) {  // it was an earlier write that failed: another one says why
        std::clearerr(stdout);
        std::fputc('\n', stdout);
        std::fflush(stdout);
    }
    const char* reason = errno != 0 ? std::strerror(errno) : "a write failed";
    std::fprintf(stderr, "shardstone: cannot write to stdout: %s\n", reason);
    return 2;
}

}  // namespace shardstone::command
