// SPDX-License-Identifier: BSD-3-Clause
// Lists the tests that could tell rivals apart, and takes those whose outcome is most in doubt.
#include "validation/interconnect/next_tests.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace shardstone::validation {

namespace {

/// One explanation of what was seen, with its probability; nothing is wrong for the rest.
struct Explanation {
    Component component = {};
    double probability = 0.0;
};

/// Of one suspect or lead.
struct Question {
    std::vector<Explanation> explanations = {};
    double log_slowdown = 0.0;
};

/// Tests that the same explanations slow tell the same. This many of them, or the only one this
/// many times, outvote a delay of one; more add little until these are in.
constexpr std::size_t tests_of_one_kind = 3;
/// Healthy tests that a test of a new kind is compared with.
constexpr int least_references = 5;
/// A test whose predicted times have a standard deviation below this share of the slowdown tells
/// nothing.
constexpr double least_doubt = 0.01;

Question question_about(const Suspect& suspect, double probability_of_any) {
    Question question{.log_slowdown = std::log1p(suspect.slowdown)};
    question.explanations.push_back({suspect.component, probability_of_any * suspect.probability});
    for (const auto& rival : suspect.rivals) {
        question.explanations.push_back({rival.component, probability_of_any * rival.probability});
    }
    return question;
}

std::vector<Question> open_questions(const Suspicion& suspicion, double decided) {
    std::vector<Question> questions;
    if (suspicion.lead) {
        const double odds = std::pow(10.0, suspicion.lead->log10_odds);
        questions.push_back(question_about(*suspicion.lead, odds / (1.0 + odds)));
    }
    for (const auto& suspect : suspicion.suspects) {
        if (suspect.probability < decided) questions.push_back(question_about(suspect, 1.0));
    }
    return questions;
}

/// Variance of the predicted logarithm of the time over the explanations.
double doubt(const Question& question, std::span<const Place> places, const PairTest& test) {
    double slowed = 0.0;
    for (const auto& explanation : question.explanations) {
        if (covers(explanation.component, places, test)) slowed += explanation.probability;
    }
    slowed = std::min(slowed, 1.0);
    return slowed * (1.0 - slowed) * question.log_slowdown * question.log_slowdown;
}

std::vector<bool> who_is_covered(const Question& question, std::span<const Place> places,
                                 const PairTest& test) {
    std::vector<bool> covered;
    for (const auto& explanation : question.explanations) {
        covered.push_back(covers(explanation.component, places, test));
    }
    return covered;
}

/// All tests that may follow, with what is known of them.
class Choice {
  public:
    Choice(std::span<const Place> places, std::span<const PairTime> times,
           const Suspicion& suspicion, const NextTestsSettings& settings)
        : places_(places), settings_(settings) {
        const bool inside = std::ranges::any_of(times, [&](const PairTime& time) {
            return path_of(places_, time.test) == Path::inside_node;
        });
        for (int sender = 0; sender < count(); ++sender) list_from(sender, inside);
        for (const auto& suspect : suspicion.suspects) add_accused(suspect);
        if (suspicion.lead) add_accused(*suspicion.lead);
        std::set<std::tuple<int, int, int>> known;
        for (const auto& time : times) {
            const auto& test = time.test;
            if (!test.alone || !healthy(test)) continue;
            const int path = static_cast<int>(path_of(places_, test));
            if (known.emplace(path, test.sender, test.receiver).second) ++references_[index(test)];
        }
    }

    std::vector<PairTest> answer(const std::vector<Question>& questions) {
        for (const auto& question : questions) ask(question);
        return std::move(chosen_);
    }

  private:
    int count() const { return static_cast<int>(places_.size()); }
    std::size_t index(const PairTest& test) const {
        return static_cast<std::size_t>(path_of(places_, test));
    }

    bool same_rail(int one, int other) const {
        return places_[static_cast<std::size_t>(one)].rail ==
               places_[static_cast<std::size_t>(other)].rail;
    }

    /// Between nodes only on one rail, as traffic goes there and as the other tests were.
    void list_from(int sender, bool inside) {
        if (settings_.loopback) {
            possible_.push_back(
                {.sender = sender, .receiver = sender, .alone = true, .loopback = true});
        }
        for (int receiver = 0; receiver < count(); ++receiver) {
            if (sender == receiver) continue;
            const PairTest test{.sender = sender, .receiver = receiver, .alone = true};
            const bool in_node = path_of(places_, test) == Path::inside_node;
            if (in_node ? inside : same_rail(sender, receiver)) possible_.push_back(test);
        }
    }

    void add_accused(const Suspect& suspect) {
        accused_.push_back(suspect.component);
        for (const auto& rival : suspect.rivals) accused_.push_back(rival.component);
    }

    bool healthy(const PairTest& test) const {
        return std::ranges::none_of(
            accused_, [&](const Component& component) { return covers(component, places_, test); });
    }

    bool crosses_others(const Question& question, const PairTest& test) const {
        return std::ranges::any_of(accused_, [&](const Component& component) {
            const auto of_question =
                std::ranges::find(question.explanations, component, &Explanation::component);
            return of_question == question.explanations.end() && covers(component, places_, test);
        });
    }

    void ask(const Question& question) {
        std::vector<std::pair<double, PairTest>> telling;
        const double least = std::pow(least_doubt * question.log_slowdown, 2);
        for (const auto& test : possible_) {
            const double value = doubt(question, places_, test);
            if (value > least && !crosses_others(question, test)) telling.emplace_back(value, test);
        }
        std::ranges::stable_sort(telling, std::greater{},
                                 [](const auto& entry) { return entry.first; });
        std::map<std::vector<bool>, std::vector<PairTest>> of_kinds;
        std::vector<std::vector<bool>> kinds;  // the best first
        for (const auto& [value, test] : telling) {
            const auto kind = who_is_covered(question, places_, test);
            auto& tests = of_kinds[kind];
            if (tests.empty()) kinds.push_back(kind);
            if (tests.size() < tests_of_one_kind) tests.push_back(test);
        }
        for (std::size_t i = 0; i < tests_of_one_kind; ++i) {
            for (const auto& kind : kinds) take(of_kinds[kind][i % of_kinds[kind].size()]);
        }
    }

    bool has_room() const {
        return chosen_.size() < static_cast<std::size_t>(settings_.most_tests);
    }

    void take(const PairTest& test) {
        if (!has_room()) return;
        chosen_.push_back(test);
        auto& references = references_[index(test)];
        for (const auto& other : possible_) {
            if (references >= least_references || !has_room()) return;
            if (index(other) != index(test) || !healthy(other)) continue;
            if (std::ranges::find(chosen_, other) != chosen_.end()) continue;
            chosen_.push_back(other);
            ++references;
        }
    }

    std::span<const Place> places_;
    NextTestsSettings settings_;
    std::vector<PairTest> possible_;
    std::vector<Component> accused_;
    std::array<int, path_count> references_{};  ///< healthy tests, alone, of each path
    std::vector<PairTest> chosen_;
};

}  // namespace

std::vector<PairTest> next_tests(std::span<const Place> places, std::span<const PairTime> times,
                                 const Suspicion& suspicion, const NextTestsSettings& settings) {
    const auto questions = open_questions(suspicion, settings.decided);
    if (questions.empty()) return {};
    return Choice(places, times, suspicion, settings).answer(questions);
}

}  // namespace shardstone::validation
