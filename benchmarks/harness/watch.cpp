// SPDX-License-Identifier: BSD-3-Clause
// The machine is looked at around each measurement, which is repeated while others disturb it.
#include "benchmarks/harness/watch.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "kernels/base/interrupt.hpp"
#include "kernels/base/running_kernel.hpp"

namespace shardstone::benchmarks {

namespace {

/// A number that stands for a text, exact in double; negative for an empty one.
double number_for(const std::string& text) {
    constexpr std::size_t exact_in_double = (std::size_t{1} << 53) - 1;
    return text.empty() ? -1.0
                        : static_cast<double>(std::hash<std::string>{}(text)&exact_in_double);
}

/// Processes know one another by their numbers within such a space only.
double number_space() {
    std::array<char, 64> name{};
    const auto length = readlink("/proc/self/ns/pid", name.data(), name.size());
    return number_for(std::string(name.data(), length > 0 ? static_cast<std::size_t>(length) : 0));
}

constexpr std::size_t reported = 11;

std::array<double, reported> in_numbers(const NodeReport& report) {
    return {report.kernel,           report.begin_s,  report.window_s, report.cores,
            report.idle_s,           report.stolen_s, report.ranks,    report.cpu_s,
            report.longest_waited_s, report.switches, report.clock_mhz};
}

NodeReport from_numbers(std::span<const double> n) {
    return {n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10]};
}

}  // namespace

Watch::Watch(const collectives::Communicator& communicator,
             std::unique_ptr<const MachineReader> reader)
    : reader_(std::move(reader)),
      gather_(
          [&communicator](std::span<const double> mine) { return communicator.all_gather(mine); }),
      kernel_(running_kernel()) {
    const std::array mine{kernel_, number_space(), static_cast<double>(getpid())};
    const auto all = gather_(mine);
    for (std::size_t rank = 0; rank < all.size() / mine.size(); ++rank) {
        const double* const one = all.data() + rank * mine.size();
        if (one[0] != mine[0]) continue;
        if (one[1] == mine[1]) {
            processes_.push_back(static_cast<pid_t>(one[2]));
        } else if (kernel_ >= 0.0) {
            sees_all_ranks_ = false;
        }
    }
    // The lowest rank of those that know one another looks, for all of them.
    if (processes_.front() != getpid()) processes_.clear();
    start();
}

Watch::Watch(std::unique_ptr<const MachineReader> reader)
    : reader_(std::move(reader)),
      gather_([](std::span<const double> mine) {
          return std::vector<double>(mine.begin(), mine.end());
      }),
      kernel_(running_kernel()),
      processes_{getpid()} {
    start();
}

void Watch::start() {
    start_s_ = reader_->time_s();
    if (!looks()) return;
    cores_ = reader_->cores_of(processes_);
    last_lap_ = look();
    begun_ = last_lap_;
    keep(last_lap_);
}

Watch::Moment Watch::look() const {
    Moment now{reader_->time_s(), reader_->core_times(cores_), {}};
    for (const pid_t process : processes_) {
        now.processes.push_back(reader_->process_times(process));
    }
    return now;
}

void Watch::keep(Moment moment) {
    // One moment before the earliest beginning of a window is enough.
    while (moments_.size() > 1 && moments_[1].time_s <= moment.time_s - least_window_s) {
        moments_.erase(moments_.begin());
    }
    moments_.push_back(std::move(moment));
}

void Watch::begin() {
    if (!looks()) return;
    begun_ = look();
    keep(begun_);
}

const Watch::Moment& Watch::from_for(const Moment& to) const {
    if (to.time_s - begun_.time_s >= least_window_s) return begun_;
    const auto long_ago = [&](const Moment& moment) {
        return to.time_s - moment.time_s >= least_window_s;
    };
    const auto place = std::ranges::find_if(moments_.rbegin(), moments_.rend(), long_ago);
    return place == moments_.rend() ? moments_.front() : *place;
}

NodeReport Watch::report(const Moment& from, const Moment& to) const {
    NodeReport said;
    said.kernel = kernel_;
    said.begin_s = from.time_s - start_s_;
    said.window_s = to.time_s - from.time_s;
    said.ranks = static_cast<double>(processes_.size());
    if (from.cores && to.cores) {
        said.cores = to.cores->cores;
        said.idle_s = to.cores->idle_s - from.cores->idle_s;
        said.stolen_s = to.cores->stolen_s - from.cores->stolen_s;
    }
    for (std::size_t i = 0; i < processes_.size(); ++i) {
        const ProcessTimes &before = from.processes[i], &after = to.processes[i];
        said.cpu_s += after.cpu_s - before.cpu_s;
        said.switches += after.switches - before.switches;
        const double waited_s = after.waited_s - before.waited_s;
        said.longest_waited_s =
            std::isnan(waited_s) ? waited_s : std::max(said.longest_waited_s, waited_s);
    }
    said.clock_mhz = reader_->clock_mhz(cores_);
    return said;
}

NodeReport Watch::report_on_window() {
    if (!looks()) return {};
    const double missing_s =
        least_window_s - (reader_->time_s() - std::min(begun_.time_s, moments_.front().time_s));
    if (missing_s > 0.0) reader_->nap(missing_s);
    Moment to = look();
    const NodeReport said = report(from_for(to), to);
    keep(std::move(to));
    return said;
}

Surroundings Watch::end() {
    const auto mine = in_numbers(report_on_window());
    const auto all = gather_(mine);
    std::vector<NodeReport> reports;
    std::map<int, std::vector<NodeReport>> of_machines;  // by first rank
    std::map<double, int> first_ranks;                   // by kernel
    for (std::size_t first = 0; first < all.size(); first += mine.size()) {
        const NodeReport one = from_numbers(std::span(all).subspan(first, mine.size()));
        if (one.ranks == 0.0) continue;
        reports.push_back(one);
        const int rank = static_cast<int>(first / mine.size());
        of_machines[first_ranks.try_emplace(one.kernel, rank).first->second].push_back(one);
    }
    machines_.clear();
    for (const auto& [rank, some] : of_machines) machines_.push_back({rank, judge(some)});
    log_.push_back(judge(reports));
    return log_.back();
}

void Watch::lap() {
    if (!looks() || !sees_all_ranks_) return;
    if (reader_->time_s() - last_lap_.time_s < least_window_s) return;
    Moment now = look();
    log_.push_back(judge({report(last_lap_, now)}));
    last_lap_ = std::move(now);
}

bool Watch::any_interrupted() const {
    return std::ranges::max(gather_(std::array{interrupted() ? 1.0 : 0.0})) > 0.0;
}

Watched Watch::until_quiet(const std::function<void()>& measure,
                           const std::function<void()>& better, const Stalled& stalled) {
    Watched best;
    bool best_was_stalled = false, taken_again = false;
    const auto order = [](const Surroundings& seen, bool was_stalled) {
        return std::tuple(seen.disturbed(), was_stalled, seen.worst_share());
    };
    for (int tries = 1;; ++tries) {
        if (tries > 1) moments_.clear();  // what disturbed the last try is not to count again
        begin();
        measure();
        const Surroundings seen = end();
        const bool was_stalled = stalled && stalled(seen);
        if (tries == 1 || order(seen, was_stalled) < order(best.surroundings, best_was_stalled)) {
            best.surroundings = seen;
            best_was_stalled = was_stalled;
            better();
        }
        best.tries = tries;
        const bool again_for_stall = was_stalled && !taken_again;
        taken_again = taken_again || was_stalled;
        const bool again_for_others = seen.disturbed() && !stays_busy_;
        if (tries == most_tries || !(again_for_stall || again_for_others)) break;
        if (any_interrupted()) break;
    }
    stays_busy_ = best.surroundings.disturbed();
    return best;
}

}  // namespace shardstone::benchmarks
