// SPDX-License-Identifier: BSD-3-Clause
// Median polish of the logarithms of times over ports, NICs and nodes.
#include "validation/interconnect/effects.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include "kernels/base/statistics.hpp"
#include "validation/interconnect/candidates.hpp"
#include "validation/interconnect/slowdowns.hpp"

namespace shardstone::validation {

namespace {

/// Sweeps that change no effect by more than this share of its error end the polish.
constexpr double settled = 0.1;
constexpr int most_sweeps = 20;

struct Fitted {
    Effect effect = {};
    std::vector<int> tests = {};
};

/// The components in the order in which they are polished.
std::vector<Fitted> to_fit(const Candidates& candidates) {
    std::vector<Fitted> fitted;
    for (const auto culprit :
         {Culprit::port_up, Culprit::port_down, Culprit::cable_out, Culprit::cable_in}) {
        for (const auto& candidate : candidates.of_parts) {
            if (candidate.component.culprit != culprit) continue;
            Fitted one{.effect = {.component = candidate.component}};
            for (const int group : candidate.groups) {
                const auto& tests = candidates.groups[static_cast<std::size_t>(group)].tests;
                one.tests.insert(one.tests.end(), tests.begin(), tests.end());
            }
            one.effect.tests = static_cast<int>(one.tests.size());
            fitted.push_back(std::move(one));
        }
    }
    return fitted;
}

class Polish {
  public:
    explicit Polish(const Slowdowns& slowdowns) : repetition_error_(slowdowns.repetition_error) {
        for (const auto& test : slowdowns.of_tests) residuals_.push_back(test.value);
    }

    void run(std::vector<Fitted>& all) {
        for (int sweep = 0; sweep < most_sweeps; ++sweep) {
            double largest = 0.0;
            for (auto& one : all) largest = std::max(largest, std::abs(move_into(one)));
            const double deviation = noise(all);
            double smallest = deviation;
            for (auto& one : all) {
                one.effect.error = deviation * relative_error(one.effect.tests);
                smallest = std::min(smallest, one.effect.error);
            }
            if (largest <= settled * smallest) return;
        }
    }

    /// From the deviations of the tests that were fitted, without the smallest, one per effect:
    /// each median has made one of them zero (as DuMouchel and O'Brien 1989 do for any robust fit).
    double noise(const std::vector<Fitted>& all) const {
        std::vector<double> deviations;
        for (const auto& one : all) {
            if (one.effect.component.culprit != Culprit::cable_out) continue;
            for (const int test : one.tests) {
                deviations.push_back(std::abs(residuals_[static_cast<std::size_t>(test)]));
            }
        }
        std::ranges::sort(deviations, std::greater{});
        deviations.resize(deviations.size() - std::min(deviations.size(), all.size()));
        return std::max(robust_deviation(std::move(deviations)), repetition_error_);
    }

  private:
    /// Of a median relative to one value.
    static double relative_error(int tests) {
        return std::sqrt((tests > 2 ? std::numbers::pi / 2.0 : 1.0) / tests);
    }

    double move_into(Fitted& one) {
        std::vector<double> residuals;
        for (const int test : one.tests) {
            residuals.push_back(residuals_[static_cast<std::size_t>(test)]);
        }
        const double middle = median(residuals);
        for (const int test : one.tests) residuals_[static_cast<std::size_t>(test)] -= middle;
        one.effect.log_slowdown += middle;
        return middle;
    }

    double repetition_error_;
    std::vector<double> residuals_;
};

/// Moves what the NICs of a node have in common into an effect of the node.
std::vector<Effect> effects_of_nodes(std::vector<Fitted>& fitted) {
    std::map<int, std::vector<Effect*>> by_node;
    for (auto& one : fitted) {
        auto& effect = one.effect;
        if (effect.component.node >= 0) by_node[effect.component.node].push_back(&effect);
    }
    std::vector<Effect> nodes;
    for (auto& [node, nics] : by_node) {
        if (nics.size() < 4) continue;  // two directions of two NICs
        Effect effect{.component = {.culprit = Culprit::node, .node = node}};
        std::vector<double> slowdowns, errors;
        for (const auto* nic : nics) {
            slowdowns.push_back(nic->log_slowdown);
            errors.push_back(nic->error);
            effect.tests += nic->tests;
        }
        const auto count = static_cast<double>(nics.size());
        effect.log_slowdown = median(slowdowns);
        effect.error = std::sqrt(std::numbers::pi / 2.0 / count) * median(errors);
        for (auto* nic : nics) nic->log_slowdown -= effect.log_slowdown;
        nodes.push_back(effect);
    }
    return nodes;
}

}  // namespace

Effects fit_effects(std::span<const Place> places, std::span<const PairTime> times) {
    require_valid(places, times);
    const auto slowdowns = slowdowns_of(places, times);
    auto fitted = to_fit(candidates_of(places, slowdowns));
    if (fitted.empty()) return {};
    Polish polish(slowdowns);
    polish.run(fitted);
    Effects effects{.of_components = effects_of_nodes(fitted), .noise = polish.noise(fitted)};
    for (const auto& one : fitted) effects.of_components.push_back(one.effect);
    return effects;
}

}  // namespace shardstone::validation
