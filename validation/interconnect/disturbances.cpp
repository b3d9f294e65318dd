// SPDX-License-Identifier: BSD-3-Clause
// Conditions of the parts of a validation, by machine, and whether they may be why it was slow.
#include "validation/interconnect/disturbances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "benchmarks/harness/watch_record.hpp"

namespace shardstone::validation {

std::string part_of_window(double window) {
    return fmt::format("{}{:.0f}", results::soak_window_words, window);
}

namespace {

/// From here on one wait for a core may cost whole time slices.
constexpr double least_unbounded_share = 0.5;

}  // namespace

bool Disturbance::may_explain(double slowdown) const {
    const double share = worst.worst_share();
    return is_any() && is_everywhere &&
           (share >= least_unbounded_share || slowdown <= share / (1.0 - share));
}

bool Disturbance::may_break_limit(double quickest_over_limit) const {
    const double share = worst.worst_share();
    return is_any() && is_everywhere &&
           (share >= least_unbounded_share || quickest_over_limit * (1.0 - share) <= 1.0);
}

std::string Disturbance::words() const {
    return is_any() ? fmt::format(" (disturbed: {})", worst.words()) : "";
}

Disturbances::Disturbances(const InterconnectSamples& samples) {
    for (const auto& row : samples.conditions) {
        // Of a part that was made twice, as its limits were undecided, the worse time counts.
        const auto seen = benchmarks::watched_of(row).surroundings;
        const auto [place, is_new] = seen_[row.part].try_emplace(row.machine, seen);
        if (!is_new && seen.worst_share() > place->second.worst_share()) place->second = seen;
    }
    for (const auto& row : samples.places) machines_[row.rank] = row.machine;
    for (const auto& row : samples.windows) {
        windows_[part_of_window(row.window)] = {row.begin_unix_s, row.end_unix_s};
    }
}

Disturbance Disturbances::among(std::span<const std::string> parts,
                                std::span<const double> ranks) const {
    std::set<double> concerned, all, disturbed;
    for (const double rank : ranks) {
        if (const auto machine = machines_.find(rank); machine != machines_.end()) {
            concerned.insert(machine->second);
        }
    }
    Disturbance found;
    for (const std::string& part : parts) {
        const auto of_part = seen_.find(part);
        if (of_part == seen_.end()) continue;
        for (const auto& [machine, seen] : of_part->second) {
            all.insert(machine);
            if (seen.disturbed()) disturbed.insert(machine);
            const bool counts = concerned.empty() || concerned.contains(machine);
            if (counts && seen.worst_share() > found.worst.worst_share()) found.worst = seen;
        }
    }
    found.is_everywhere = 2 * disturbed.size() > all.size();
    return found;
}

Disturbance Disturbances::during(const std::string& part, std::span<const double> ranks) const {
    return among({&part, 1}, ranks);
}

Disturbance Disturbances::between(double begin_unix_s, double end_unix_s,
                                  std::span<const double> ranks) const {
    std::vector<std::string> parts;
    const decltype(windows_)::value_type *before = nullptr, *after = nullptr;
    for (const auto& one : windows_) {
        const Window& window = one.second;
        if (window.end_unix_s < begin_unix_s) {
            const bool is_later =
                before == nullptr || before->second.end_unix_s < window.end_unix_s;
            if (is_later) before = &one;
        } else if (window.begin_unix_s > end_unix_s) {
            const bool is_sooner =
                after == nullptr || window.begin_unix_s < after->second.begin_unix_s;
            if (is_sooner) after = &one;
        } else {
            parts.push_back(one.first);
        }
    }
    if (!parts.empty()) return among(parts, ranks);
    for (const auto* one : {before, after}) {
        if (one != nullptr) parts.push_back(one->first);
    }
    return among(parts, ranks);
}

Disturbance Disturbances::during_soak() const {
    Disturbance found;
    std::size_t disturbed = 0;
    for (const auto& [part, window] : windows_) {
        const Disturbance one = during(part);
        disturbed += one.is_everywhere ? 1 : 0;
        if (one.worst.worst_share() > found.worst.worst_share()) found.worst = one.worst;
    }
    found.is_everywhere = 2 * disturbed > windows_.size();
    return found;
}

}  // namespace shardstone::validation
