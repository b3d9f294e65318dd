// SPDX-License-Identifier: BSD-3-Clause
// Which points of a sweep an earlier one has measured, so that --resume leaves them out.
#include "benchmarks/collectives/sweep/resume.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "benchmarks/collectives/sweep/record.hpp"
#include "benchmarks/harness/stall_record.hpp"
#include "benchmarks/harness/watch_record.hpp"
#include "kernels/base/error.hpp"
#include "results/schema/collectives.hpp"
#include "results/schema/stalls.hpp"

namespace shardstone::benchmarks {

using nlohmann::json;

namespace {

/// -1 of what is no count: a stall of the calibration has no size.
std::int64_t count_of(double value) {
    return value >= 0.0 && value < 0x1p62 ? static_cast<std::int64_t>(value) : -1;
}

template <class Row>
PointName named_in(const Row& row) {
    return {row.operation, row.algorithm, row.in_place != 0.0, count_of(row.size_bytes)};
}

/// What a point was made of, apart from its row.
struct Details {
    std::map<PointName, std::vector<double>> samples_s;
    std::map<PointName, std::vector<Stall>> stalls;
    std::map<std::string, std::string> checks;
};

Details details_of(const results::Record& earlier) {
    Details details;
    for (const auto& row : results::rows_of<results::CollectiveSampleRow>(earlier)) {
        details.samples_s[named_in(row)].push_back(row.time_s);
    }
    for (const auto& row : results::rows_of<results::OutlierRow>(earlier)) {
        details.stalls[named_in(row)].push_back(stall_of(row));
    }
    for (const auto& check : earlier.verification) details.checks[check.name] = check.detail;
    return details;
}

Measurement measurement_of(const results::CollectiveRow& row, std::vector<double> samples_s) {
    Measurement measured;
    measured.samples_s = std::move(samples_s);
    measured.warmup_iterations = count_of(row.warmup_iterations);
    measured.median_s = row.time_s;
    measured.mean_s = row.mean_s;
    if (std::isfinite(row.time_low_s)) measured.interval_s = {row.time_low_s, row.time_high_s};
    if (std::isfinite(row.skew_s)) measured.median_skew_s = row.skew_s;
    return measured;
}

/// "12 wrong elements".
std::int64_t wrong_elements_in(const std::string& detail) {
    std::int64_t count = 0;
    const auto read = std::from_chars(detail.data(), detail.data() + detail.size(), count);
    require(read.ec == std::errc{},
            [&] { return fmt::format("'{}' does not begin with a number of elements", detail); });
    return count;
}

SweepPoint point_of(const results::CollectiveRow& row) {
    SweepPoint point;
    const PointName name = named_in(row);
    point.operation = name.operation;
    point.algorithm = name.algorithm;
    point.in_place = name.in_place;
    point.size_bytes = name.size_bytes;
    require(row.ranks >= 1.0 && row.ranks <= std::numeric_limits<int>::max(), [&] {
        return fmt::format("a point of {} that is continued is of {} ranks: no sweep has that",
                           row.algorithm, row.ranks);
    });
    point.ranks = static_cast<int>(row.ranks);
    point.watched = watched_of(row);
    point.predicted_s = row.predicted_s;
    point.measured_before_s = row.measured_before_s;
    point.reason = row.reason;
    point.bytes_sent_per_rank = row.bytes_sent_per_rank;
    point.most_sent = {row.inside_node_bytes, row.between_nodes_bytes};
    point.rotated_buffers = count_of(row.rotated_buffers);
    return point;
}

}  // namespace

PointName name_of(const SweepPoint& point) {
    return {point.operation, point.algorithm, point.in_place, point.size_bytes};
}

void require_planned(const SweepPlan& plan) {
    for (const PointName& point : plan.finished) {
        const bool is_planned = std::ranges::any_of(plan.operations, [&](const auto& planned) {
            const auto found = std::ranges::find(planned.algorithms, point.algorithm,
                                                 &collectives::Algorithm::name);
            return planned.operation->name == point.operation && found != planned.algorithms.end();
        });
        require(is_planned, [&] {
            return fmt::format(
                "--resume: the earlier run measured {} of {}, which these ranks leave out: "
                "continue "
                "it where that is possible, or start anew without --resume",
                point.algorithm, point.operation);
        });
    }
}

std::vector<SweepPoint> points_in(const results::Record& earlier, const SweepOptions& options) {
    Details details = details_of(earlier);
    const auto element_bytes =
        static_cast<std::int64_t>(element_size(parse_element_type(options.type)));
    std::vector<SweepPoint> points;
    for (const auto& row : results::rows_of<results::CollectiveRow>(earlier)) {
        SweepPoint point = point_of(row);
        point.count = point.size_bytes / element_bytes;
        point.measurement = measurement_of(row, std::move(details.samples_s[name_of(point)]));
        point.stalls = std::move(details.stalls[name_of(point)]);
        const auto check = details.checks.find(name_of_check(point, options));
        if (check != details.checks.end()) {
            point.checked_runs = options.checks;
            point.wrong_elements = wrong_elements_in(check->second);
        }
        points.push_back(std::move(point));
    }
    return points;
}

std::string finished_points_text(const results::Record& earlier) {
    json points = json::array();
    for (const auto& row : results::rows_of<results::CollectiveRow>(earlier)) {
        require(row.size_bytes >= 0.0 && row.size_bytes < 0x1p62, [&] {
            return fmt::format("a point of {} that is continued has the size {}: no sweep has that",
                               row.algorithm, row.size_bytes);
        });
        points.push_back({row.operation, row.algorithm, row.in_place != 0.0,
                          static_cast<std::int64_t>(row.size_bytes)});
    }
    return points.dump();
}

std::set<PointName> finished_points(const std::string& text) {
    std::set<PointName> points;
    for (const json& point : json::parse(text)) {
        points.insert({point.at(0), point.at(1), point.at(2), point.at(3)});
    }
    return points;
}

}  // namespace shardstone::benchmarks
