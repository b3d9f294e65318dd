// SPDX-License-Identifier: BSD-3-Clause
// What a verdict on an interconnect is about, counted: the line that stands before its reasons.
#include "results/schema/verdict_counts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "kernels/base/units.hpp"
#include "results/schema/held_against.hpp"
#include "results/schema/soak.hpp"
#include "results/schema/traffic.hpp"

namespace shardstone::results {

namespace {

using Words = std::vector<std::string>;

void add_wrong_data(const Record& record, Words& words) {
    const auto wrong = std::ssize(rows_of<WrongDataRow>(record));
    if (wrong > 0) words.push_back(counted(wrong, "message") + " with wrong data");
    std::set<std::string> traffic;
    for (const auto& row : rows_of<TrafficSampleRow>(record)) {
        if (row.wrong_elements > 0.0) traffic.insert(row.traffic);
    }
    if (!traffic.empty()) {
        words.push_back(counted(std::ssize(traffic), "kind") + " of traffic with wrong data");
    }
}

/// Whether anything of this was held against the median of its kind; earlier records do not tell.
bool is_compared(const std::vector<HeldAgainstRow>& rows,
                 const std::function<bool(const HeldAgainstRow&)>& is_of_it) {
    return rows.empty() || std::ranges::any_of(rows, [&](const HeldAgainstRow& row) {
               return row.against == "median" && is_of_it(row);
           });
}

bool is_inside_node(const PairRow& row) {
    return row.path == "inside node" || row.path == "loopback";
}

/// "6 pairs and 4 ranks", as far as there are any; a pair has two directions.
std::string compared_in_words(const Record& record, const std::vector<RankTestRow>& rank_tests) {
    std::set<std::pair<double, double>> pairs;
    std::set<double> ranks;
    const auto held = rows_of<HeldAgainstRow>(record);
    const auto messages = [&](double between_nodes) {
        return is_compared(held, [&](const HeldAgainstRow& row) {
            return row.what.starts_with("messages") && row.between_nodes == between_nodes;
        });
    };
    const bool inside = messages(0.0), between = messages(1.0);
    for (const auto& row : rows_of<PairRow>(record)) {
        if (is_inside_node(row) ? inside : between) {
            pairs.insert(std::minmax(row.sender, row.receiver));
        }
    }
    const bool of_ranks = is_compared(
        held, [](const HeldAgainstRow& row) { return row.what.ends_with(" of ranks"); });
    for (const auto& row : rank_tests) {
        if (of_ranks) ranks.insert(row.rank);
    }
    Words compared;
    if (!pairs.empty()) compared.push_back(counted(std::ssize(pairs), "pair"));
    // One alone cannot be slower than others.
    if (ranks.size() > 1) compared.push_back(counted(std::ssize(ranks), "rank"));
    return fmt::format("{}", fmt::join(compared, " and "));
}

/// A part that is slow by two sizes, or a rank by two tests, is one suspect.
void add_suspects(const Record& record, Words& words) {
    const auto rank_tests = rows_of<RankTestRow>(record);
    const std::string compared = compared_in_words(record, rank_tests);
    if (compared.empty()) return;
    std::set<std::string> suspects, undecided;
    for (const auto& row : rows_of<SuspectRow>(record)) {
        (row.suspected > 0.0 ? suspects : undecided).insert(row.part);
    }
    std::erase_if(undecided, [&](const auto& part) { return suspects.contains(part); });
    for (const auto& row : rank_tests) {
        if (row.suspected > 0.0) suspects.insert(fmt::format("rank {}", row.rank));
    }
    words.push_back(fmt::format(
        "{} among {}", suspects.empty() ? "no suspects" : counted(std::ssize(suspects), "suspect"),
        compared));
    if (!undecided.empty()) {
        words.push_back(counted(std::ssize(undecided), "undecided part"));
    }
}

void add_traffic(const Record& record, Words& words) {
    const auto samples = rows_of<TrafficSampleRow>(record);
    const bool is_judged = !samples.empty() && samples.front().judged > 0.0;
    if (!is_judged) return;
    const auto rows = rows_of<TrafficRow>(record);
    const auto slow =
        std::ranges::count_if(rows, [](const TrafficRow& row) { return row.slow > 0.0; });
    words.push_back(fmt::format("{} of {} kinds of traffic surely slow", slow, rows.size()));
}

void add_limits(const Record& record, Words& words) {
    const auto rows = rows_of<AcceptanceRow>(record);
    if (rows.empty()) return;
    const auto broken = std::ranges::count(rows, "fail", &AcceptanceRow::verdict);
    const auto kept = std::ranges::count(rows, "pass", &AcceptanceRow::verdict);
    const auto undecided = std::ssize(rows) - broken - kept;
    const std::string of_all = fmt::format("of {}", counted(std::ssize(rows), "limit"));
    if (broken > 0) words.push_back(fmt::format("{} {} broken", broken, of_all));
    if (undecided > 0) {
        words.push_back(broken > 0 ? fmt::format("{} undecided", undecided)
                                   : fmt::format("{} {} undecided", undecided, of_all));
    }
    if (kept == std::ssize(rows)) words.push_back(fmt::format("{} {} kept", kept, of_all));
}

void add_episodes(const Record& record, Words& words) {
    const auto rows = rows_of<EpisodeRow>(record);
    const auto held =
        std::ranges::count_if(rows, [](const EpisodeRow& row) { return row.suspected > 0.0; });
    if (held > 0) words.push_back(counted(held, "episode") + " of the soak held against it");
}

}  // namespace

std::string verdict_counts(const Record& record) {
    Words words;
    add_wrong_data(record, words);
    add_suspects(record, words);
    add_traffic(record, words);
    add_limits(record, words);
    add_episodes(record, words);
    return fmt::format("{}", fmt::join(words, ", "));
}

std::string subjects_in_words(const AcceptanceRow& row) {
    if (!(row.subjects > 1.0)) return "";
    Words words;
    const auto add = [&](double number, const char* what) {
        if (number > 0.0) words.push_back(fmt::format("{:.0f} {}", number, what));
    };
    add(row.subjects_failed, "fail");
    add(row.subjects_passed, "pass");
    add(row.subjects - row.subjects_failed - row.subjects_passed, "undecided");
    return fmt::format("of {:.0f}: {}", row.subjects, fmt::join(words, ", "));
}

}  // namespace shardstone::results
