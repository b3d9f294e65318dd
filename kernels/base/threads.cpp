// SPDX-License-Identifier: BSD-3-Clause
// Starts helper threads with signals held back, and names the limit where no more can be started.
#include "kernels/base/threads.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "kernels/base/error.hpp"

namespace shardstone {

namespace {

namespace fs = std::filesystem;

/// "max" is none, and so is a file that is not there.
std::string number_in(const fs::path& file) {
    std::ifstream stream(file);
    long long number = 0;
    return stream >> number ? std::to_string(number) : "";
}

/// The innermost that has one, of this process's group and those above it. A container sees its own
/// at the top.
std::string group_limit(const fs::path& top, fs::path group) {
    for (;; group = group.parent_path()) {
        const fs::path folder = top / group.relative_path();
        const std::string most = number_in(folder / "pids.max");
        if (!most.empty()) {
            const std::string now = number_in(folder / "pids.current");
            return fmt::format("pids.max of cgroup {} is {}{}", group.string(), most,
                               now.empty() ? "" : ", of which " + now + " are there");
        }
        if (!group.has_relative_path()) return "";
    }
}

/// Lines of "NUMBER:CONTROLLERS:GROUP"; version 2 names no controllers.
std::string limit_of_groups() {
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        if (!controllers.empty() && controllers != "pids") continue;
        const std::string found =
            group_limit(fs::path("/sys/fs/cgroup") / controllers, line.substr(second + 1));
        if (!found.empty()) return found;
    }
    return "";
}

/// Threads that begin in this scope get no signal but those of their own faults, which their
/// handlers are to name.
class SignalsHeldBack {
  public:
    SignalsHeldBack() {
        sigset_t held;
        sigfillset(&held);
        for (const int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) sigdelset(&held, fault);
        pthread_sigmask(SIG_SETMASK, &held, &before_);
    }
    ~SignalsHeldBack() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsHeldBack(const SignalsHeldBack&) = delete;
    SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;

  private:
    sigset_t before_{};
};

}  // namespace

std::string limits_of_threads() {
    std::string limits = limit_of_groups();
    rlimit limit{};
    if (::getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        limits += fmt::format("{}ulimit -u is {}", limits.empty() ? "" : "; ", limit.rlim_cur);
    }
    return limits;
}

std::thread start_thread(std::function<void()> work) {
    const SignalsHeldBack held;
    try {
        return std::thread(std::move(work));
    } catch (const std::system_error& error) {
        const std::string limits = limits_of_threads();
        fail(
            fmt::format("no thread can be started ({}{}): raise ulimit -u or pids.max of the "
                        "cgroup, or start fewer ranks on a node",
                        error.code().message(), limits.empty() ? "" : "; " + limits));
    }
}

}  // namespace shardstone
