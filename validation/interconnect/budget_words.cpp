// SPDX-License-Identifier: BSD-3-Clause
// The parts of the tests with their times, and the budget that limits call for.
#include "validation/interconnect/budget_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <vector>

#include "kernels/base/units.hpp"
#include "validation/interconnect/disturbances.hpp"
#include "validation/interconnect/undecided_limits.hpp"

namespace shardstone::validation {

std::string times_of_parts(const InterconnectMeasurement& measured) {
    constexpr double worth_naming = 0.05;
    std::vector<std::string> parts;
    double rest_s = measured.tests_s;
    for (const auto& [part, took_s] : measured.parts) {
        rest_s -= took_s;
        parts.push_back(fmt::format("{} {}", part, format_time(took_s)));
        if (part == during_ranks && measured.turns_again_s > 0.0) {
            parts.back() += fmt::format(" (turns again {})", format_time(measured.turns_again_s));
        }
    }
    if (rest_s > worth_naming * measured.tests_s) {
        parts.push_back(fmt::format("preparing them {}", format_time(rest_s)));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string over_budget_in_words(const InterconnectMeasurement& measured, double budget_s) {
    constexpr double about_as_long = 1.05;
    if (measured.tests_s <= about_as_long * budget_s) return "";
    std::string words =
        fmt::format("The tests took {} instead of --budget {:g}: {}.\n",
                    format_time(measured.tests_s), budget_s, times_of_parts(measured));
    if (measured.tests_s - measured.turns_again_s > about_as_long * budget_s) {
        words += "Each part has a least number of repetitions, below which it decides nothing.\n";
    }
    if (measured.turns_again_s > 0.0) {
        words +=
            "Ranks took turns again, whatever the budget, as without them it is open whether one "
            "is slow.\n";
    }
    return words;
}

std::string what_decides_in_words(const InterconnectMeasurement& measured,
                                  std::span<const results::AcceptanceRow> acceptance,
                                  double soak_s) {
    if (measured.stopped || !do_more_samples_decide(acceptance)) return "";
    std::string words = "To decide the limits that need more samples: ";
    const double needed_s = budget_to_decide_s(measured, acceptance);
    words += needed_s > 0.0 ? fmt::format("--budget {:.0f}, by the time that these took.\n",
                                          std::ceil(needed_s))
                            : "a run without --resume, with a larger --budget.\n";
    if (soak_s > 0.0) words += "The messages of the soak (--for) do not count for them.\n";
    return words;
}

}  // namespace shardstone::validation
