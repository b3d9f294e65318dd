// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardstone::benchmarks {

/// Seconds since the machine started, summed over some cores: idle, and stolen by the hypervisor.
/// Exact up to the kernel's resolution of 10 ms.
struct CoreTimes {
    int cores = 0;
    double idle_s = 0.0;
    double stolen_s = 0.0;
};

/// Parses the lines of those cores in the text of /proc/stat. Nothing if a line is missing or all
/// are zero, as in sandboxes that hide the machine.
std::optional<CoreTimes> parse_core_times(const std::string& proc_stat, std::span<const int> cores);

/// CPU time of a process so far. Unavailable values are NaN.
struct ProcessTimes {
    double cpu_s = 0.0;     ///< all its threads
    double waited_s = 0.0;  ///< its main thread was runnable, but on no core
    double switches = 0.0;  ///< number of times that its main thread was preempted
};

/// Information from the kernel on the machine and its processes. The only class that reads it, so
/// that tests can substitute another.
class MachineReader {
  public:
    /// Reads files under `proc`, with the layout of /proc.
    explicit MachineReader(std::filesystem::path proc = "/proc") : proc_(std::move(proc)) {}
    virtual ~MachineReader() = default;

    virtual double time_s() const;
    virtual void nap(double duration_s) const;
    /// The cores that at least one of the processes may run on.
    virtual std::vector<int> cores_of(std::span<const pid_t> processes) const;
    virtual std::optional<CoreTimes> core_times(std::span<const int> cores) const;
    virtual ProcessTimes process_times(pid_t process) const;
    /// Mean over the cores.
    virtual double clock_mhz(std::span<const int> cores) const;

  private:
    std::filesystem::path proc_;
};

}  // namespace shardstone::benchmarks
