// SPDX-License-Identifier: BSD-3-Clause
// Nothing here allocates or locks: it also runs in signal handlers, and when memory is out.
#include "kernels/base/failure_log.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "kernels/base/fixed_text.hpp"
#include "kernels/base/whereabouts.hpp"

namespace shardstone {

namespace {

using Path = FixedText<4096>;

constexpr std::string_view failures_ending = ".failures.jsonl";

/// Where the log goes that cannot be beside an output, in this order; null: there is none.
std::array<const char*, 2> folders_elsewhere() {
    const char* own = std::getenv("TMPDIR");
    return {own != nullptr && *own != '\0' ? own : nullptr, "/tmp"};
}

/// What is said of this process. Made without running any code, so that it is there whenever a
/// signal comes.
struct Speaker {
    Path beside_output;
    FixedText<256> host;
    int rank = 0;
};
constinit Speaker speaker;

using Line = FixedText<20000>;

/// In UTC; gmtime_r() takes a lock.
void add_time(Line& line) {
    using namespace std::chrono;
    const auto now = floor<milliseconds>(system_clock::now());
    const auto day = floor<days>(now);
    const year_month_day date(day);
    const hh_mm_ss time(now - day);
    line.add_number(int(date.year()), 4).add("-").add_number(unsigned(date.month()), 2).add("-");
    line.add_number(unsigned(date.day()), 2).add("T").add_number(time.hours().count(), 2);
    line.add(":").add_number(time.minutes().count(), 2).add(":");
    line.add_number(time.seconds().count(), 2).add(".");
    line.add_number(time.subseconds().count(), 3).add("Z");
}

std::string_view host_name(std::array<char, 256>& room) {
    if (!speaker.host.view().empty()) return speaker.host.view();
    return ::gethostname(room.data(), room.size() - 1) == 0 ? room.data() : "unknown";
}

void describe(std::string_view reason, ExitCode code, Line& line) {
    constexpr std::size_t most = 1500;  // each byte may take six: all of it fits
    std::array<char, 256> room{};
    line.add("{\"time\": \"");
    add_time(line);
    line.add("\", \"host\": \"").add_json(host_name(room));
    line.add("\", \"rank\": ").add_number(speaker.rank).add(", \"pid\": ").add_number(::getpid());
    const auto phase = whereabouts().phase();
    line.add(", \"phase\": \"").add_json(phase[0] == '\0' ? "starting" : phase.data());
    const std::int64_t number = whereabouts().number();
    if (number >= 0) line.add(" ").add_number(number);
    line.add("\", \"code\": ").add_number(number_of(code));
    line.add(", \"reason\": \"").add_json(reason.substr(0, most)).add("\"");
}

/// What the log is of, where it is not beside it.
void add_output(Line& line) {
    constexpr std::size_t most = 1000;  // as above
    const std::string_view log = speaker.beside_output.view();
    if (log.empty() || log.size() > most) return;
    const std::string_view output = log.substr(0, log.size() - failures_ending.size());
    line.add(", \"output\": \"").add_json(output).add("\"");
}

Path log_in(const char* folder) {
    Path path;
    path.add(folder).add("/shardstone-failures-").add_number(::geteuid()).add(".jsonl");
    return path;
}

/// How much of it was written: all, unless it failed.
std::size_t write_most(int descriptor, std::string_view text) {
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t written = ::write(descriptor, text.data() + done, text.size() - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        done += static_cast<std::size_t>(written);
    }
    return done;
}

/// Takes the last `bytes` that were written back, and the file if nothing else is in it. What
/// another rank has written behind them meanwhile stays, and they do too.
void take_back(int descriptor, const Path& path, std::size_t bytes) {
    const off_t behind = ::lseek(descriptor, 0, SEEK_CUR), end = ::lseek(descriptor, 0, SEEK_END);
    if (behind == end && ::ftruncate(descriptor, end - static_cast<off_t>(bytes)) != 0) return;
    if (::lseek(descriptor, 0, SEEK_END) == 0) ::unlink(path.c_str());
}

/// Not so where another rank took the file away as an empty one, just before.
bool still_has_a_name(int descriptor) {
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

/// A file of this user's own and no link to another: the fallback lies where anybody may write.
bool append(const Path& path, std::string_view line) {
    if (path.view().empty()) return false;
    constexpr int flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    const int descriptor = ::open(path.c_str(), flags, 0666);
    if (descriptor < 0) return false;
    struct stat status {};
    const bool ours = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
                      status.st_uid == ::geteuid();
    const std::size_t bytes = ours ? write_most(descriptor, line) : 0;
    const bool written =
        bytes == line.size() && ::fsync(descriptor) == 0 && still_has_a_name(descriptor);
    if (ours && !written) take_back(descriptor, path, bytes);
    ::close(descriptor);
    return written;
}

void sleep_ms(long milliseconds) {
    const timespec pause{0, milliseconds * 1'000'000};
    ::nanosleep(&pause, nullptr);
}

}  // namespace

void keep_failures_beside(const std::filesystem::path& output) {
    // In full, since a process may change its folder.
    std::error_code ignored;
    speaker.beside_output.clear();
    speaker.beside_output.add(std::filesystem::absolute(output, ignored).native());
    speaker.beside_output.add(failures_ending);
}

std::vector<std::filesystem::path> failure_logs_elsewhere() {
    std::vector<std::filesystem::path> logs;
    for (const char* folder : folders_elsewhere()) {
        if (folder != nullptr) logs.emplace_back(log_in(folder).view());
    }
    return logs;
}

void name_speaker(int rank, const std::string& host) {
    speaker.rank = rank;
    speaker.host.clear();
    speaker.host.add(host);
}

int speaking_rank() noexcept {
    return speaker.rank;
}

void enter_phase(const char* name, std::int64_t number) noexcept {
    whereabouts().enter(name, number);
}

void note_failure(const char* reason, ExitCode code) noexcept {
    const int errno_before = errno;
    Line line;
    describe(reason, code, line);
    Line elsewhere = line;
    if (!append(speaker.beside_output, line.add("}\n").view())) {
        add_output(elsewhere);
        elsewhere.add("}\n");
        for (const char* folder : folders_elsewhere()) {
            if (folder != nullptr && append(log_in(folder), elsewhere.view())) break;
        }
    }
    errno = errno_before;
}

void say_failure(const char* reason, bool with_rank) noexcept {
    const int errno_before = errno;
    Line line;
    line.add("shardstone: ");
    if (with_rank) {
        std::array<char, 256> room{};
        line.add("rank ").add_number(speaker.rank).add(" on ").add(host_name(room)).add(": ");
    }
    line.add(reason).add("\n");
    write_most(STDERR_FILENO, line.view());
    errno = errno_before;
}

void let_stderr_drain() noexcept {
    constexpr int looks = 100;
    constexpr long between_ms = 10;
    struct stat status {};
    const bool is_pipe = ::fstat(STDERR_FILENO, &status) == 0 && S_ISFIFO(status.st_mode);
    for (int i = 0, unread = 0; is_pipe && i < looks; ++i) {
        if (::ioctl(STDERR_FILENO, FIONREAD, &unread) != 0 || unread == 0) break;
        sleep_ms(between_ms);
    }
    // Read is not passed on yet: from the node to the launcher it has to go over a network.
    sleep_ms(10 * between_ms);
}

}  // namespace shardstone
