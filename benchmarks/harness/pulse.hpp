// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace shardstone::benchmarks {

/// A time in which a process did not run though nothing kept it from a core, by its own clock. What
/// the system does not tell is not a number.
struct Standstill {
    double begin_s = 0.0,
           end_s = 0.0;     ///< now_s() when it last ran for sure, and when it ran again
    double still_s = 0.0;   ///< of it, at least: neither running nor waiting for a core
    double waited_s = 0.0;  ///< of it, ready to run, but on no core
    double switches = 0.0;  ///< times that it had to leave a core meanwhile
    double faults = 0.0;    ///< pages that it had to wait for meanwhile, as of a disk
    double stolen_s = 0.0;  ///< that the hypervisor took of all cores, then and up to 0.5 s before

    /// The hypervisor took at least half as long of the machine's cores as it lasted.
    bool held_up_from_below() const { return stolen_s >= still_s / 2.0; }
};

/// The shortest standstill that counts. A thread that sleeps is woken up to 1.3 ms late, the wait
/// for a core taken off (measured: 64 ranks on two cores, and the load of a compiler beside them),
/// so a scheduler alone does not come near it.
inline constexpr double least_standstill_s = 0.02;

/// How often to look where a node has so many ranks and cores. A standstill of the period and
/// least_standstill_s together is seen for sure: 40 ms, with up to eight ranks per core. A look
/// costs 10 to 30 us of a core, nearly all of it the waking up, most on a virtual machine; beyond
/// eight ranks it is taken less often, so that the looks of all ranks stay below 1.2 % of the
/// cores, and below 0.15 % where each rank has a core.
double pulse_period_s(int ranks, int cores);

/// Tells afterwards when this process stood still: stopped by a signal, a debugger or its
/// container, held up by the machine below it.
///
/// A thread of its own looks at the clock once in a period, as long as the object lives. How much
/// later than asked for it wakes, less what it waited for a core by the kernel's account of that
/// (/proc/thread-self/schedstat) and never more than what the whole process did not run, is time in
/// which the process did not run for reasons other than its competitors for the cores: with ranks
/// that take turns on a core, and on a machine that others use, nothing is seen. What merely sleeps
/// in the process's own code is not seen either.
///
/// The pulses of a node look at the same times, the multiples of the period: ranks that wait for
/// each other lose one look's time together, not everyone's in turn.
class Pulse {
  public:
    explicit Pulse(double period_s);
    Pulse(const Pulse&) = delete;
    Pulse& operator=(const Pulse&) = delete;
    ~Pulse();

    /// What was seen since the last call, in order. Waits for the thread's next look where that is
    /// overdue, as it is right after a standstill.
    std::vector<Standstill> take();

  private:
    struct Look {
        double time_s = 0.0, waited_s = 0.0, cpu_s = 0.0, switches = 0.0, faults = 0.0;
    };

    /// Files of the kernel that are read at every look, or now and then.
    class Files;

    void run();
    static Look look();
    Look look_after(const Look& before, double asked_s, const Files& files);
    void compare(const Look& before, const Look& now, double asked_s, const Files& files);
    bool publish(const Look& before, const Look& now, double asked_s, const Files& files);

    double period_s_;
    double late_s_ = 0.0;  ///< of the looks since the kernel's account of waiting was read
    std::mutex
        pace_mutex_;  ///< of ends_; nobody but the destructor keeps the thread waiting for it
    std::condition_variable ended_;
    bool ends_ = false;
    std::mutex mutex_;  ///< of what was seen, and when the thread last looked
    std::condition_variable looked_;
    double looked_s_;
    double stolen_s_ = 0.0, stolen_at_s_ = 0.0;  ///< as last read, and when
    std::vector<Standstill> seen_;
    std::thread thread_;  ///< last, so that it finds the others there
};

}  // namespace shardstone::benchmarks
