// SPDX-License-Identifier: BSD-3-Clause
// Which points of a sweep an earlier one has measured, so that --resume leaves them out.
#include "benchmarks/collectives/sweep/resume.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kernels/base/error.hpp"
#include "results/schema/collectives.hpp"

namespace shardstone::benchmarks {

using nlohmann::json;

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
