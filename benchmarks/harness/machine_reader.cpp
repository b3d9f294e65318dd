// SPDX-License-Identifier: BSD-3-Clause
// Core, process and clock figures as Linux tells them in /proc and by scheduling calls.
#include "benchmarks/harness/machine_reader.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>
#include <thread>

#include "kernels/base/clock.hpp"
#include "kernels/base/statistics.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr double not_told = std::numeric_limits<double>::quiet_NaN();

std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// The number after a name at the start of a line, like "nonvoluntary_ctxt_switches:\t12".
double number_after(const std::string& text, const std::string& name) {
    const auto place = text.find("\n" + name);
    if (place == std::string::npos) return not_told;
    std::istringstream rest(text.substr(place + 1 + name.size()));
    double value = not_told;
    rest >> value;
    return rest ? value : not_told;
}

/// The number that a text begins with; no core and no clock where it begins with none.
int number_of_core(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    int core = -1;
    std::from_chars(text.data(), text.data() + text.size(), core);
    return core;
}

/// From /proc/PID/schedstat: nanoseconds on a core, then ready but waiting for one.
double waited_s(const std::filesystem::path& process) {
    std::istringstream text(text_of(process / "schedstat"));
    double ran_ns = 0.0, waited_ns = 0.0;
    return text >> ran_ns >> waited_ns ? 1e-9 * waited_ns : not_told;
}

/// Of the kernel's own clock of the whole process, to the nanosecond.
double cpu_s(pid_t process) {
    clockid_t clock{};
    timespec used{};
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) {
        return not_told;
    }
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

}  // namespace

std::optional<CoreTimes> parse_core_times(const std::string& proc_stat,
                                          std::span<const int> cores) {
    static const auto ticks_per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
    CoreTimes times;
    double busy = 0.0;
    std::istringstream lines(proc_stat);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        if (name.size() < 4 || !name.starts_with("cpu")) continue;
        if (std::ranges::find(cores, number_of_core(name.substr(3))) == cores.end()) continue;
        double user = 0, nice = 0, system = 0, idle = 0, io_wait = 0, irq = 0, soft_irq = 0,
               stolen = 0;
        words >> user >> nice >> system >> idle >> io_wait >> irq >> soft_irq >> stolen;
        busy += user + nice + system + irq + soft_irq;
        times.idle_s += (idle + io_wait) / ticks_per_s;
        times.stolen_s += stolen / ticks_per_s;
        ++times.cores;
    }
    const bool all_there = times.cores == static_cast<int>(cores.size()) && times.cores > 0;
    if (!all_there || times.idle_s + busy == 0.0) return std::nullopt;
    return times;
}

double MachineReader::time_s() const {
    return now_s();
}

void MachineReader::nap(double duration_s) const {
    std::this_thread::sleep_for(std::chrono::duration<double>(duration_s));
}

std::vector<int> MachineReader::cores_of(std::span<const pid_t> processes) const {
    constexpr int most_cores = 8192;
    std::vector<int> cores;
    cpu_set_t* const all = CPU_ALLOC(most_cores);
    const std::size_t bytes = CPU_ALLOC_SIZE(most_cores);
    for (const pid_t process : processes) {
        CPU_ZERO_S(bytes, all);
        if (sched_getaffinity(process, bytes, all) != 0) continue;
        for (int core = 0; core < most_cores; ++core) {
            if (CPU_ISSET_S(core, bytes, all)) cores.push_back(core);
        }
    }
    CPU_FREE(all);
    std::ranges::sort(cores);
    const auto repeated = std::ranges::unique(cores);
    cores.erase(repeated.begin(), repeated.end());
    return cores;
}

std::optional<CoreTimes> MachineReader::core_times(std::span<const int> cores) const {
    return parse_core_times(text_of(proc_ / "stat"), cores);
}

ProcessTimes MachineReader::process_times(pid_t process) const {
    const auto folder = proc_ / fmt::format("{}", process);
    return {cpu_s(process), waited_s(folder),
            number_after(text_of(folder / "status"), "nonvoluntary_ctxt_switches:")};
}

double MachineReader::clock_mhz(std::span<const int> cores) const {
    std::vector<double> found;
    std::istringstream lines(text_of(proc_ / "cpuinfo"));
    int core = -1;
    for (std::string line; std::getline(lines, line);) {
        const auto colon = line.find(':');
        if (colon == std::string::npos) continue;
        if (line.starts_with("processor")) core = number_of_core(line.substr(colon + 1));
        if (!line.starts_with("cpu MHz")) continue;
        if (std::ranges::find(cores, core) != cores.end()) {
            const double mhz = std::strtod(line.c_str() + colon + 1, nullptr);
            // What no core runs at has been misread, and finite ones could have an infinite mean.
            constexpr double most = 1e6;
            if (mhz >= 0.0 && mhz <= most) found.push_back(mhz);
        }
    }
    return found.empty() ? not_told : mean(found);
}

}  // namespace shardstone::benchmarks
