// SPDX-License-Identifier: BSD-3-Clause
// Factors of alpha, beta and gamma in a schedule's time, found by playing it at each cost alone.
#include "collectives/drawing/price.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "collectives/drawing/messages.hpp"
#include "collectives/simulation/cost_model.hpp"

namespace shardstone::collectives {

namespace {

using Weights = std::array<double, 5>;  // alpha, n beta, alpha', n beta', n gamma in seconds

double played_s(const Schedule& schedule, const Weights& weights) {
    const CollectiveSpec spec = evenly_cut_vector(schedule);
    const auto bytes = static_cast<double>(spec.vector.size_bytes());
    CostParameters costs;
    costs.intra_node = {weights[0], weights[1] / bytes};
    costs.inter_node = {weights[2], weights[3] / bytes};
    costs.gamma_s_per_byte = weights[4] / bytes;
    return predict_time_s(schedule, spec, costs);
}

/// If the sum of the longest chains is the time at one set of positive weights, then one chain is
/// the longest in all of them, and the sum is the time at every set. Two sets, because a port that
/// serves whoever comes first may choose differently.
bool adds_up(const Schedule& schedule, const Weights& longest) {
    constexpr std::array<Weights, 2> trials{
        {{1.0, 1.0, 1.0, 1.0, 1.0}, {1.0, 3.0, 7.0, 11.0, 0.5}}};
    for (const Weights& trial : trials) {
        double sum = 0.0;
        for (std::size_t i = 0; i < trial.size(); ++i) sum += trial[i] * longest[i];
        // Sums of at most some ten thousand terms, far above their roundoff of 1e-12.
        if (std::abs(played_s(schedule, trial) - sum) > 1e-9 * sum) return false;
    }
    return true;
}

}  // namespace

Price price_of(const Schedule& schedule) {
    Weights longest{};
    for (std::size_t i = 0; i < longest.size(); ++i) {
        Weights alone{};
        alone[i] = 1.0;
        longest[i] = played_s(schedule, alone);
    }
    return {longest[0], longest[1], longest[2], longest[3], longest[4], adds_up(schedule, longest)};
}

std::string text_of(const Price& price) {
    std::string sum;
    const auto add = [&](double factor, const char* constant) {
        if (factor == 0.0) return;
        sum += sum.empty() ? "" : " + ";
        sum += factor == 1.0 ? constant : short_number(factor) + " " + constant;
    };
    add(price.alpha, "α");
    add(price.beta, "n β");
    add(price.alpha_between, "α′");
    add(price.beta_between, "n β′");
    add(price.gamma, "n γ");
    return fmt::format("T {} {}", price.exact ? "=" : "≲", sum.empty() ? "0" : sum);
}

std::string short_number(double value) {
    // Away from halves, which the last bit of a sum would round either way.
    return fmt::format("{:.4g}", value * (1.0 + 1e-9));
}

}  // namespace shardstone::collectives
