// SPDX-License-Identifier: BSD-3-Clause
// Suspects among parts and ranks, limits kept or broken, and the verdict on all of it.
#include "validation/interconnect/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>

#include "kernels/base/units.hpp"
#include "validation/interconnect/congestion_figures.hpp"
#include "validation/interconnect/episodes.hpp"
#include "validation/interconnect/limits_in_force.hpp"
#include "validation/interconnect/node_clocks.hpp"
#include "validation/interconnect/pair_figures.hpp"
#include "validation/interconnect/slow_ranks.hpp"
#include "validation/interconnect/suspects.hpp"
#include "validation/interconnect/traffic.hpp"

namespace shardstone::validation {

namespace {

std::string rivals_in_words(const Suspect& suspect, std::span<const Place> places) {
    std::vector<std::string> words;
    for (const Rival& rival : suspect.rivals) {
        words.push_back(
            fmt::format("{} ({:.2g})", name_of(rival.component, places), rival.probability));
    }
    return fmt::format("{}", fmt::join(words, "; "));
}

/// What all of a validation has in hand while it is judged.
class Judging {
  public:
    explicit Judging(const InterconnectSamples& samples)
        : samples_(samples),
          places_(places_of(samples.places)),
          times_(pair_times_of(samples.pairs)) {
        require_valid(places_, times_);
    }

    InterconnectFindings findings() {
        found_.pairs = pair_rows(places_, times_);
        found_.paths = path_rows(places_, times_);
        look_for_wrong_data();
        look_at_traffic();
        look_for_slow_parts();
        look_for_slow_ranks();
        look_for_episodes();
        found_.clocks = clock_rows(samples_.clocks, samples_.places);
        found_.congestion = congestion_rows(samples_.congestion);
        found_.bisection = bisection_rows(samples_.congestion, samples_.places);
        look_at_limits();
        if (samples_.places.size() < 2) {
            add(Acceptance::inconclusive, "one rank has nobody to be compared with");
        } else if (!is_anything_judged()) {
            add(Acceptance::inconclusive,
                "nothing that was measured is judged: congestion and clocks are by limits "
                "(--accept), traffic by a description that calibrate measured here (--cluster)");
        }
        return std::move(found_);
    }

  private:
    void add(Acceptance verdict, std::string reason) {
        const bool is_graver = verdict == Acceptance::fail || found_.verdict == Acceptance::pass;
        if (verdict == Acceptance::fail && found_.verdict != Acceptance::fail) {
            found_.reasons.clear();  // what is undecided no longer matters
        }
        if (is_graver) found_.verdict = verdict;
        if (verdict == found_.verdict) found_.reasons.push_back(std::move(reason));
    }

    bool is_anything_judged() const {
        return !times_.empty() || !samples_.ranks.empty() || !samples_.limits.empty() ||
               std::ranges::any_of(samples_.traffic,
                                   [](const auto& row) { return row.judged > 0.0; });
    }

    void look_for_wrong_data() {
        constexpr std::size_t most_named = 8;
        for (const auto& row : samples_.wrong | std::views::take(most_named)) {
            add(Acceptance::fail,
                fmt::format("wrong data: {} received from {} in step {}: {}, the first is element "
                            "{} ({} instead of {})",
                            name_of_rank(row.receiver, samples_.places),
                            name_of_rank(row.sender, samples_.places), row.step,
                            counted(static_cast<std::int64_t>(row.elements), "wrong element"),
                            row.first_element, row.found, row.expected));
        }
        if (samples_.wrong.size() <= most_named) return;
        const auto further = static_cast<std::int64_t>(samples_.wrong.size() - most_named);
        add(Acceptance::fail,
            fmt::format("{} with wrong data", counted(further, "further message")));
    }

    void look_at_traffic() {
        found_.traffic = traffic_rows(samples_.traffic);
        for (const auto& row : found_.traffic) {
            if (row.slow > 0.0) add(Acceptance::fail, "slow traffic: " + in_words(row));
        }
        std::map<std::string, double> wrong;
        for (const auto& row : samples_.traffic) {
            if (row.wrong_elements > 0.0) wrong[row.traffic] = row.wrong_elements;
        }
        for (const auto& [traffic, elements] : wrong) {
            add(Acceptance::fail,
                fmt::format("wrong data: {} in the result of {}",
                            counted(static_cast<std::int64_t>(elements), "wrong element"),
                            traffic));
        }
    }

    void look_for_slow_parts() {
        const auto sizes = sizes_of(times_);
        if (sizes.empty()) return;
        std::vector<std::int64_t> telling{sizes.back()};
        // A short message takes as long as its ends wait for a core, if they do.
        found_.unjudged = std::ranges::any_of(
            samples_.places, [](const auto& place) { return place.sharers > 1.0; });
        if (sizes.size() > 1 && !found_.unjudged) telling.push_back(sizes.front());
        for (const std::int64_t size_bytes : telling) {
            const auto judged = times_to_judge(times_, samples_.places, size_bytes);
            const Suspicion suspicion = find_suspects(places_, judged);
            for (const Suspect& suspect : suspicion.suspects)
                add_suspect(suspect, size_bytes, true);
            // With less than even odds it was worth a test, but is no doubt about a cluster.
            if (suspicion.lead && suspicion.lead->log10_odds > 0.0) {
                add_suspect(*suspicion.lead, size_bytes, false);
            }
        }
    }

    void add_suspect(const Suspect& suspect, std::int64_t size_bytes, bool is_decided) {
        results::SuspectRow row;
        row.part = name_of(suspect.component, places_);
        row.culprit = to_string(suspect.component.culprit);
        if (const int node = suspect.component.node; node >= 0) {
            row.node = node;
            row.host = host_of(node);
        }
        row.size_bytes = static_cast<double>(size_bytes);
        row.suspected = is_decided ? 1.0 : 0.0;
        row.slowdown = suspect.slowdown;
        row.slowdown_low = suspect.slowdown_interval.low;
        row.slowdown_high = suspect.slowdown_interval.high;
        row.log10_odds = suspect.log10_odds;
        row.probability = suspect.probability;
        row.tests = suspect.tests;
        row.rivals = rivals_in_words(suspect, places_);
        add(is_decided ? Acceptance::fail : Acceptance::inconclusive, reason_of(row));
        found_.suspects.push_back(std::move(row));
    }

    static std::string reason_of(const results::SuspectRow& row) {
        const std::string at = row.host.empty() ? "" : fmt::format(" ({})", row.host);
        return fmt::format(
            "{}{}{}: messages of {} take {:.0f} % longer ({:.0f} to {:.0f} %), odds "
            "10^{:.1f} to 1",
            row.suspected > 0.0 ? "" : "undecided: ", row.part, at,
            format_size(static_cast<std::int64_t>(row.size_bytes)), 100.0 * row.slowdown,
            100.0 * row.slowdown_low, 100.0 * row.slowdown_high, row.log10_odds);
    }

    std::string host_of(int node) const {
        const auto place = std::ranges::find(samples_.places, node, &results::RankPlaceRow::node);
        return place == samples_.places.end() ? "" : place->host;
    }

    void look_for_slow_ranks() {
        std::map<std::string, std::map<double, std::vector<double>>> turns;
        for (const auto& row : samples_.ranks) turns[row.test][row.rank].push_back(row.time_s);
        for (const auto& [test, of_ranks] : turns) judge_test(test, of_ranks);
    }

    void judge_test(const std::string& test,
                    const std::map<double, std::vector<double>>& of_ranks) {
        std::vector<std::vector<double>> times_s;
        for (const auto& [rank, turns_s] : of_ranks) times_s.push_back(turns_s);
        const auto judgements = judge_ranks(times_s);
        auto judgement = judgements.begin();
        for (const auto& [rank, turns_s] : of_ranks) {
            const RankJudgement& one = *judgement++;
            found_.rank_tests.push_back({rank, test, static_cast<double>(turns_s.size()),
                                         one.time_s, one.factor, one.noise, one.log10_odds,
                                         one.suspected ? 1.0 : 0.0});
            if (!one.suspected) continue;
            add(Acceptance::fail,
                fmt::format("{} is slow: {} takes {:.0f} % longer than on other ranks, odds "
                            "10^{:.1f} to 1",
                            name_of_rank(rank, samples_.places), test, 100.0 * (one.factor - 1.0),
                            one.log10_odds));
        }
    }

    void look_for_episodes() {
        found_.episodes = find_episodes(samples_);
        for (const auto& row : found_.episodes) {
            if (row.suspected > 0.0) add(Acceptance::fail, in_words(row));
        }
    }

    void look_at_limits() {
        found_.acceptance = judge_limits_in_force(samples_, places_, times_);
        for (const auto& row : found_.acceptance) {
            if (row.verdict == to_string(Acceptance::pass)) continue;
            const bool fails = row.verdict == to_string(Acceptance::fail);
            add(fails ? Acceptance::fail : Acceptance::inconclusive,
                fmt::format("{} of {}: {}", row.quantity, row.subject, against_limit(row)));
        }
    }

    const InterconnectSamples& samples_;
    std::vector<Place> places_;
    std::vector<PairTime> times_;
    InterconnectFindings found_;
};

}  // namespace

InterconnectFindings find_in(const InterconnectSamples& samples) {
    return Judging(samples).findings();
}

std::string name_of_rank(double rank, const std::vector<results::RankPlaceRow>& places) {
    const auto place = std::ranges::find(places, rank, &results::RankPlaceRow::rank);
    if (place == places.end()) return fmt::format("rank {}", rank);
    return fmt::format("rank {} on {}", rank, place->host);
}

}  // namespace shardstone::validation
