// SPDX-License-Identifier: BSD-3-Clause
// Suspects among parts and ranks, limits kept or broken, and the verdict on all of it.
#include "validation/interconnect/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <set>

#include "kernels/base/units.hpp"
#include "results/schema/verdict_counts.hpp"
#include "validation/interconnect/congestion_figures.hpp"
#include "validation/interconnect/disturbances.hpp"
#include "validation/interconnect/episodes.hpp"
#include "validation/interconnect/gpu_clocks.hpp"
#include "validation/interconnect/held_against.hpp"
#include "validation/interconnect/interval_words.hpp"
#include "validation/interconnect/limited_subjects.hpp"
#include "validation/interconnect/limits_in_force.hpp"
#include "validation/interconnect/node_clocks.hpp"
#include "validation/interconnect/pair_figures.hpp"
#include "validation/interconnect/rank_findings.hpp"
#include "validation/interconnect/suspect_rows.hpp"
#include "validation/interconnect/suspects.hpp"
#include "validation/interconnect/traffic.hpp"

namespace shardstone::validation {

namespace {

/// What all of a validation has in hand while it is judged.
class Judging {
  public:
    explicit Judging(const InterconnectSamples& samples)
        : samples_(samples),
          disturbances_(samples),
          places_(places_of(samples.places)),
          times_(pair_times_of(samples.pairs)) {
        require_valid(places_, times_);
    }

    InterconnectFindings findings() {
        found_.pairs = pair_rows(places_, times_);
        found_.paths = path_rows(places_, times_);
        look_for_wrong_data();
        look_at_health();
        look_at_traffic();
        look_for_slow_parts();
        look_for_slow_ranks();
        look_for_episodes();
        found_.clocks = clock_rows(samples_.clocks, samples_.places);
        found_.congestion = congestion_rows(samples_.congestion);
        found_.bisection = bisection_rows(samples_.congestion, samples_.places);
        look_at_limits();
        look_at_comparisons();
        look_at_disturbances();
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

    void look_at_comparisons() {
        found_.held_against = held_against_rows(samples_, places_, times_, found_.acceptance);
        found_.not_tested =
            results::not_tested(samples_.places, samples_.ranks,
                                !samples_.pairs.empty() || !samples_.congestion.empty());
        if (samples_.places.size() < 2) {
            add(Acceptance::inconclusive, "one rank has nobody to be compared with");
        } else if (auto lack = lack_of_comparisons(found_.held_against); !lack.empty()) {
            add(Acceptance::inconclusive, std::move(lack));
        }
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

    void look_at_health() {
        for (const std::string& counter : samples_.risen) {
            add(Acceptance::fail, "an error counter rose during the tests: " + counter);
        }
    }

    void look_at_traffic() {
        found_.traffic = traffic_rows(samples_.traffic);
        const Disturbance seen = disturbances_.during(during_traffic);
        for (auto& row : found_.traffic) {
            row.disturbed = seen.is_any() ? 1.0 : 0.0;
            const bool is_judged = samples_.traffic.front().judged > 0.0;
            if (!is_judged || !may_be_slow(row)) continue;
            const bool is_doubtful =
                row.slow == 0.0 || seen.may_break_limit(quickest_over_limit(row));
            const std::string words = in_words(row);
            if (is_doubtful) row.slow = 0.0;
            add_slow(is_doubtful, "slow traffic: " + words, seen);
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

    double quickest_over_limit(const results::TrafficRow& row) const {
        double quickest_s = row.time_s;
        for (const auto& sample : samples_.traffic) {
            const bool is_of_it =
                sample.traffic == row.traffic && sample.size_bytes == row.size_bytes;
            if (is_of_it) quickest_s = std::min(quickest_s, sample.time_s);
        }
        return quickest_s / row.predicted_s / most_over_prediction;
    }

    /// Something slow, which is only undecided where a disturbance may be why.
    void add_slow(bool is_doubtful, const std::string& reason, const Disturbance& seen) {
        add(is_doubtful ? Acceptance::inconclusive : Acceptance::fail,
            (is_doubtful ? "undecided: " : "") + reason + seen.words());
    }

    std::vector<double> ranks_on(double node) const {
        std::vector<double> ranks;
        for (const auto& place : samples_.places) {
            if (place.node == node) ranks.push_back(place.rank);
        }
        return ranks;
    }

    /// None if it is of several nodes.
    std::vector<double> ranks_at(const Component& component) const {
        if (component.node >= 0) return ranks_on(component.node);
        if (component.sender < 0) return {};
        return {static_cast<double>(component.sender), static_cast<double>(component.receiver)};
    }

    void look_for_slow_parts() {
        found_.unjudged = are_cores_shared(samples_.places) && !times_.empty();
        for (const std::int64_t size_bytes : sizes_to_judge(times_, samples_.places)) {
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
        auto row = suspect_row(suspect, size_bytes, places_, samples_.places);
        const Disturbance seen = disturbances_.during(during_pairs, ranks_at(suspect.component));
        is_decided = is_decided && !seen.may_explain(suspect.slowdown_interval.low);
        row.disturbed = seen.is_any() ? 1.0 : 0.0;
        row.suspected = is_decided ? 1.0 : 0.0;
        add_slow(!is_decided, in_words(row), seen);
        found_.suspects.push_back(std::move(row));
    }

    void look_for_slow_ranks() {
        found_.gpus = gpu_use_rows(samples_);
        for (RankFinding& one : find_slow_ranks(samples_, disturbances_, found_.gpus)) {
            if (one.is_slow) add_slow(one.is_doubtful, one.reason, one.seen);
            found_.rank_tests.push_back(std::move(one.row));
        }
    }

    void look_for_episodes() {
        found_.episodes = find_episodes(samples_);
        for (auto& row : found_.episodes) {
            const Disturbance seen =
                disturbances_.between(row.begin_unix_s, row.end_unix_s, ranks_on(row.node));
            row.disturbed = seen.is_any() ? 1.0 : 0.0;
            if (row.suspected == 0.0) continue;
            const bool is_doubtful = may_explain(seen, row);
            if (is_doubtful) row.suspected = 0.0;
            add_slow(is_doubtful, in_words(row), seen);
        }
    }

    void look_at_limits() {
        found_.acceptance = judge_limits_in_force(samples_, places_, times_, disturbances_);
        for (const auto& row : found_.acceptance) {
            if (row.verdict == to_string(Acceptance::pass)) continue;
            const bool fails = row.verdict == to_string(Acceptance::fail);
            const std::string of_all = results::subjects_in_words(row);
            const bool is_open = !fails && row.samples > 0.0 && is_bounded(row.quantity);
            add(fails ? Acceptance::fail : Acceptance::inconclusive,
                fmt::format("{} of {}: {}{}{}{}", row.quantity, row.subject, against_limit(row),
                            row.disturbed > 0.0
                                ? disturbances_.during(part_of_limit(row.quantity)).words()
                                : "",
                            of_all.empty() ? "" : "; " + of_all,
                            is_open ? ": " + what_decides_bounded(row.quantity) : ""));
        }
    }

    /// What a verdict rests on.
    std::set<std::string> judged_parts() const {
        std::set<std::string> parts;
        if (!times_.empty()) parts.insert(during_pairs);
        if (!samples_.ranks.empty()) parts.insert(during_ranks);
        for (const auto& row : samples_.traffic) {
            if (row.judged > 0.0) parts.insert(during_traffic);
        }
        for (const auto& row : found_.acceptance) parts.insert(part_of_limit(row.quantity));
        return parts;
    }

    /// That nothing was found is no evidence of health then.
    void look_at_disturbances() {
        std::vector<std::string> busy;
        const auto note = [&](const std::string& part, const Disturbance& seen) {
            if (!seen.is_everywhere) return;
            busy.push_back(fmt::format("{} during {}", seen.worst.words(), part));
        };
        for (const std::string& part : judged_parts()) note(part, disturbances_.during(part));
        if (!samples_.windows.empty()) note("the soak", disturbances_.during_soak());
        if (busy.empty()) return;
        add(Acceptance::inconclusive,
            fmt::format("the machine was busy: {}: end the other programs and test again",
                        fmt::join(busy, ", ")));
    }

    const InterconnectSamples& samples_;
    Disturbances disturbances_;
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
    const auto address = place->gpu.find(" at ");
    const auto gpu = address == std::string::npos ? "" : ", GPU" + place->gpu.substr(address + 3);
    return fmt::format("rank {} on {}{}", rank, place->host, gpu);
}

}  // namespace shardstone::validation
