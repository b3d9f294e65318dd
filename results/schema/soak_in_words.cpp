// SPDX-License-Identifier: BSD-3-Clause
// How long a soak was, what it tested and what it found, in a sentence.
#include "results/schema/soak_in_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "kernels/base/units.hpp"

namespace shardstone::results {

namespace {

std::string count(double number, const char* what) {
    return counted(static_cast<std::int64_t>(number), what);
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
    std::set<std::string> disturbed;  // on any machine
    for (const ConditionsRow& row : conditions) {
        if (row.disturbed > 0.0 && row.part.starts_with(soak_window_words)) {
            disturbed.insert(row.part);
        }
    }
    if (2 * disturbed.size() <= all.size()) {
        return "no link or rank was slow, silent or wrong for a time";
    }
    return fmt::format(
        "not decided whether a link or rank was slow for a time: {} of {} disturbed, {:.0f} of {} "
        "slow",
        disturbed.size(), counted(std::ssize(all), "window"), slow, count(messages, "message"));
}

}  // namespace

std::string soak_in_words(const std::vector<SoakWindowRow>& windows,
                          const std::vector<WrongDataRow>& wrong,
                          const std::vector<StandstillRow>& standstills) {
    std::map<double, double> lengths_s, passes;
    double messages = 0.0, slow = 0.0;
    for (const SoakWindowRow& row : windows) {
        lengths_s[row.window] = row.end_unix_s - row.begin_unix_s;
        passes[row.window] = row.passes;
        messages += row.passes;  // a row is of one pair, direction and size: a message in each
        slow += row.slow;
    }
    double soaked_s = 0.0, passed = 0.0;
    for (const auto& [window, length_s] : lengths_s) {
        soaked_s += length_s;
        passed += passes.at(window);
    }
    const auto of_soak = std::ranges::count_if(
        wrong, [&](const WrongDataRow& row) { return row.unix_s >= windows.front().begin_unix_s; });
    return fmt::format("{:.0f} s, {}, {}, {:.0f} of them slow, {} with wrong data, {}", soaked_s,
                       passed == 1.0 ? "1 pass" : fmt::format("{:.0f} passes", passed),
                       count(messages, "message"), slow, of_soak,
                       counted(std::ssize(standstills), "standstill"));
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
