// SPDX-License-Identifier: BSD-3-Clause
// Selects suspects one by one while the odds suffice, then weighs each against its rivals.
#include "validation/interconnect/suspects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

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

    /// What speaks for each component given the chosen ones but one; that one's tests are not
    /// healthy.
    Scores scores_without(std::size_t except) {
        const auto counts = unexplained(except);
        const auto healthy = except == nobody ? counts : unexplained(nobody);
        compare_with_healthy(slowdowns_, healthy);
        return scores_of(candidates_, slowdowns_, counts, healthy, settings_);
    }

    /// The component with the most support.
    static const Score* best_of(const Scores& scores) {
        const Score* best = nullptr;
        for (const auto* some : {&scores.of_parts, &scores.of_pairs}) {
            for (const auto& score : *some) {
                if (score.log_support == -unlimited) continue;
                if (!best || score.log_support > best->log_support) best = &score;
            }
        }
        return best;
    }

    /// Adds the best component while it is convincing once its own tests are not taken for noise.
    void select() {
        lead_.reset();
        while (chosen_.size() < static_cast<std::size_t>(settings_.most_suspects)) {
            const auto first = scores_without(nobody);
            const auto* best = best_of(first);
            if (!best) return;
            chosen_.push_back(best->component);
            if (convincing(*best)) continue;
            const auto alone = scores_without(chosen_.size() - 1);
            best = best_of(alone);
            if (best && convincing(*best)) {
                chosen_.back() = best->component;
                continue;
            }
            chosen_.pop_back();
            if (best && best->log_odds > std::log(settings_.least_odds_of_lead)) {
                lead_ = suspect_from(*best, alone);
            }
            return;
        }
    }

    /// Whether any suspect is another, or none, in the light of those found after it.
    bool reconsider() {
        bool changed = false;
        suspects_.clear();
        for (std::size_t k = 0; k < chosen_.size();) {
            const auto scores = scores_without(k);
            const auto* best = best_of(scores);
            if (!best || !convincing(*best)) {
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
        result.noise = scores_without(nobody).noise;
        result.lead = lead_;
        return result;
    }

    static constexpr double unlimited = std::numeric_limits<double>::infinity();
    static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();
    std::span<const Place> places_;
    SuspicionSettings settings_;
    Slowdowns slowdowns_;
    Candidates candidates_;
    std::vector<Component> chosen_;
    std::optional<Suspect> lead_;    ///< of the last selection
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
