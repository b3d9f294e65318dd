// SPDX-License-Identifier: BSD-3-Clause
// What a record says of its run, held against the samples: checks, options, ranks and times.
#include "validation/interconnect/recorded_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <vector>

#include "benchmarks/harness/surroundings.hpp"
#include "results/recompute/comparer.hpp"
#include "results/record/incomplete.hpp"
#include "results/record/utc.hpp"
#include "validation/interconnect/interconnect_record.hpp"

namespace shardstone::validation {

namespace {

using nlohmann::json;

constexpr const char* checks_name = "verification";

bool is_complete(const results::Record& record) {
    return results::find_incomplete(record.verification) == record.verification.end();
}

/// A whole number in front of or behind some words, `otherwise` if there is none.
template <class Number>
Number number_or(const std::string& digits, Number otherwise) {
    const bool is_number = !digits.empty() && digits.size() < 19 &&
                           digits.find_first_not_of("0123456789") == std::string::npos;
    return is_number ? static_cast<Number>(std::stoull(digits)) : otherwise;
}

/// How many samples were to be taken, which the run alone knows: "912 of 920" tells it.
std::size_t expected_of(const std::vector<results::Check>& checks, std::size_t taken) {
    const std::string beginning = fmt::format("{} of ", taken);
    if (checks.empty() || !checks.front().detail.starts_with(beginning)) return taken;
    return number_or(checks.front().detail.substr(beginning.size()), taken);
}

/// How many bytes were compared, likewise: ": 7300 of 7308 bytes, ".
std::int64_t compared_of(const std::vector<results::Check>& checks, std::int64_t timed) {
    if (checks.size() < 2) return timed;
    const std::string& detail = checks[1].detail;
    const std::size_t end = detail.find(fmt::format(" of {} bytes, ", timed));
    if (end == std::string::npos) return timed;
    const std::size_t begin = detail.rfind(' ', end - 1) + 1;
    return number_or(detail.substr(begin, end - begin), timed);
}

/// What earlier revisions, which did not count bytes, and those before them, which did not count
/// the messages of a soak, said of the same comparisons.
bool is_said_by_earlier_ones(const results::Check& recorded, const results::Check& now) {
    const std::size_t bytes = now.detail.find(": "), rest = now.detail.find(", ");
    const std::string without_bytes = now.detail.substr(0, bytes) + now.detail.substr(rest);
    const std::string without_soak =
        now.detail.substr(0, now.detail.find(" samples")) + " samples" + now.detail.substr(rest);
    return recorded.detail == without_bytes || recorded.detail == without_soak;
}

std::vector<results::Check> checks_by_samples(const results::Record& record,
                                              const InterconnectSamples& samples) {
    const auto& recorded = record.verification;
    auto checks = interconnect_checks(samples, expected_of(recorded, samples.taken()),
                                      compared_of(recorded, timed_bytes(samples)));
    if (recorded.size() > 1 && is_said_by_earlier_ones(recorded[1], checks[1])) {
        checks[1].detail = recorded[1].detail;
    }
    if (const auto one = results::find_incomplete(recorded); one != recorded.end()) {
        checks.push_back({one->name, false, one->detail});
    }
    return checks;
}

/// The options, identity and environment of one record.
class Stated {
  public:
    Stated(const results::Record& record, const InterconnectSamples& samples,
           results::Recomputed& found)
        : record_(record), samples_(samples), found_(found) {
        for (const auto& place : samples.places) {
            nodes_.insert(place.node);
            machines_.insert(place.machine);
        }
    }

    void compare() {
        const bool is_of_kind = record_.kind == "interconnect";
        expect(is_of_kind, "identity", "kind", record_.kind, "interconnect");
        const double ranks = number(record_.environment, "ranks");
        const auto places = static_cast<double>(samples_.places.size());
        expect(!(ranks != places), "environment", "ranks", fmt::format("{}", ranks),
               fmt::format("{}", places));
        compare_sizes();
        compare_parts();
        compare_places();
        compare_soak();
        compare_times();
        compare_surroundings();
    }

  private:
    static double number(const json& document, const char* name) {
        const auto place = document.find(name);
        return place != document.end() && place->is_number() ? place->get<double>()
                                                             : results::not_measured;
    }

    void expect(bool is_so, const char* document, const char* field, const std::string& stated,
                const std::string& by_samples) {
        ++found_.figures;
        if (is_so) return;
        found_.wrong.push_back({.table = document,
                                .column = field,
                                .recorded_text = stated,
                                .recomputed_text = by_samples});
    }

    /// Of each row of the table, if there is one.
    void expect_each(const char* table, const char* column,
                     const std::function<bool(double)>& is_possible, const std::string& must_be) {
        if (!record_.has_table(table)) return;
        const auto& numbers = record_.table(table).column(column).numbers;
        for (std::size_t row = 0; row < numbers.size(); ++row) {
            if (is_possible(numbers[row])) continue;
            found_.wrong.push_back({.table = table,
                                    .row = row,
                                    .row_name = fmt::format("number {}", row + 1),
                                    .column = column,
                                    .recorded = numbers[row],
                                    .must_be = must_be});
        }
    }

    void compare_sizes() {
        const auto stated = record_.configuration.find("sizes_bytes");
        if (stated == record_.configuration.end() || samples_.pairs.empty()) return;
        std::set<double> sizes;
        for (const auto& row : samples_.pairs) sizes.insert(row.size_bytes);
        json tested = json::array();
        for (const double size : sizes) tested.push_back(static_cast<std::int64_t>(size));
        expect(*stated == tested, "configuration", "sizes_bytes", stated->dump(), tested.dump());
        for (const char* table : {"congestion_samples", "soak_windows", "slow_messages"}) {
            expect_each(
                table, "size_bytes", [&](double size) { return sizes.contains(size); },
                "a size of the tests of pairs");
        }
    }

    /// Whatever was tested was asked for, and of a complete run everything was tested.
    void compare_parts() {
        const auto stated = record_.configuration.find("parts");
        if (stated == record_.configuration.end() || !stated->is_array()) return;
        const bool whole = is_complete(record_), has_nodes = nodes_.size() > 1;
        const bool clocks_twice =
            std::ranges::any_of(samples_.clocks, [](const auto& row) { return row.round == 1.0; });
        compare_part(*stated, "pairs", !samples_.pairs.empty(), false);
        compare_part(*stated, "ranks", !samples_.ranks.empty(), whole);
        compare_part(*stated, "congestion", !samples_.congestion.empty(), whole && has_nodes);
        compare_part(*stated, "traffic", !samples_.traffic.empty(), false);
        compare_part(*stated, "clocks", whole ? clocks_twice : !samples_.clocks.empty(),
                     whole && has_nodes);
    }

    void compare_part(const json& stated, const char* part, bool was_tested, bool must_be_there) {
        const bool asked = std::ranges::find(stated, json(part)) != stated.end();
        const bool is_so = was_tested ? asked : !(asked && must_be_there);
        expect(is_so, "configuration", "parts", stated.dump(),
               fmt::format("{} {}", was_tested ? "also" : "no whole", part));
    }

    void compare_places() {
        const bool on_gpus = record_.configuration.contains("device") &&
                             record_.configuration.at("device") == "cuda";
        const bool agree = std::ranges::all_of(
            samples_.places, [&](const auto& place) { return place.gpu.empty() != on_gpus; });
        expect(agree, "configuration", "device", on_gpus ? "cuda" : "cpu",
               "what table rank_places has of GPUs");
        const double rails = number(record_.configuration, "rails");
        expect_each(
            "rank_places", "rail", [&](double rail) { return !(rail >= rails); },
            fmt::format("below the option 'rails', {}", rails));
        const auto is_machine = [&](double machine) { return machines_.contains(machine); };
        expect_each("conditions", "machine", is_machine, "a machine of table rank_places");
        expect_each(
            "conditions", "disturbed",
            [](double flag) { return std::isnan(flag) || flag == 0.0 || flag == 1.0; }, "0 or 1");
        compare_disturbances();
    }

    /// By the shares of the cores that were told.
    void compare_disturbances() {
        for (std::size_t i = 0; i < samples_.conditions.size(); ++i) {
            const auto& row = samples_.conditions[i];
            const double worst =
                std::fmax(std::fmax(row.others_share, row.waiting_share), row.stolen_share);
            if (std::isnan(worst)) continue;
            results::RowComparer(record_, found_, "conditions", i, row.part)
                .number("disturbed", row.disturbed,
                        worst > benchmarks::disturbance_limit ? 1.0 : 0.0);
        }
    }

    /// Seconds from the first window to the end of the last; pauses between runs that were resumed
    /// count as well.
    double soaked_s() const {
        const auto& windows = samples_.windows;
        return windows.empty() ? 0.0 : windows.back().end_unix_s - windows.front().begin_unix_s;
    }

    void compare_soak() {
        const double stated_s = number(record_.configuration, "soak_s");
        const double found_s = soaked_s();
        double longest_pass_s = 0.0;
        for (const auto& row : samples_.windows) {
            longest_pass_s =
                std::max(longest_pass_s, (row.end_unix_s - row.begin_unix_s) / row.passes);
        }
        // The pass that opens connections, and the one that is not begun, belong to it.
        constexpr double passes_besides = 2.0, most_of_it = 0.9;
        const bool lasted = !is_complete(record_) || samples_.pairs.empty() ||
                            !(found_s + passes_besides * longest_pass_s < most_of_it * stated_s);
        expect(lasted && !(stated_s == 0.0 && found_s > 0.0), "configuration", "soak_s",
               fmt::format("{:g}", stated_s), fmt::format("{:.1f}", found_s));
        const double duration_s = number(record_.identity, "duration_s");
        if (!was_resumed()) {
            expect(!(duration_s < found_s), "identity", "duration_s",
                   fmt::format("{:g}", duration_s), fmt::format("{:.1f} or more", found_s));
        }
    }

    bool was_resumed() const { return record_.identity.contains("continues"); }

    /// Clocks may be set meanwhile, but not by days.
    void compare_times() {
        constexpr double day_s = 86400.0;
        const std::string stated = record_.identity.value("start_time", "");
        const auto started = results::utc_time(stated);
        expect(started.has_value(), "identity", "start_time", stated, "a time of day in UTC");
        if (!started || was_resumed()) return;
        const auto start_s = static_cast<double>(*started);
        const double duration_s = number(record_.identity, "duration_s");
        const auto is_near = [&](double time_s) {
            return time_s > start_s - day_s && !(time_s > start_s + duration_s + day_s);
        };
        const std::string must_be = "within a day of the run, which began at " + stated;
        expect_each("clock_samples", "at_unix_s", is_near, must_be);
        expect_each("soak_windows", "begin_unix_s", is_near, must_be);
        expect_each("soak_windows", "end_unix_s", is_near, must_be);
    }

    /// Every part of a run that was watched has its conditions, and its row there.
    void compare_surroundings() {
        if (samples_.conditions.empty() || was_resumed()) return;
        expect(record_.has_table("surroundings"), "samples", "surroundings", "no table",
               "one row for each part of table conditions");
    }

    const results::Record& record_;
    const InterconnectSamples& samples_;
    results::Recomputed& found_;
    std::set<double> nodes_, machines_;
};

}  // namespace

void compare_checks(const results::Record& record, const InterconnectSamples& samples,
                    results::Recomputed& found) {
    const auto expected = checks_by_samples(record, samples);
    const auto& recorded = record.verification;
    if (recorded.size() != expected.size()) {
        results::RowComparer(record, found, checks_name, 0, "all")
            .number("rows", static_cast<double>(recorded.size()),
                    static_cast<double>(expected.size()));
        return;
    }
    for (std::size_t i = 0; i < recorded.size(); ++i) {
        results::RowComparer compare(record, found, checks_name, i, expected[i].name);
        compare.text("name", recorded[i].name, expected[i].name);
        compare.text("passed", fmt::format("{}", recorded[i].passed),
                     fmt::format("{}", expected[i].passed));
        compare.text("detail", recorded[i].detail, expected[i].detail);
    }
}

void compare_settings(const results::Record& record, const InterconnectSamples& samples,
                      results::Recomputed& found) {
    Stated(record, samples, found).compare();
}

}  // namespace shardstone::validation
