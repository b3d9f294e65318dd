// SPDX-License-Identifier: BSD-3-Clause
// Windows of a soak, slow messages one by one, and the bounds of both.
#include "validation/interconnect/soak_sums.hpp"

#include <algorithm>
#include <limits>

#include "validation/interconnect/interconnect_record.hpp"

namespace shardstone::validation {

double soak_window_s(double soak_s, std::size_t tests) {
    constexpr double windows = 480.0, shortest_s = 1.0, longest_s = 60.0;
    const double most_windows =
        std::max(1.0, static_cast<double>(most_window_rows) / static_cast<double>(tests));
    return std::max(std::clamp(soak_s / windows, shortest_s, longest_s), soak_s / most_windows);
}

double soaked_s(const InterconnectSamples& samples) {
    double sum_s = 0.0, last = -1.0;
    for (const auto& row : samples.windows) {
        if (row.window != last) sum_s += row.end_unix_s - row.begin_unix_s;
        last = row.window;
    }
    return sum_s;
}

SoakSums::SoakSums(const InterconnectSamples& before, double window_s)
    : usual_(before.pairs),
      places_(before.places),
      window_s_(window_s),
      slow_(before.slow.size()),
      wrong_(before.wrong.size()) {
    double last_pass = -1.0, last_window = -1.0;
    for (const auto& row : before.windows) {
        last_pass = std::max(last_pass, row.first_pass + row.passes - 1.0);
        last_window = std::max(last_window, row.window);
    }
    // Of a run that was killed there may be passes after its last window.
    for (const auto& row : before.slow) last_pass = std::max(last_pass, row.pass);
    for (const auto& row : before.standstills) last_pass = std::max(last_pass, row.pass);
    for (const auto& row : before.waits) last_pass = std::max(last_pass, row.pass);
    pass_ = static_cast<std::int64_t>(last_pass) + 1;
    window_ = static_cast<std::int64_t>(last_window) + 1;
}

bool SoakSums::is_kept(const benchmarks::LinkSample& sample) const {
    const double usual_s = usual_.time_s(sample.sender, sample.receiver, sample.size_bytes);
    if (sample.time_s > usual_s + silence_s) return true;
    const auto& sender = places_[static_cast<std::size_t>(sample.sender)];
    const auto& receiver = places_[static_cast<std::size_t>(sample.receiver)];
    // Short messages and those inside nodes wait for cores where ranks share them.
    const bool waits_for_cores =
        sender.sharers > 1.0 &&
        (sender.node == receiver.node || sample.size_bytes < usual_.largest_bytes());
    return !waits_for_cores && sample.time_s > slow_factor * usual_s;
}

results::SoakWindowRow& SoakSums::row_of(const Test& test) {
    const auto [place, is_new] = rows_.try_emplace(test);
    results::SoakWindowRow& row = place->second;
    if (is_new) {
        row.sender = std::get<0>(test);
        row.receiver = std::get<1>(test);
        row.size_bytes = static_cast<double>(std::get<2>(test));
        row.mean_s = row.longest_s = row.slow = 0.0;
        row.shortest_s = std::numeric_limits<double>::infinity();
    }
    return row;
}

InterconnectSamples SoakSums::add(const benchmarks::LinkPass& pass,
                                  const benchmarks::LinkPasses& clock, double begin_unix_s,
                                  double end_unix_s) {
    InterconnectSamples kept;
    if (passes_of_window_++ == 0) begin_unix_s_ = begin_unix_s;
    end_unix_s_ = end_unix_s;
    for (const auto& sample : pass.samples) {
        auto& row = row_of({sample.sender, sample.receiver, sample.size_bytes});
        row.mean_s += sample.time_s;
        row.shortest_s = std::min(row.shortest_s, sample.time_s);
        row.longest_s = std::max(row.longest_s, sample.time_s);
        if (!is_kept(sample)) continue;
        row.slow += 1.0;
        if (slow_++ >= most_slow_rows) continue;
        kept.slow.push_back(
            {static_cast<double>(sample.sender), static_cast<double>(sample.receiver),
             static_cast<double>(sample.round), static_cast<double>(sample.size_bytes),
             static_cast<double>(pass_), clock.unix_s_of_sample(sample.at_s), sample.time_s});
    }
    for (const auto& row : wrong_rows_of(pass.wrong, clock)) {
        if (wrong_++ < most_wrong_rows) kept.wrong.push_back(row);
    }
    ++pass_;
    if (end_unix_s_ - begin_unix_s_ >= window_s_) kept.windows = end_window();
    return kept;
}

std::vector<results::SoakWindowRow> SoakSums::end_window() {
    std::vector<results::SoakWindowRow> rows;
    for (auto& [test, row] : rows_) {
        const auto passes = static_cast<double>(passes_of_window_);
        row.window = static_cast<double>(window_);
        row.first_pass = static_cast<double>(pass_) - passes;
        row.passes = passes;
        row.begin_unix_s = begin_unix_s_;
        row.end_unix_s = end_unix_s_;
        row.mean_s /= passes;
        rows.push_back(row);
    }
    if (!rows.empty()) ++window_;
    rows_.clear();
    passes_of_window_ = 0;
    return rows;
}

}  // namespace shardstone::validation
