// SPDX-License-Identifier: BSD-3-Clause
// The thread that looks after the other ranks.
#include "collectives/watchdog/watchdog.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <thread>
#include <utility>

#include "collectives/cluster/native.hpp"
#include "collectives/watchdog/board.hpp"
#include "collectives/watchdog/last_words.hpp"
#include "collectives/watchdog/node_channel.hpp"
#include "collectives/watchdog/other_nodes.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/threads.hpp"

namespace shardstone::collectives {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds between_looks{250};
constexpr milliseconds longest_until_named{2000};  // some looks, on a busy machine

std::int64_t nanoseconds_on(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// Ends the job, whatever the thread that works is in the middle of.
[[noreturn]] void end_all(ExitCode code) {
    // Should the library not come back from it.
    try {
        start_thread([code] {
            std::this_thread::sleep_for(std::chrono::seconds(3));
            ::_exit(number_of(code));
        }).detach();
    } catch (const Error&) {  // then the library is trusted
    }
    MPI_Abort(MPI_COMM_WORLD, number_of(code));
    ::_exit(number_of(code));
}

}  // namespace

/// What a rank's watchdog knows, and its thread.
class Watchdog::Thread {
  public:
    Thread(const Communicator& world, StallLimits limits, pid_t launcher)
        : board_(world),
          others_(world.rank(), world.found_topology(), NodeChannel::open(world), limits.silent_s),
          judge_(board_.lanes(), limits),
          launcher_(launcher) {
        pthread_getcpuclockid(pthread_self(), &worker_clock_);
        thread_ = start_thread([this] { watch(); });
    }

    ~Thread() {
        store(board_.own().left, 1);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        {
            const std::lock_guard lock(mutex_);
            ends_ = true;
        }
        wake_.notify_all();
        thread_.join();
        if (board_.all_have_left()) others_.say_that_all_left();
    }

    void name_lost() {
        messages_fail_ = true;
        std::this_thread::sleep_for(longest_until_named);
    }

    void announce(const std::string& reason) {
        constexpr std::chrono::seconds longest{4};
        std::unique_lock lock(mutex_);
        announced_ = reason;
        wake_.notify_all();
        wake_.wait_for(lock, longest, [this] { return announced_.empty(); });
    }

  private:
    void watch() {
        double last_s = now_s();
        while (true) {
            std::string announced;
            {
                std::unique_lock lock(mutex_);
                wake_.wait_for(lock, between_looks, [&] { return ends_ || !announced_.empty(); });
                if (ends_) return;
                announced = announced_;
            }
            if (!announced.empty()) return spread(announced);
            const double time_s = now_s();
            look(time_s - std::exchange(last_s, time_s));
        }
    }

    /// This rank ends the job for a reason of its own.
    void spread(const std::string& reason) {
        if (takes_alarm()) {
            board_.entry(0).reason.set(reason);
            others_.raise_alarm(reason);
        }
        if (board_.rank() == 0) say_last_words(reason);
        let_rank_0_seal();
        const std::lock_guard lock(mutex_);
        announced_.clear();
        wake_.notify_all();
    }

    void look(double since_last_s) {
        BoardEntry& own = board_.own();
        store(own.heartbeat, own.heartbeat + 1);
        store(own.cpu_ns, nanoseconds_on(worker_clock_));
        if (messages_fail_) judge_.note_failed_messages();
        judge_.look(since_last_s, board_.look(judge_));
        if (::getppid() != launcher_) end_without_launcher();
        if (const auto alarm = others_.hear(since_last_s)) follow_elsewhere(*alarm);
        if (load(board_.entry(0).alarm) != 0) follow();
        if (others_.are_heard() && is_acting()) {
            others_.tell(judge_.standing_s(), what_ranks_do(board_.views(judge_)));
        }
        if (const auto stall = overdue()) raise(*stall);
    }

    /// The lowest lane that lives speaks for its node.
    bool is_acting() const {
        constexpr double fresh_s = 2.0;
        for (int lane = 0; lane < board_.lane(); ++lane) {
            if (load(board_.entry(lane).left) == 0 && judge_.lifeless_s(lane) < fresh_s) {
                return false;
            }
        }
        return true;
    }

    std::optional<Stall> overdue() const {
        if (auto stall = judge_.lifeless()) return with_ranks(std::move(*stall));
        if (!is_acting()) return std::nullopt;
        if (auto stall = others_.silent()) return stall;
        const auto overdue_s = judge_.overdue_s(others_.standing_s());
        if (!others_.are_all_above() || !overdue_s) return std::nullopt;
        return with_ranks({Stall::Kind::standing, judge_.not_waiting(), *overdue_s});
    }

    /// Lanes made ranks.
    Stall with_ranks(Stall stall) const {
        for (int& one : stall.ranks) one = board_.ranks()[static_cast<std::size_t>(one)];
        return stall;
    }

    /// True for one rank of this node only.
    bool takes_alarm() const {
        std::int32_t none = 0;
        return std::atomic_ref(board_.entry(0).alarm).compare_exchange_strong(none, 1);
    }

    std::string headline_of(const Stall& stall) const {
        auto views = board_.views(judge_);
        for (const int rank : stall.ranks) {
            if (!board_.topology().same_node(rank, board_.rank())) {
                views.push_back(board_.view_from_afar(rank));
            }
        }
        const std::string headline = stall_headline(stall, views);
        if (stall.kind != Stall::Kind::silent) return headline;
        return headline + "; last heard of: " + others_.last_heard(stall.ranks.front());
    }

    void raise(const Stall& stall) {
        if (!takes_alarm()) return follow();
        const std::string headline = headline_of(stall);
        board_.entry(0).reason.set(headline);
        const ExitCode code =
            stall.kind == Stall::Kind::ended ? ExitCode::lost_rank : ExitCode::stalled;
        note_failure(headline.c_str(), code);
        others_.raise_alarm(headline);
        if (board_.rank() == 0) say_last_words(headline);
        const auto views = board_.views(judge_);
        const std::string own_lines = stall_lines(views), hint = stall_hint(stall, views);
        const auto others_lines = others_.collect_waiters(own_lines);
        if (!others_lines) follow();
        if (std::ranges::find(stall.ranks, 0) == stall.ranks.end()) let_rank_0_seal();
        std::string report = fmt::format("{}{}\n{}{}", headline, hint, own_lines, *others_lines);
        report.pop_back();  // the end of its last line
        say_failure(report.c_str(), /*with_rank=*/true);
        let_stderr_drain();
        end_all(code);
    }

    /// Nobody ends this rank when another is lost. Each of this node sees it for itself.
    [[noreturn]] void end_without_launcher() {
        const std::string reason = fmt::format(
            "the launcher of this rank (process {}) has died, and the job with it", launcher_);
        if (takes_alarm()) {
            board_.entry(0).reason.set(reason);
            note_failure(reason.c_str(), ExitCode::lost_rank);
            say_failure(reason.c_str(), /*with_rank=*/true);
            others_.raise_alarm(reason);
        }
        if (board_.rank() == 0) say_last_words(reason);
        store(board_.own().sealed, 1);
        let_rank_0_seal();
        end_all(ExitCode::lost_rank);
    }

    /// Gives rank 0 the time to write what was measured.
    void let_rank_0_seal() const {
        constexpr milliseconds longest{3000}, between{20}, on_another_node{1000};
        if (board_.rank() == 0) return;
        if (!board_.topology().same_node(0, board_.rank())) {
            std::this_thread::sleep_for(on_another_node);
            return;
        }
        for (auto left = longest; left > milliseconds(0); left -= between) {
            if (load(board_.entry(0).sealed) != 0) return;
            std::this_thread::sleep_for(between);
        }
    }

    /// Another node has raised an alarm, which rank `reporter` reports.
    void follow_elsewhere(const OtherNodes::Alarm& alarm) {
        if (takes_alarm()) {
            board_.entry(0).reason.set(alarm.reason);
            others_.answer(alarm, stall_lines(board_.views(judge_)));
        }
        follow();
    }

    /// The job is being ended by whoever raised the alarm.
    [[noreturn]] void follow() {
        constexpr int looks = 100;
        std::string reason;
        for (int i = 0; i < looks && reason.empty(); ++i) {
            std::this_thread::sleep_for(milliseconds(10));
            reason = board_.entry(0).reason.string();
        }
        if (board_.rank() == 0) say_last_words(reason);
        store(board_.own().sealed, 1);
        std::this_thread::sleep_for(std::chrono::seconds(15));
        note_failure("stalled: the job was to be ended by another rank, and is still here",
                     ExitCode::stalled);
        end_all(ExitCode::stalled);
    }

    Board board_;
    OtherNodes others_;
    Judge judge_;
    clockid_t worker_clock_{};
    const pid_t launcher_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::atomic<bool> messages_fail_ = false;
    bool ends_ = false;
    std::string announced_;
    std::thread thread_;
};

Watchdog::Watchdog(const Communicator& world, StallLimits limits, pid_t launcher) {
    if (world.size() == 1) return;
    try {
        thread_ = std::make_unique<Thread>(world, limits, launcher);
    } catch (const AgreedError& error) {
        if (error.reports()) {
            say_failure(fmt::format("stalled ranks are not monitored: {}", error.what()).c_str(),
                        true);
        }
    }
}

Watchdog::~Watchdog() = default;

void Watchdog::name_lost_rank() {
    if (thread_) thread_->name_lost();
}

void Watchdog::announce_end(const std::string& reason) {
    if (thread_) {
        thread_->announce(reason);
    } else {
        say_last_words(reason);
    }
}

}  // namespace shardstone::collectives
