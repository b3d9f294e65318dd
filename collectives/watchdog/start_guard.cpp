// SPDX-License-Identifier: BSD-3-Clause
// A job whose ranks stop, hang or lose their launcher before MPI is up still ends and says why.
#include "collectives/watchdog/start_guard.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "collectives/cluster/launcher_abort.hpp"
#include "collectives/cluster/process.hpp"
#include "collectives/watchdog/process_state.hpp"
#include "collectives/watchdog/stall_report.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/threads.hpp"

namespace shardstone::collectives {

namespace {

constexpr std::chrono::milliseconds between_start_looks{250};

std::string host() {
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    return name.data();
}

/// The rank that a launcher told a process of the same user; -1 for anything else.
int rank_of(int process) {
    std::ifstream file(fmt::format("/proc/{}/environ", process), std::ios::binary);
    std::vector<std::string> entries;
    for (std::string entry; std::getline(file, entry, '\0');) entries.push_back(entry);
    for (const std::string variable : rank_variables) {
        for (const std::string& entry : entries) {
            if (entry.starts_with(variable + "=")) {
                return std::atoi(entry.c_str() + variable.size() + 1);
            }
        }
    }
    return -1;
}

struct StartingRank {
    int rank = 0, process = 0;
    char state = ' ';
};

/// What a launcher has started on this node.
struct Started {
    std::vector<StartingRank> ranks;  ///< in order
    int processes = 0;                ///< that have not ended, those of unknown rank included
};

Started started_by(int launcher) {
    Started started;
    std::error_code ended;
    const auto threads =
        std::filesystem::directory_iterator(fmt::format("/proc/{}/task", launcher), ended);
    for (const auto& thread : threads) {
        std::ifstream children(thread.path() / "children");
        for (int process = 0; children >> process;) {
            const int rank = rank_of(process);
            const char state = process_state(process);
            if (rank >= 0) started.ranks.push_back({rank, process, state});
            if (state != 'Z' && state != ' ') ++started.processes;
        }
    }
    std::ranges::sort(started.ranks, {}, &StartingRank::rank);
    return started;
}

RankView view_of(const StartingRank& one) {
    RankView view;
    view.rank = one.rank;
    view.node = host();
    view.process = one.process;
    return view;
}

[[noreturn]] void end_start(const std::string& reason, ExitCode code,
                            const std::string& hint = "") {
    note_failure(reason.c_str(), code);
    say_failure((reason + hint).c_str(), /*with_rank=*/false);
    let_stderr_drain();
    ask_launcher_to_abort(number_of(code));
    ::_exit(number_of(code));
}

/// The first of the ranks that can speak does; the others go when it has.
void report_start(const std::string& reason, ExitCode code, const std::vector<StartingRank>& ranks,
                  const std::string& hint = "") {
    const auto speaker =
        std::ranges::find_if(ranks, [](const auto& one) { return one.state != 'T'; });
    if (speaker != ranks.end() && speaker->process != ::getpid()) {
        std::this_thread::sleep_for(std::chrono::seconds(4));
        ::_exit(number_of(code));
    }
    end_start(reason, code, hint);
}

void report_stopped(const Stall& stopped, const std::vector<StartingRank>& ranks) {
    std::vector<RankView> views;
    for (const StartingRank& one : ranks) views.push_back(view_of(one));
    report_start(stall_headline(stopped, views), ExitCode::stalled, ranks,
                 stall_hint(stopped, views));
}

std::vector<int> numbers_of(const std::vector<StartingRank>& ranks) {
    std::vector<int> numbers;
    for (const StartingRank& one : ranks) numbers.push_back(one.rank);
    return numbers;
}

/// How many of a launcher's processes here have ended; 0 if it does not tell how many they were. A
/// script that runs between it and a rank is itself one of its ranks, with processes of its own.
int ended_of(const Started& started, int launcher) {
    const bool is_script = rank_of(launcher) >= 0;
    if (is_script || started.processes == 0) return 0;
    return std::max(launcher_local_size() - started.processes, 0);
}

std::string reason_of_standing(double for_s, const std::vector<StartingRank>& ranks) {
    std::vector<int> here = numbers_of(ranks);
    if (here.empty()) here.push_back(launcher_rank());  // whose parent is not what started it
    return start_headline(for_s, host(), here, launcher_size());
}

}  // namespace

StartGuard::StartGuard(StallLimits limits, pid_t launcher)
    : limits_(limits), launcher_(launcher), thread_(start_thread([this] { watch(); })) {}

StartGuard::~StartGuard() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

void StartGuard::watch() {
    std::unique_lock lock(mutex_);
    double last_s = now_s();
    while (!wake_.wait_for(lock, between_start_looks, [this] { return ends_; })) {
        const double time_s = now_s();
        look(time_s - std::exchange(last_s, time_s));
    }
}

void StartGuard::look(double since_last_s) {
    // A start that is quick is not looked at: reading who else is there takes a while.
    constexpr double quick_s = 1.0, longest_look_s = 0.5, starts_last = 3.0;
    const double passed_s = std::min(since_last_s, longest_look_s);
    awake_s_ += passed_s;
    if (::getppid() != launcher_) {
        end_start(fmt::format("the launcher of this rank (process {}) has died", launcher_),
                  ExitCode::lost_rank);
    }
    if (awake_s_ < quick_s) return;
    const Started started = started_by(launcher_);
    const auto& ranks = started.ranks;
    const int ended = ended_of(started, launcher_);
    incomplete_s_ = ended == 0 ? 0.0 : incomplete_s_ + passed_s;
    if (incomplete_s_ >= limits_.ended_s) {
        report_start(ended_headline(ended, host(), numbers_of(ranks), launcher_size()),
                     ExitCode::lost_rank, ranks);
    }
    Stall stopped{Stall::Kind::stopped, {}, 0.0};
    std::vector<std::pair<int, double>> now_stopped_s;
    for (const StartingRank& one : ranks) {
        if (one.state != 'T') continue;
        const auto before =
            std::ranges::find(stopped_s_, one.process, &std::pair<int, double>::first);
        const double for_s = passed_s + (before == stopped_s_.end() ? 0.0 : before->second);
        now_stopped_s.emplace_back(one.process, for_s);
        stopped.for_s = std::max(stopped.for_s, for_s);
        if (for_s >= limits_.stopped_s) stopped.ranks.push_back(one.rank);
    }
    stopped_s_ = std::move(now_stopped_s);
    if (!stopped.ranks.empty()) report_stopped(stopped, ranks);
    const double may_take_s = limits_.standing_s * (limits_.follows_pace ? starts_last : 1.0);
    if (awake_s_ < may_take_s) return;
    report_start(reason_of_standing(awake_s_, ranks), ExitCode::stalled, ranks);
}

}  // namespace shardstone::collectives
