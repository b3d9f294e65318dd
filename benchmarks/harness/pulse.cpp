// SPDX-License-Identifier: BSD-3-Clause
// A thread that wakes at a steady pace and notes when its process stood still with a core at hand.
#include "benchmarks/harness/pulse.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include "benchmarks/harness/pulse_files.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/run_delay.hpp"
#include "kernels/base/threads.hpp"

namespace shardstone::benchmarks {

namespace {

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

double stolen_s_in(const char* stat) {
    double ticks = 0.0;
    const bool told = std::sscanf(stat, "cpu %*f %*f %*f %*f %*f %*f %*f %lf", &ticks) == 1;
    return told ? ticks / static_cast<double>(sysconf(_SC_CLK_TCK)) : 0.0;
}

double pulse_period_s(int ranks, int cores) {
    constexpr double shortest_s = 0.02, per_rank_on_a_core_s = 0.0025;
    return std::max(shortest_s, per_rank_on_a_core_s * ranks / std::max(cores, 1));
}

Pulse::Pulse(double period_s)
    : period_s_(period_s), looked_s_(now_s()), thread_(start_thread([this] { run(); })) {}

Pulse::~Pulse() {
    {
        const std::scoped_lock lock(pace_mutex_);
        ends_ = true;
    }
    ended_.notify_one();
    thread_.join();
}

class Pulse::Files {
  public:
    Files() : stat_(open("/proc/stat", O_RDONLY | O_CLOEXEC)) {}
    Files(const Files&) = delete;
    Files& operator=(const Files&) = delete;
    ~Files() {
        if (stat_ >= 0) close(stat_);
    }

    /// How long the calling thread was ready to run, but on no core.
    double waited_s() const { return run_delay_.waited_s(); }
    /// What the hypervisor took of all cores since the machine started.
    double stolen_s() const {
        std::array<char, 256> text{};
        if (pread(stat_, text.data(), text.size() - 1, 0) < 0) text.front() = 0;
        return stolen_s_in(text.data());
    }

  private:
    RunDelay run_delay_;
    int stat_;
};

Pulse::Look Pulse::look() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return {now_s(), 0.0, seconds_of(used.ru_utime) + seconds_of(used.ru_stime),
            static_cast<double>(used.ru_nivcsw), static_cast<double>(used.ru_majflt)};
}

/// A thread that wakes in time has waited for no core: only where looks were late, by more than a
/// twentieth of a standstill together, the kernel's account of waiting is read, which costs as much
/// as all the rest of a look.
Pulse::Look Pulse::look_after(const Look& before, double asked_s, const Files& files) {
    constexpr double worth_reading_s = least_standstill_s / 20.0;
    Look now = look();
    late_s_ += std::max(0.0, now.time_s - before.time_s - asked_s);
    now.waited_s = late_s_ < worth_reading_s ? before.waited_s : files.waited_s();
    if (late_s_ >= worth_reading_s) late_s_ = 0.0;
    return now;
}

void Pulse::compare(const Look& before, const Look& now, double asked_s, const Files& files) {
    constexpr double between_reads_s = 0.5;
    Standstill seen{before.time_s, now.time_s};
    seen.waited_s = now.waited_s - before.waited_s;
    seen.switches = now.switches - before.switches;
    seen.faults = now.faults - before.faults;
    const double passed_s = now.time_s - before.time_s;
    const double waited_s = std::isnan(seen.waited_s) ? 0.0 : seen.waited_s;
    seen.still_s = std::min(passed_s - asked_s - waited_s, passed_s - (now.cpu_s - before.cpu_s));
    const bool stood_still = seen.still_s >= least_standstill_s;
    if (!stood_still && now.time_s - stolen_at_s_ < between_reads_s) return;
    const double stolen_before_s = std::exchange(stolen_s_, files.stolen_s());
    stolen_at_s_ = now.time_s;
    seen.stolen_s = stolen_s_ - stolen_before_s;
    if (stood_still) seen_.push_back(seen);
}

void Pulse::run() {
    const Files files;
    stolen_s_ = files.stolen_s();
    stolen_at_s_ = now_s();
    std::unique_lock pace(pace_mutex_);
    Look before = look();
    before.waited_s = files.waited_s();
    while (!ends_) {
        const double asked_s = period_s_ - std::fmod(now_s(), period_s_);
        ended_.wait_for(pace, std::chrono::duration<double>(asked_s));
        const Look now = look_after(before, asked_s, files);
        const bool was_kept_waiting = publish(before, now, asked_s, files);
        before = was_kept_waiting ? look() : now;
        before.waited_s = now.waited_s;
    }
}

/// True where the one who takes had to be waited for: that is no standstill.
bool Pulse::publish(const Look& before, const Look& now, double asked_s, const Files& files) {
    std::unique_lock lock(mutex_, std::try_to_lock);
    const bool waits = !lock.owns_lock();
    if (waits) lock.lock();
    compare(before, now, asked_s, files);
    looked_s_ = now.time_s;
    looked_.notify_all();
    return waits;
}

std::vector<Standstill> Pulse::take() {
    constexpr double overdue = 1.5;  // periods
    const double asked_s = now_s();
    std::unique_lock lock(mutex_);
    if (asked_s - looked_s_ > overdue * period_s_) {
        looked_.wait(lock, [&] { return looked_s_ >= asked_s; });
    }
    return std::exchange(seen_, {});
}

}  // namespace shardstone::benchmarks
