// SPDX-License-Identifier: BSD-3-Clause
// Whether a study that was changed still has all points that its folder was made for.
#include "jobs/submit/growth.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <tuple>

#include "jobs/submit/shell_words.hpp"

namespace shardstone::submit {

namespace {

auto placement_of(const Point& point) {
    return std::tie(point.nodes, point.ranks_per_node, point.cyclic);
}

/// Nothing if `now` is the same point as `then`.
std::optional<std::string> change_of(const Point& then, const Point& now) {
    if (then.arguments != now.arguments) {
        return fmt::format("point {} would run '{}' instead of '{}'", then.id,
                           shell_words(now.arguments), shell_words(then.arguments));
    }
    if (placement_of(then) != placement_of(now)) {
        return fmt::format("the ranks of point {} would be placed otherwise", then.id);
    }
    if (then.index != now.index) {
        return fmt::format("point {} would be task {} of its array instead of {}", then.id,
                           now.index, then.index);
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> what_keeps_from_growing(const Plan& plan, const std::string& then,
                                                   const std::string& file) {
    std::map<std::string_view, const Point*> points;
    for (const Point& point : plan.points) points.emplace(point.id, &point);
    for (const Point& before : expand_study(parse_study(then, file), plan.site)) {
        const auto now = points.find(before.id);
        if (now == points.end()) return fmt::format("point {} is not in it", before.id);
        if (auto change = change_of(before, *now->second)) return change;
    }
    return std::nullopt;
}

}  // namespace shardstone::submit
