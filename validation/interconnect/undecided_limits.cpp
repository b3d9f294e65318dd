// SPDX-License-Identifier: BSD-3-Clause
// More samples while there is time, and how much time more would have been needed.
#include "validation/interconnect/undecided_limits.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

#include "kernels/base/clock.hpp"
#include "validation/interconnect/limited_subjects.hpp"
#include "validation/interconnect/limits_in_force.hpp"
#include "validation/interconnect/samples_to_decide.hpp"

namespace shardstone::validation {

namespace {

/// Passes differ in length, and tests of ranks and traffic take shares of a larger budget.
constexpr double spare = 1.3;
/// Rank 0 keeps all of them, in rows of about 80 bytes: 2.4 GB.
constexpr std::size_t most_samples_kept = 30'000'000;

/// What was never measured, as nothing of it can be, is not decided by any number of samples.
bool decides_with_more(const results::AcceptanceRow& row) {
    if (!(row.further > 0.0) || !(row.samples > 0.0)) return false;
    if (row.further >= most_further_samples) return false;
    return !(row.most > 0.0) || row.samples + row.further <= row.most;
}

}  // namespace

std::int64_t UndecidedLimits::samples_wanted(const std::string& part) const {
    const auto wanted =
        world_.is_root() ? samples_to_next_look(measured_.samples, part) : std::int64_t{0};
    return static_cast<std::int64_t>(world_.max(static_cast<double>(wanted)));
}

bool UndecidedLimits::has_time_for(double duration_s) const {
    const bool is_left = world_.is_root() && now_s() + duration_s < until_s_ &&
                         measured_.samples.taken() < most_samples_kept;
    return world_.max(is_left ? 1.0 : 0.0) > 0.0;
}

std::int64_t UndecidedLimits::repeat(std::int64_t count, double usual_s,
                                     const std::function<void(bool)>& pass) const {
    double longest_s = usual_s;
    std::int64_t done = 0;
    for (bool counts = false; done < count && !measured_.stopped; counts = true) {
        if (!has_time_for(longest_s)) break;
        const double begin_s = now_s();
        pass(counts);
        longest_s = std::max(longest_s, now_s() - begin_s);
        done += counts ? 1 : 0;
    }
    return done;
}

bool do_more_samples_decide(std::span<const results::AcceptanceRow> acceptance) {
    return std::ranges::any_of(acceptance, decides_with_more);
}

double budget_to_decide_s(const InterconnectMeasurement& measured,
                          std::span<const results::AcceptanceRow> acceptance) {
    std::map<std::string, double> times_as_many;
    for (const auto& row : acceptance) {
        if (!decides_with_more(row)) continue;
        double& most = times_as_many[part_of_limit(row.quantity)];
        most = std::max(most, (row.samples + row.further) / row.samples);
    }
    if (times_as_many.empty()) return 0.0;
    double needed_s = measured.tests_s;
    for (const auto& [part, took_s] : measured.parts) {
        if (times_as_many.contains(part)) needed_s += (times_as_many.at(part) - 1.0) * took_s;
    }
    // Traffic gets a share of the budget, however long that is.
    const auto traffic = times_as_many.find(during_traffic);
    if (traffic != times_as_many.end()) {
        needed_s = std::max(needed_s, traffic->second * measured.tests_s);
    }
    return spare * needed_s;
}

}  // namespace shardstone::validation
