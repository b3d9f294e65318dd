// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace shardstone::benchmarks {

/// A period in which a process did not run although it was not waiting for a core, by its own
/// clock. Unavailable values are NaN.
struct Standstill {
    double begin_s = 0.0,
           end_s = 0.0;     ///< now_s() when it last certainly ran, and when it ran again
    double still_s = 0.0;   ///< of it, lower bound: neither running nor waiting for a core
    double waited_s = 0.0;  ///< of it, runnable, but on no core
    double switches = 0.0;  ///< number of preemptions meanwhile
    double faults = 0.0;    ///< major page faults meanwhile, e.g. pages from disk
    double stolen_s = 0.0;  ///< by the hypervisor from all cores, then and up to 0.5 s before

    /// Whether the hypervisor stole at least half its duration from the machine's cores.
    bool held_up_from_below() const { return stolen_s >= still_s / 2.0; }
};

/// The shortest standstill that counts. A sleeping thread is woken up to 1.3 ms late, without the
/// wait for a core (measured: 64 ranks on two cores, in addition to the load of a compiler), so
/// that a scheduler alone does not come close to it.
inline constexpr double least_standstill_s = 0.02;

/// Sampling period on a node with this many ranks and cores. A standstill of the period plus
/// least_standstill_s is certainly detected: 40 ms, with up to eight ranks per core. A look costs
/// 10 to 30 us of a core, nearly all of it for waking up, most on a virtual machine; beyond eight
/// ranks per core looks are less frequent, so that those of all ranks stay below 1.2 % of the
/// cores, and below 0.15 % if each rank has a core.
double pulse_period_s(int ranks, int cores);

/// Detects in retrospect when this process stood still: stopped by a signal, a debugger or its
/// container, or held up by the machine.
///
/// A thread of its own looks at the clock once per period during the object's lifetime. Its delay
/// in waking, minus its wait for a core by the kernel's accounting (/proc/thread-self/schedstat)
/// and limited to the time in which the whole process did not run, is time in which the process did
/// not run for reasons other than competition for the cores: ranks that take turns on a core, and a
/// machine used by others, raise no alarm. Sleeping in the process's own code is not detected
/// either.
///
/// The pulses of a node look at the same times, the multiples of the period: ranks that wait for
/// each other lose the time of one look together, not that of each in turn.
class Pulse {
  public:
    explicit Pulse(double period_s);
    Pulse(const Pulse&) = delete;
    Pulse& operator=(const Pulse&) = delete;
    ~Pulse();

    /// Standstills since the last call, in order. Waits for the thread's next look if that is
    /// overdue, as directly after a standstill.
    std::vector<Standstill> take();

  private:
    struct Look {
        double time_s = 0.0, waited_s = 0.0, cpu_s = 0.0, switches = 0.0, faults = 0.0;
    };

    /// Files of the kernel that are read at every look, or occasionally.
    class Files;

    void run();
    static Look look();
    Look look_after(const Look& before, double asked_s, const Files& files);
    void compare(const Look& before, const Look& now, double asked_s, const Files& files);
    bool publish(const Look& before, const Look& now, double asked_s, const Files& files);

    double period_s_;
    double late_s_ = 0.0;  ///< of the looks since the kernel's accounting of waiting was read
    std::mutex
        pace_mutex_;  ///< of ends_; nobody but the destructor keeps the thread waiting for it
    std::condition_variable ended_;
    bool ends_ = false;
    std::mutex mutex_;  ///< of seen_, looked_s_
    std::condition_variable looked_;
    double looked_s_;
    double stolen_s_ = 0.0, stolen_at_s_ = 0.0;  ///< as last read, and when
    std::vector<Standstill> seen_;
    std::thread thread_;  ///< last, so that it finds the others there
};

}  // namespace shardstone::benchmarks
