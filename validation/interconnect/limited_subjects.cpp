// SPDX-License-Identifier: BSD-3-Clause
// Samples of a limited quantity, by pair, rank, clock or direction.
#include "validation/interconnect/limited_subjects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "benchmarks/interconnect/congestion.hpp"
#include "benchmarks/interconnect/gpu_work.hpp"
#include "benchmarks/interconnect/link_end.hpp"
#include "benchmarks/interconnect/rank_work.hpp"
#include "kernels/base/error.hpp"
#include "validation/interconnect/acceptance_file.hpp"
#include "validation/interconnect/congestion_figures.hpp"
#include "validation/interconnect/disturbances.hpp"
#include "validation/interconnect/looks.hpp"
#include "validation/interconnect/node_clocks.hpp"
#include "validation/interconnect/pair_figures.hpp"
#include "validation/interconnect/test_counts.hpp"
#include "validation/interconnect/traffic.hpp"

namespace shardstone::validation {

namespace {

using benchmarks::RankTest;

/// All that was measured, and the limit whose subjects are looked for.
struct Limited {
    const AcceptanceLimit& limit;
    const InterconnectSamples& samples;
    std::span<const Place> places;
    std::span<const PairTime> times;

    const LimitedQuantity& quantity() const { return find_quantity(limit.quantity); }
    double in_its_unit(double value) const { return in_unit(value, quantity(), limit.unit); }
    std::string pair_name(double sender, double receiver) const {
        return fmt::format("{} to {}", name_of_rank(sender, samples.places),
                           name_of_rank(receiver, samples.places));
    }
    LimitedSubject subject(std::string name, std::span<const double> values) const {
        LimitedSubject subject{
            .name = std::move(name), .samples = {}, .most = most_samples_of(limit)};
        for (const double value : values) subject.samples.push_back(in_its_unit(value));
        return subject;
    }
};

using Subjects = std::vector<LimitedSubject>;

Subjects pairs(const Limited& of) {
    Subjects subjects;
    const bool inside = std::string_view(of.limit.quantity).ends_with("inside nodes");
    const bool is_rate = of.quantity().dimension == Dimension::rate;
    for (const PairTime& time : of.times) {
        const bool is_inside = path_of(of.places, time.test) == Path::inside_node;
        if (time.size_bytes != of.limit.size_bytes || is_inside != inside) continue;
        if (is_further(time, of.times)) continue;
        std::vector<double> values;
        for (const double time_s : time.times_s) {
            values.push_back(is_rate ? 1e-9 * static_cast<double>(time.size_bytes) / time_s
                                     : time_s);
        }
        subjects.push_back(of.subject(of.pair_name(time.test.sender, time.test.receiver), values));
    }
    return subjects;
}

/// value_of(seconds) of each turn of the test, by rank.
template <class ValueOf>
Subjects ranks(const Limited& of, RankTest test, const ValueOf& value_of) {
    std::map<double, std::vector<double>> values_of_ranks;
    for (const auto& row : of.samples.ranks) {
        if (row.test == to_string(test)) values_of_ranks[row.rank].push_back(value_of(row.time_s));
    }
    Subjects subjects;
    for (const auto& [rank, values] : values_of_ranks) {
        subjects.push_back(of.subject(name_of_rank(rank, of.samples.places), values));
    }
    return subjects;
}

Subjects wake_ups(const Limited& of) {
    return ranks(of, RankTest::wake_up, [](double delay_s) { return delay_s; });
}

/// Of a test whose turn tells the seconds for a TFLOP.
Subjects products_of_gpus(const Limited& of) {
    return ranks(of, RankTest::gpu_product, [](double tflop_s) { return 1.0 / tflop_s; });
}

constexpr auto gb_per_s(std::int64_t bytes) {
    return [bytes](double time_s) { return 1e-9 * static_cast<double>(bytes) / time_s; };
}

/// As the rate of a memory is told: what is read and what is written count.
Subjects copies_of_gpus(const Limited& of) {
    return ranks(of, RankTest::gpu_memory, gb_per_s(2 * benchmarks::gpu_copied_bytes));
}

/// One way after the other: the rate of one.
Subjects transfers_of_gpus(const Limited& of) {
    return ranks(of, RankTest::gpu_transfer, gb_per_s(2 * benchmarks::gpu_transferred_bytes));
}

Subjects clocks(const Limited& of, std::optional<Bounded> (*bounds)(ClockSamples, double)) {
    Subjects subjects;
    for (const auto& place : of.samples.places) {
        std::vector<double> readings;
        for (const auto& row : of.samples.clocks) {
            if (row.rank == place.rank) readings.push_back(std::abs(row.ahead_s));
        }
        if (readings.empty()) continue;
        const auto bounded = bounds(of.samples.clocks, place.rank);
        const std::string name = name_of_rank(place.rank, of.samples.places);
        if (!bounded) {  // a drift, before the second reading: it counts among the subjects
            subjects.push_back(of.subject(name, {}));
            continue;
        }
        LimitedSubject& subject = subjects.emplace_back(of.subject(name, readings));
        const auto& [low, high] = bounded->interval;
        subject.bounded =
            Bounded{of.in_its_unit(bounded->value), {of.in_its_unit(low), of.in_its_unit(high)}};
    }
    return subjects;
}

Subjects bisection(const Limited& of) {
    Subjects subjects;
    for (const bool from_first_half : {true, false}) {
        const auto rates =
            bisection_rates(of.samples.congestion, of.samples.places, from_first_half);
        if (!rates.empty()) subjects.push_back(of.subject(direction_of(from_first_half), rates));
    }
    return subjects;
}

Subjects slowdowns(const Limited& of, benchmarks::NetworkLoad load) {
    Subjects subjects;
    for (const auto& row : congestion_rows(of.samples.congestion)) {
        if (row.load != to_string(load)) continue;
        const auto size_bytes = static_cast<std::int64_t>(row.size_bytes);
        if (of.quantity().has_size && size_bytes != of.limit.size_bytes) continue;
        subjects.push_back(of.subject(of.pair_name(row.sender, row.receiver),
                                      slowdowns_of(of.samples.congestion, row)));
    }
    return subjects;
}

/// None where the prediction is not of such ranks (is_judged_by()).
Subjects over_prediction(const Limited& of) {
    Subjects subjects;
    if (of.samples.traffic.empty() || !(of.samples.traffic.front().judged > 0.0)) return subjects;
    for (const auto& row : traffic_rows(of.samples.traffic)) {
        std::vector<double> ratios;
        for (const auto& sample : of.samples.traffic) {
            const bool is_of_it =
                sample.traffic == row.traffic && sample.size_bytes == row.size_bytes;
            if (is_of_it) ratios.push_back(sample.time_s / sample.predicted_s);
        }
        subjects.push_back(of.subject(row.traffic, ratios));
        subjects.back().most = most_samples_of_traffic(row.traffic);
    }
    return subjects;
}

/// A reading of a clock says itself how wrong it may be, the more the busier the machine was.
constexpr const char* undisturbed = "";

std::int64_t as_long_as_undecided(std::int64_t) {
    return most_samples_of_looks;
}

struct Source {
    const char* quantity;
    const char* part;                               ///< of the tests, that measures it
    std::int64_t (*most)(std::int64_t size_bytes);  ///< samples of a subject
    Subjects (*subjects)(const Limited&);
    int first_look = 0;  ///< its number; 0: judged once
    bool needs_cores = true;
};

constexpr std::array sources{
    Source{"rate between nodes", during_pairs, as_long_as_undecided, pairs, 1},
    Source{"latency between nodes", during_pairs, as_long_as_undecided, pairs, 1},
    Source{"rate inside nodes", during_pairs, as_long_as_undecided, pairs, 1},
    Source{"latency inside nodes", during_pairs, as_long_as_undecided, pairs, 1},
    Source{"wake-up delay", during_ranks, as_long_as_undecided, wake_ups, 2},
    Source{"GPU product rate", during_ranks, as_long_as_undecided, products_of_gpus, 2,
           needs_cores(RankTest::gpu_product)},
    Source{"GPU memory rate", during_ranks, as_long_as_undecided, copies_of_gpus, 2,
           needs_cores(RankTest::gpu_memory)},
    Source{"GPU transfer rate", during_ranks, as_long_as_undecided, transfers_of_gpus, 2,
           needs_cores(RankTest::gpu_transfer)},
    Source{"clock offset", undisturbed,
           [](std::int64_t) { return std::int64_t{2 * readings_of_clocks}; },
           [](const Limited& of) {
               return clocks(of, [](ClockSamples samples, double rank) {
                   return std::optional(offset_of(samples, rank));
               });
           }},
    Source{"clock drift", undisturbed,
           [](std::int64_t) { return std::int64_t{readings_of_clocks}; },
           [](const Limited& of) { return clocks(of, drift_of); }},
    Source{"bisection rate", during_loads, as_long_as_undecided, bisection, 1},
    Source{"slowdown of pairs at once", during_loads, as_long_as_undecided,
           [](const Limited& of) { return slowdowns(of, benchmarks::NetworkLoad::at_once); }, 1},
    Source{"slowdown of a victim", during_loads, as_long_as_undecided,
           [](const Limited& of) { return slowdowns(of, benchmarks::NetworkLoad::all_to_all); }, 1},
    Source{"traffic over prediction", during_traffic,
           [](std::int64_t) { return most_samples_of_traffic("collective"); }, over_prediction}};

const Source& source_of(const std::string& quantity) {
    const auto source = std::ranges::find(sources, quantity, &Source::quantity);
    require(source != sources.end(),
            [&] { return fmt::format("quantity '{}': nothing measures it", quantity); });
    return *source;
}

}  // namespace

const char* part_of_limit(const std::string& quantity) {
    return source_of(quantity).part;
}

int first_look_at(const std::string& quantity) {
    return source_of(quantity).first_look;
}

bool needs_cores(const std::string& quantity) {
    return source_of(quantity).needs_cores;
}

bool is_bounded(const std::string& quantity) {
    return source_of(quantity).part == undisturbed;
}

std::string what_decides_bounded(const std::string& quantity) {
    if (quantity == "clock drift") {
        return "a larger --budget reads the clocks further apart in time, and bounds it closer";
    }
    return fmt::format(
        "a run reads a clock {} times, whatever its --budget: readings are surer where the machine "
        "and the network are idle",
        source_of(quantity).most(0));
}

std::int64_t most_samples_of(const AcceptanceLimit& limit) {
    return source_of(limit.quantity).most(limit.size_bytes);
}

std::vector<LimitedSubject> subjects_of(const AcceptanceLimit& limit,
                                        const InterconnectSamples& samples,
                                        std::span<const Place> places,
                                        std::span<const PairTime> times) {
    return source_of(limit.quantity).subjects({limit, samples, places, times});
}

}  // namespace shardstone::validation
