// SPDX-License-Identifier: BSD-3-Clause
#include "reference/step/parallel_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

constexpr std::array<std::string_view, 3> later_axes{"tp", "pp", "zero"};

int parse_count(std::string_view text, std::string_view plan) {
    int value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    require(status == std::errc{} && end == text.data() + text.size() && value > 0,
            [&] { return fmt::format("plan '{}': '{}' is not a positive number", plan, text); });
    return value;
}

void set_axis(ParallelPlan& plan, std::string_view axis, std::string_view value,
              std::string_view text) {
    require(std::ranges::find(later_axes, axis) == later_axes.end(), [&] {
        return fmt::format("plan '{}': axis '{}' cannot be trained yet; use dp alone", text, axis);
    });
    require(axis == "dp", [&] {
        return fmt::format("plan '{}': unknown axis '{}'; write for example dp=4", text, axis);
    });
    plan.data = parse_count(value, text);
}

}  // namespace

ParallelPlan parse_plan(std::string_view text) {
    ParallelPlan plan;
    std::set<std::string_view> seen;
    for (std::size_t begin = 0; begin <= text.size();) {
        const auto end = std::min(text.find(',', begin), text.size());
        const auto item = text.substr(begin, end - begin);
        const auto equals = item.find('=');
        require(equals != std::string_view::npos, [&] {
            return fmt::format("plan '{}': '{}' is not AXIS=NUMBER; write for example dp=4", text,
                               item);
        });
        const auto axis = item.substr(0, equals);
        require(seen.insert(axis).second,
                [&] { return fmt::format("plan '{}': axis '{}' is given twice", text, axis); });
        set_axis(plan, axis, item.substr(equals + 1), text);
        begin = end + 1;
    }
    return plan;
}

std::string to_string(const ParallelPlan& plan) {
    return fmt::format("dp={}", plan.data);
}

void require_fits(const ParallelPlan& plan, int ranks) {
    require(plan.ranks() == ranks, [&] {
        return fmt::format(
            "plan {} needs {} ranks, but the job has {}: start mpiexec -n {} or "
            "use --plan dp={}",
            to_string(plan), plan.ranks(), ranks, plan.ranks(), ranks);
    });
}

}  // namespace shardstone::reference
