// SPDX-License-Identifier: BSD-3-Clause
// Keeps stdout and stderr usable for a whole run: closed descriptors, dead readers, JSON on stdout.
#include "jobs/command/standard_streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
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

/// Why something that was printed did not get through; 0: it did.
int& reason_of_loss() {
    static int reason = 0;
    return reason;
}

/// For fopencookie(): claims success, since a FILE that has failed once fails for ever.
ssize_t print_or_drop(void* cookie, const char* bytes, std::size_t size) {
    const int descriptor = cookie != nullptr ? STDERR_FILENO : STDOUT_FILENO;
    for (std::string_view rest(bytes, size); !rest.empty();) {
        const ssize_t written = ::write(descriptor, rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            if (descriptor == STDOUT_FILENO) reason_of_loss() = errno;
            break;
        }
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    return static_cast<ssize_t>(size);
}

/// Lines go to a terminal at once; pieces of text to all else.
FILE* forgiving_stream(int descriptor, int buffering) {
    static char is_stderr = 0;
    constexpr cookie_io_functions_t functions{nullptr, print_or_drop, nullptr, nullptr};
    FILE* const stream =
        ::fopencookie(descriptor == STDERR_FILENO ? &is_stderr : nullptr, "w", functions);
    require(stream != nullptr, "cannot open the standard streams: not enough memory");
    std::setvbuf(stream, nullptr, buffering, BUFSIZ);
    return stream;
}

}  // namespace

void forgive_failed_prints() {
    stdout = forgiving_stream(STDOUT_FILENO, ::isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF);
    stderr = forgiving_stream(STDERR_FILENO, _IONBF);
}

void outlive_readers() {
    std::signal(SIGPIPE, SIG_IGN);
}

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
        if (written < 0) {
            fail(fmt::format("cannot write the record to stdout: {}", std::strerror(errno)),
                 ExitCode::output_lost);
        }
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
}

bool prints_were_lost() {
    std::fflush(stdout);
    return reason_of_loss() != 0 && reason_of_loss() != EPIPE;
}

int code_after_flush(int code) {
    if (!prints_were_lost() || code == number_of(ExitCode::bad_input)) return code;
    fmt::print(stderr, "shardstone: cannot write to stdout: {}\n", std::strerror(reason_of_loss()));
    return code != 0 ? code : number_of(ExitCode::output_lost);
}

}  // namespace shardstone::command
