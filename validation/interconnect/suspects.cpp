// SPDX-License-Identifier: BSD-3-Clause
// Selects suspects one by one while the odds suffice, then weighs each against its rivals.
#include "validation/interconnect/suspects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/error.hpp"
#include "validation/interconnect/candidates.hpp"
#include "validation/interconnect/scores.hpp"
#include "validation/interconnect/slowdowns.hpp"

namespace shardstone::validation {

namespace {

constexpr double least_probability_of_rival = 1e-3;
constexpr int most_reviews = 4;  // each repeats until nothing changes, which is mostly the first

class Search {
  public:
    Search(std::span<const Place> places, std::span<const PairTime> times,
           const SuspicionSettings& settings)
        : places_(places),
          settings_(settings),
          slowdowns_(slowdowns_of(places, times)),
          candidates_(candidates_of(places, slowdowns_)) {}

    Suspicion run() {
        for (int review = 0; review < most_reviews; ++review) {
            select();
            if (!reconsider()) break;
        }
        return report();
    }

  private:
    bool convincing(const Score& score) const {
        return score.log_odds > -std::log(settings_.false_alarms);
    }

    /// Tests that cross no chosen component but, if `except` is one of their positions, that one.
    std::vector<bool> unexplained(std::size_t except) const {
        const auto& tests = slowdowns_.of_tests;
        std::vector<bool> result(tests.size(), true);
        for (std::size_t k = 0; k < chosen_.size(); ++k) {
            if (k == except) continue;
            for (std::size_t i = 0; i < tests.size(); ++i) {
                if (covers(chosen_[k], places_, tests[i].test)) result[i] = false;
            }
        }
        return result;
    }

    Scores scores_without(std::size_t except) {
        const auto counts = unexplained(except);
        auto healthy = counts;
        if (except < chosen_.size()) healthy = unexplained(nobody);
        compare_with_healthy(slowdowns_, healthy);
        return scores_of(candidates_, slowdowns_, counts, settings_);
    }

    /// The convincing component with the most support.
    std::optional<Score> best_of(const Scores& scores) const {
        std::optional<Score> best;
        for (const auto* some : {&scores.of_parts, &scores.of_pairs}) {
            for (const auto& score : *some) {
                if (!convincing(score)) continue;
                if (!best || score.log_support > best->log_support) best = score;
            }
        }
        return best;
    }

    void select() {
        while (chosen_.size() < static_cast<std::size_t>(settings_.most_suspects)) {
            const auto best = best_of(scores_without(nobody));
            if (!best) return;
            chosen_.push_back(best->component);
        }
    }

    /// Whether any suspect is another, or none, in the light of those found after it.
    bool reconsider() {
        bool changed = false;
        suspects_.clear();
        for (std::size_t k = 0; k < chosen_.size();) {
            const auto scores = scores_without(k);
            const auto best = best_of(scores);
            if (!best) {
                chosen_.erase(chosen_.begin() + static_cast<std::ptrdiff_t>(k));
                changed = true;
                continue;
            }
            changed = changed || best->component != chosen_[k];
            chosen_[k] = best->component;
            suspects_.push_back(suspect_from(*best, scores));
            ++k;
        }
        return changed;
    }

    bool share_tests(const Component& one, const Component& other) const {
        return std::ranges::any_of(slowdowns_.of_tests, [&](const Slowdown& slowdown) {
            return covers(one, places_, slowdown.test) && covers(other, places_, slowdown.test);
        });
    }

    std::vector<Rival> rivals_of(const Score& suspect, const Scores& scores) const {
        std::vector<Rival> rivals;
        for (const auto* some : {&scores.of_parts, &scores.of_pairs}) {
            for (const auto& score : *some) {
                const double ratio = std::exp(score.log_support - suspect.log_support);
                if (ratio < least_probability_of_rival) continue;
                if (share_tests(score.component, suspect.component)) {
                    rivals.push_back({score.component, ratio});
                }
            }
        }
        double sum = 0.0;
        for (const auto& rival : rivals) sum += rival.probability;
        for (auto& rival : rivals) rival.probability /= sum;
        std::ranges::stable_sort(rivals, std::greater{}, &Rival::probability);
        return rivals;
    }

    Suspect suspect_from(const Score& score, const Scores& scores) const {
        Suspect suspect{.component = score.component,
                        .slowdown = std::expm1(score.log_slowdown),
                        .log10_odds = score.log_odds / std::numbers::ln10,
                        .tests = score.tests,
                        .rivals = rivals_of(score, scores)};
        // half_width() is for the mean of n samples, which has n - 1 degrees.
        const double samples = std::max(2.0, std::round(score.degrees) + 1.0);
        const double half =
            half_width(score.error * std::sqrt(samples), static_cast<std::size_t>(samples));
        suspect.slowdown_interval = {std::expm1(score.log_slowdown - half),
                                     std::expm1(score.log_slowdown + half)};
        const auto itself = std::ranges::find(suspect.rivals, suspect.component, &Rival::component);
        suspect.probability = itself->probability;
        suspect.rivals.erase(itself);
        return suspect;
    }

    Suspicion report() {
        Suspicion result{.suspects = std::move(suspects_),
                         .tests = static_cast<std::int64_t>(slowdowns_.of_tests.size()),
                         .incomparable = slowdowns_.incomparable};
        std::ranges::stable_sort(result.suspects, std::greater{}, &Suspect::log10_odds);
        const auto rest = scores_without(nobody);
        result.noise = rest.noise;
        result.lead = lead_from(rest);
        return result;
    }

    std::optional<Suspect> lead_from(const Scores& scores) const {
        const Score* best = nullptr;
        for (const auto* some : {&scores.of_parts, &scores.of_pairs}) {
            for (const auto& score : *some) {
                if (score.log_odds > 0.0 && (!best || score.log_odds > best->log_odds)) {
                    best = &score;
                }
            }
        }
        if (!best || convincing(*best)) return std::nullopt;
        return suspect_from(*best, scores);
    }

    static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();
    std::span<const Place> places_;
    SuspicionSettings settings_;
    Slowdowns slowdowns_;
    Candidates candidates_;
    std::vector<Component> chosen_;
    std::vector<Suspect> suspects_;  ///< of the last review, in the order of chosen_
};

}  // namespace

Suspicion find_suspects(std::span<const Place> places, std::span<const PairTime> times,
                        const SuspicionSettings& settings) {
    require_valid(places, times);
    require(sizes_of(times).size() <= 1, "suspects are found from tests of one size of message");
    require(settings.false_alarms > 0.0 && settings.false_alarms < 1.0, [&] {
        return fmt::format("a probability of false alarms of {}: use one between 0 and 1",
                           settings.false_alarms);
    });
    return Search(places, times, settings).run();
}

}  // namespace shardstone::validation
