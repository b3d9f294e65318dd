// SPDX-License-Identifier: BSD-3-Clause
// Planted samples as the record of a run, and ways to change it.
#include "validation/unit/validation/interconnect/findings/recorded_samples.hpp"

#include <algorithm>

#include "kernels/base/error.hpp"
#include "results/record/utc.hpp"
#include "results/schema/disturbance.hpp"
#include "validation/interconnect/interconnect_record.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {

results::Record recorded(InterconnectSamples samples) {
    for (auto& place : samples.places) place.sharers = 1.0;
    auto record = written_record("interconnect", "cn0", static_cast<int>(samples.places.size()));
    record.samples = sample_tables_of(samples);
    record.derived = finding_tables_of(find_in(samples));
    record.verification = interconnect_checks(samples, samples.taken(), timed_bytes(samples));
    return record;
}

InterconnectSamples soaked_samples(double start_unix_s) {
    constexpr double window_s = 1.0;
    auto samples = planted_samples();
    for (double window = 0.0; window < windows_of_soak; ++window) {
        results::SoakWindowRow row;
        row.window = window;
        row.sender = 0.0;
        row.receiver = 1.0;
        row.size_bytes = 1 << 20;
        row.first_pass = 2.0 * window;
        row.passes = 2.0;
        row.begin_unix_s = start_unix_s + window * window_s;
        row.end_unix_s = row.begin_unix_s + window_s;
        row.mean_s = row.shortest_s = row.longest_s = 10e-3;
        row.slow = 0.0;
        samples.windows.push_back(row);
    }
    samples.conditions.push_back({.part = "passes over pairs", .machine = 0.0, .disturbed = 0.0});
    return samples;
}

namespace {

constexpr const char* start_of_run = "2026-11-27T03:05:23Z";

}  // namespace

double soaked_from_s() {
    return static_cast<double>(*results::utc_time(start_of_run)) + 4.0;
}

results::Record soaked_record(const InterconnectSamples& samples) {
    results::Record record = recorded(samples);
    record.identity["start_time"] = start_of_run;
    record.identity["duration_s"] = 40.0;
    record.configuration = {{"sizes_bytes", {8, 1 << 20}},
                            {"parts", {"pairs", "ranks"}},
                            {"rails", 1},
                            {"soak_s", 30.0}};
    record.samples.push_back(results::table_of(
        std::vector{results::SurroundingsRow{0.0, 3.5, 0.0, 0.01, 0.002, 0.0, 120.0, 2400.0}}));
    return record;
}

results::Table::Column& column_of(results::Record& record, const std::string& table,
                                  const std::string& column) {
    for (auto* const tables : {&record.derived, &record.samples}) {
        for (auto& one : *tables) {
            if (one.name != table) continue;
            const auto found =
                std::ranges::find(one.columns, column, &results::Table::Column::name);
            if (found != one.columns.end()) return *found;
        }
    }
    fail("no column " + column + " of " + table);
}

void remove_table(results::Record& record, const std::string& table) {
    const auto is_it = [&](const results::Table& one) { return one.name == table; };
    std::erase_if(record.derived, is_it);
    std::erase_if(record.samples, is_it);
}

}  // namespace shardstone::validation
