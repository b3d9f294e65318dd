// SPDX-License-Identifier: BSD-3-Clause
// How long a soak was, what it tested and what it found, in a sentence.
#include "results/schema/soak_in_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "kernels/base/units.hpp"

namespace shardstone::results {

namespace {

std::string count(double number, const char* what) {
    return counted(static_cast<std::int64_t>(number), what);
}

/// From its beginning to its end, with what lies between windows. Longer than a window is only the
/// time from the end of a killed soak to that of the run that goes on with it.
double soaked_s(const std::vector<SoakWindowRow>& rows) {
    std::map<double, std::pair<double, double>> windows;
    for (const auto& row : rows) windows[row.window] = {row.begin_unix_s, row.end_unix_s};
    double length_s = 0.0, last_end_s = 0.0, last_length_s = 0.0;
    for (const auto& [window, times] : windows) {
        const auto [begin_s, end_s] = times;
        const double gap_s = begin_s - last_end_s;
        if (gap_s > 0.0 && gap_s <= last_length_s) length_s += gap_s;
        length_s += end_s - begin_s;
        last_end_s = end_s;
        last_length_s = end_s - begin_s;
    }
    return length_s;
}

/// On most of their machines, as the verdict counts them.
std::size_t disturbed_windows(const std::vector<ConditionsRow>& conditions) {
    struct Machines {
        int all = 0, disturbed = 0;
    };
    std::map<std::string, Machines> windows;
    for (const ConditionsRow& row : conditions) {
        if (!row.part.starts_with(soak_window_words)) continue;
        Machines& machines = windows[row.part];
        ++machines.all;
        machines.disturbed += row.disturbed > 0.0 ? 1 : 0;
    }
    return static_cast<std::size_t>(std::ranges::count_if(windows, [](const auto& window) {
        return 2 * window.second.disturbed > window.second.all;
    }));
}

/// Nothing was found, and perhaps nothing could be.
std::string none_in_words(const std::vector<SoakWindowRow>& windows,
                          const std::vector<ConditionsRow>& conditions) {
    std::set<double> all;
    double messages = 0.0, slow = 0.0;
    for (const SoakWindowRow& row : windows) {
        all.insert(row.window);
        messages += row.passes;
        slow += row.slow;
    }
    const std::size_t disturbed = disturbed_windows(conditions);
    if (2 * disturbed <= all.size()) {
        return "no link or rank was slow, silent or wrong for a time";
    }
    return fmt::format(
        "not decided whether a link or rank was slow for a time: {} of {} disturbed, {:.0f} of {} "
        "slow",
        disturbed, counted(std::ssize(all), "window"), slow, count(messages, "message"));
}

}  // namespace

std::string soak_in_words(const std::vector<SoakWindowRow>& windows,
                          const std::vector<WrongDataRow>& wrong,
                          const std::vector<StandstillRow>& standstills) {
    std::map<double, double> passes;
    double messages = 0.0, slow = 0.0;
    for (const SoakWindowRow& row : windows) {
        passes[row.window] = row.passes;
        messages += row.passes;  // a row is of one pair, direction and size: a message in each
        slow += row.slow;
    }
    double passed = 0.0;
    for (const auto& [window, of_it] : passes) passed += of_it;
    const auto of_soak = std::ranges::count_if(
        wrong, [&](const WrongDataRow& row) { return row.unix_s >= windows.front().begin_unix_s; });
    return fmt::format(
        "{:.0f} s, {}, {}, {:.0f} of them slow, {} with wrong data, {}", soaked_s(windows),
        passed == 1.0 ? "1 pass" : fmt::format("{:.0f} passes", passed), count(messages, "message"),
        slow, of_soak, counted(std::ssize(standstills), "standstill"));
}

std::string episodes_in_words(const std::vector<EpisodeRow>& episodes,
                              const std::vector<SoakWindowRow>& windows,
                              const std::vector<ConditionsRow>& conditions) {
    if (episodes.empty()) return none_in_words(windows, conditions);
    const auto held =
        std::ranges::count_if(episodes, [](const EpisodeRow& row) { return row.suspected > 0.0; });
    const std::string found =
        counted(std::ssize(episodes), "episode") + " in which something was slow, silent or wrong";
    return held == 0 ? found + ", none held against the cluster"
                     : fmt::format("{}, {} held against the cluster", found, held);
}

}  // namespace shardstone::results
