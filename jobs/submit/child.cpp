// SPDX-License-Identifier: BSD-3-Clause
// Starts other programs (sbatch, squeue, mpiexec) and collects what they leave.
#include "jobs/submit/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>

#include "jobs/submit/folder_lock.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::submit {

namespace {

using namespace std::chrono_literals;

constexpr auto time_between_looks = 20ms;

int code_of(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<char*> arguments_of(const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    return arguments;
}

/// In the new process: signals as any program expects them, then the program.
[[noreturn]] void become(const std::vector<std::string>& words) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) {
        std::signal(signal, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    auto arguments = arguments_of(words);
    ::execvp(arguments.front(), arguments.data());
    const std::string why = fmt::format("{}: {}\n", words.front(), std::strerror(errno));
    if (::write(STDERR_FILENO, why.data(), why.size()) < 0) ::_exit(126);
    ::_exit(127);
}

pid_t fork_or_fail(const std::vector<std::string>& words) {
    const pid_t process = ::fork();
    require(process >= 0, [&] {
        return fmt::format("'{}' cannot be started: {}", words.front(), std::strerror(errno));
    });
    return process;
}

void open_as(int descriptor, const std::filesystem::path& file, int flags) {
    const int opened = ::open(file.c_str(), flags, 0666);
    if (opened < 0) ::_exit(126);
    ::dup2(opened, descriptor);
    if (opened != descriptor) ::close(opened);
}

/// A file without a name: it takes any amount of output, and nobody has to read while it comes.
class Scratch {
  public:
    Scratch() : file_(std::tmpfile()) {
        require(file_ != nullptr, "no temporary file can be made: is the disk of /tmp full?");
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() { std::fclose(file_); }

    int descriptor() const { return ::fileno(file_); }
    std::string text() const {
        std::string text;
        std::rewind(file_);
        std::array<char, 4096> part{};
        for (std::size_t got = 0; (got = std::fread(part.data(), 1, part.size(), file_)) > 0;) {
            text.append(part.data(), got);
        }
        return text;
    }

  private:
    std::FILE* file_;
};

/// In a new process, whose parent may have ended already. Not by SIGTERM: a launcher that gets it
/// while it starts its ranks may wait for them for ever.
void end_with(pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(128 + SIGKILL);
}

/// `prepare` is called in the new process, with the number of this one.
pid_t start_collected(const std::vector<std::string>& words,
                      const std::vector<std::string>& withheld, const Scratch& out,
                      const Scratch& err, void (*prepare)(pid_t parent)) {
    const pid_t parent = ::getpid();
    const pid_t process = fork_or_fail(words);
    if (process != 0) return process;
    prepare(parent);
    open_as(STDIN_FILENO, "/dev/null", O_RDONLY);
    ::dup2(out.descriptor(), STDOUT_FILENO);
    ::dup2(err.descriptor(), STDERR_FILENO);
    for (const std::string& name : withheld) ::unsetenv(name.c_str());
    become(words);
}

/// The exit code, if it has ended.
std::optional<int> code_now(pid_t process) {
    int status = 0;
    if (::waitpid(process, &status, WNOHANG) != process) return std::nullopt;
    return code_of(status);
}

std::optional<int> code_within(std::chrono::milliseconds limit, pid_t process) {
    const auto until = std::chrono::steady_clock::now() + limit;
    for (;;) {
        const bool late = std::chrono::steady_clock::now() > until;
        const auto code = code_now(process);
        if (code || late) return code;
        std::this_thread::sleep_for(time_between_looks);
    }
}

}  // namespace

std::string last_line_of(const std::string& text) {
    std::istringstream lines(text);
    std::string last;
    for (std::string line; std::getline(lines, line);) {
        if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
    }
    return last;
}

std::string Outcome::last_line() const {
    for (const std::string& text : {err, out}) {
        if (auto line = last_line_of(text); !line.empty()) return line;
    }
    return fmt::format("exit code {}", code);
}

Outcome run_command(const std::vector<std::string>& words,
                    const std::vector<std::string>& withheld) {
    const Scratch out, err;
    const auto prepare = [](pid_t /*parent*/) { FolderLock::share(); };
    const pid_t process = start_collected(words, withheld, out, err, prepare);
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return {code_of(status), out.text(), err.text()};
}

Outcome ask_command(const std::vector<std::string>& words, std::chrono::milliseconds limit,
                    const std::vector<std::string>& withheld) {
    const Scratch out, err;
    const pid_t process = start_collected(words, withheld, out, err, end_with);
    if (const auto code = code_within(limit, process)) return {*code, out.text(), err.text()};
    // Not waited for: where a file system hangs it may not even hear this.
    ::kill(process, SIGKILL);
    constexpr int timed_out = 124;
    return {timed_out, "", fmt::format("no answer within {:g} s", limit / 1.0s)};
}

bool is_on_path(const std::string& program) {
    if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0;
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
    }
    return false;
}

Child::Child(const Setup& setup) {
    const pid_t parent = ::getpid();
    process_ = fork_or_fail(setup.words);
    if (process_ != 0) {
        ::setpgid(process_, process_);
        return;
    }
    FolderLock::share();
    ::setpgid(0, 0);
    end_with(parent);
    open_as(STDIN_FILENO, "/dev/null", O_RDONLY);
    open_as(STDOUT_FILENO, setup.out, O_WRONLY | O_CREAT | O_TRUNC);
    open_as(STDERR_FILENO, setup.err, O_WRONLY | O_CREAT | O_TRUNC);
    for (const auto& [name, value] : setup.environment) ::setenv(name.c_str(), value.c_str(), 1);
    become(setup.words);
}

Child::~Child() {
    if (poll()) return;
    send(SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

std::optional<int> Child::poll() {
    if (!code_) code_ = code_now(process_);
    return code_;
}

void Child::send(int signal) const {
    ::kill(-process_, signal);
}

Child::Ended Child::wait(std::chrono::milliseconds limit, std::chrono::milliseconds grace) {
    const auto begin = std::chrono::steady_clock::now();
    bool asked = false;
    for (;;) {
        if (const auto code = poll()) return {*code, asked};
        const auto took = std::chrono::steady_clock::now() - begin;
        if (took > limit && !asked) {
            send(SIGTERM);
            asked = true;
        }
        if (took > limit + grace) send(SIGKILL);
        std::this_thread::sleep_for(time_between_looks);
    }
}

}  // namespace shardstone::submit
