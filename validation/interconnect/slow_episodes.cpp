// SPDX-License-Identifier: BSD-3-Clause
// Spells of all subjects of a soak, less those that another explains.
#include "validation/interconnect/slow_episodes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "kernels/base/statistics.hpp"
#include "validation/interconnect/soak_subjects.hpp"
#include "validation/interconnect/usual_times.hpp"

namespace shardstone::validation {

namespace {

using results::SoakWindowRow;

struct SlowSpell {
    SoakSubject subject;
    Spell spell;
    double size_bytes = 0.0;
};

bool is_judged(const results::SlowMessageRow& row, const InterconnectSamples& samples) {
    const auto& sender = samples.places[static_cast<std::size_t>(row.sender)];
    const auto& receiver = samples.places[static_cast<std::size_t>(row.receiver)];
    return sender.node != receiver.node || sender.sharers <= 1.0;
}

/// Passes of the soak; if not all slow messages were kept, those up to the last that was.
std::int64_t passes_to_judge(const InterconnectSamples& samples) {
    double last = 0.0, slow = 0.0, last_slow = 0.0;
    for (const auto& row : samples.windows) {
        last = std::max(last, row.first_pass + row.passes - 1.0);
        slow += row.slow;
    }
    for (const auto& row : samples.slow) last_slow = std::max(last_slow, row.pass);
    const bool all_kept = slow <= static_cast<double>(samples.slow.size());
    return static_cast<std::int64_t>(all_kept ? std::max(last, last_slow) : last_slow) + 1;
}

std::vector<double> sizes_to_judge(const InterconnectSamples& samples) {
    std::set<double> sizes;
    for (const auto& row : samples.windows) sizes.insert(row.size_bytes);
    const bool share_cores =
        std::ranges::any_of(samples.places, [](const auto& place) { return place.sharers > 1.0; });
    if (sizes.size() == 1 || share_cores) return {*sizes.rbegin()};
    return {*sizes.rbegin(), *sizes.begin()};
}

std::vector<std::pair<int, int>> tests_of(const InterconnectSamples& samples) {
    std::set<std::pair<int, int>> tests;
    for (const auto& row : samples.windows) {
        tests.insert({static_cast<int>(row.sender), static_cast<int>(row.receiver)});
    }
    return {tests.begin(), tests.end()};
}

std::vector<SlowSpell> spells_in(const InterconnectSamples& samples) {
    const auto tests = tests_of(samples);
    const auto sizes = sizes_to_judge(samples);
    const auto passes = passes_to_judge(samples);
    std::vector<SlowSpell> found;
    for (const double size_bytes : sizes) {
        std::vector<SlowTest> slow;
        for (const auto& row : samples.slow) {
            if (row.size_bytes != size_bytes || !is_judged(row, samples)) continue;
            slow.push_back({static_cast<std::int64_t>(row.pass), static_cast<int>(row.sender),
                            static_cast<int>(row.receiver)});
        }
        const auto kinds = soak_subjects(samples.places, tests, std::move(slow));
        std::size_t subjects = 0;
        for (const auto& kind : kinds) subjects += kind.subjects.size();
        for (const auto& kind : kinds) {
            for (const Spell& spell : find_spells(kind.slow, passes, subjects * sizes.size())) {
                found.push_back({kind.subjects[spell.subject], spell, size_bytes});
            }
        }
    }
    return found;
}

/// Whether most of the passes of `one` are passes of `other`, too.
bool lies_in(const Spell& one, const Spell& other) {
    const std::int64_t common =
        std::min(one.last, other.last) - std::max(one.first, other.first) + 1;
    return 2 * common > one.passes();
}

bool is_explained(const SlowSpell& one, const SlowSpell& other,
                  std::span<const results::RankPlaceRow> places) {
    if (!lies_in(one.spell, other.spell)) return false;
    if (includes(other.subject, one.subject, places)) return true;
    const bool same = one.subject.kind == other.subject.kind &&
                      one.subject.node == other.subject.node &&
                      one.subject.sender == other.subject.sender &&
                      one.subject.receiver == other.subject.receiver;
    return same && one.size_bytes < other.size_bytes;
}

results::EpisodeRow row_of(const SlowSpell& found, const UsualTimes& usual,
                           const InterconnectSamples& samples) {
    results::EpisodeRow row;
    row.fault = "slow";
    row.subject = name_of(found.subject, samples.places);
    if (found.subject.node >= 0) {
        row.node = found.subject.node;
        row.host = std::ranges::find(samples.places, row.node, &results::RankPlaceRow::node)->host;
    }
    if (found.subject.kind == SoakKind::outgoing) row.direction = "outgoing";
    if (found.subject.kind == SoakKind::incoming) row.direction = "incoming";
    std::vector<double> begins_s, ends_s, slowdowns;
    for (const auto& slow : samples.slow) {
        const auto [sender, receiver] =
            std::pair(static_cast<int>(slow.sender), static_cast<int>(slow.receiver));
        const auto pass = static_cast<std::int64_t>(slow.pass);
        const bool is_meant = slow.size_bytes == found.size_bytes && pass >= found.spell.first &&
                              pass <= found.spell.last &&
                              concerns(found.subject, sender, receiver, samples.places);
        if (!is_meant) continue;
        begins_s.push_back(slow.unix_s);
        ends_s.push_back(slow.unix_s + slow.time_s);
        const double usual_s =
            usual.time_s(sender, receiver, static_cast<std::int64_t>(slow.size_bytes));
        slowdowns.push_back(slow.time_s / usual_s);
    }
    row.begin_unix_s = std::ranges::min(begins_s);
    row.end_unix_s = std::ranges::max(ends_s);
    row.size_bytes = found.size_bytes;
    row.passes = static_cast<double>(found.spell.passes());
    row.messages = static_cast<double>(slowdowns.size());
    row.slowdown = median(slowdowns);
    row.log10_odds = found.spell.log10_odds;
    row.suspected = found.subject.kind == SoakKind::cluster ? 0.0 : 1.0;
    return row;
}

double length_s(const results::EpisodeRow& row) {
    return row.end_unix_s - row.begin_unix_s;
}

double length_of_soak_s(const InterconnectSamples& samples) {
    const auto begin = std::ranges::min_element(samples.windows, {}, &SoakWindowRow::begin_unix_s);
    const auto end = std::ranges::max_element(samples.windows, {}, &SoakWindowRow::end_unix_s);
    return end->end_unix_s - begin->begin_unix_s;
}

/// Those that are brief, and together seldom for their subject or less than what most of the
/// cluster was slow for, are told and no more.
void excuse_brief_ones(std::vector<results::EpisodeRow>& rows, double soak_s) {
    std::map<std::string, double> brief_of_subject_s;
    double cluster_s = 0.0;
    for (const auto& row : rows) {
        if (length_s(row) < brief_s) brief_of_subject_s[row.subject] += length_s(row);
        if (row.suspected == 0.0) cluster_s += length_s(row);  // as yet nothing else is excused
    }
    const double excused_s = std::max(seldom * soak_s, cluster_s);
    for (auto& row : rows) {
        const bool is_excused = brief_of_subject_s[row.subject] < excused_s;
        if (length_s(row) < brief_s && is_excused) row.suspected = 0.0;
    }
}

}  // namespace

std::vector<results::EpisodeRow> slow_episodes(const InterconnectSamples& samples) {
    const UsualTimes usual(samples.pairs);
    const auto spells = spells_in(samples);
    std::vector<results::EpisodeRow> rows;
    for (const SlowSpell& one : spells) {
        const bool explained = std::ranges::any_of(spells, [&](const SlowSpell& other) {
            return is_explained(one, other, samples.places);
        });
        if (!explained) rows.push_back(row_of(one, usual, samples));
    }
    excuse_brief_ones(rows, length_of_soak_s(samples));
    return rows;
}

}  // namespace shardstone::validation
