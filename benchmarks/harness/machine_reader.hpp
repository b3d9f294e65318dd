// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardstone::benchmarks {

/// Seconds since the machine started, summed over some cores: with nothing to do, and taken away by
/// the hypervisor. Exact but for the 10 ms in which the kernel tells them.
struct CoreTimes {
    int cores = 0;
    double idle_s = 0.0;
    double stolen_s = 0.0;
};

/// Of the text of /proc/stat, the lines of those cores. Nothing where a line is missing or all are
/// zero, as sandboxes have it that hide the machine.
std::optional<CoreTimes> parse_core_times(const std::string& proc_stat, std::span<const int> cores);

/// What a process has used so far. What is not told is not a number.
struct ProcessTimes {
    double cpu_s = 0.0;     ///< all its threads
    double waited_s = 0.0;  ///< its main thread was ready to run, but on no core
    double switches = 0.0;  ///< how often its main thread had to leave a core to another
};

/// What the kernel tells of the machine and of processes on it. The one place that reads it, so
/// that tests can put another in.
class MachineReader {
  public:
    /// Reads below `proc`, whose layout is that of /proc.
    explicit MachineReader(std::filesystem::path proc = "/proc") : proc_(std::move(proc)) {}
    virtual ~MachineReader() = default;

    virtual double time_s() const;
    virtual void nap(double duration_s) const;
    /// The cores that at least one of the processes may run on.
    virtual std::vector<int> cores_of(std::span<const pid_t> processes) const;
    virtual std::optional<CoreTimes> core_times(std::span<const int> cores) const;
    virtual ProcessTimes process_times(pid_t process) const;
    /// Mean of the cores.
    virtual double clock_mhz(std::span<const int> cores) const;

  private:
    std::filesystem::path proc_;
};

}  // namespace shardstone::benchmarks
