// SPDX-License-Identifier: BSD-3-Clause
// Parses and prints parallel plans, measures how far two differ, and fits them to a job's ranks.
#include "reference/step/parallel_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ranges>
#include <set>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "reference/step/mesh.hpp"

namespace shardstone::reference {

namespace {

/// One word of the grammar.
struct Axis {
    std::string_view name;
    int ParallelPlan::*size;
    int least;  ///< also what is in force when the axis is not given
    int most;
};

constexpr int most_ranks = 1 << 20;

/// The axes of the mesh, those that split the batch first and outermost first, then what is chosen
/// besides.
const std::vector<Axis>& axes() {
    static const auto all = [] {
        std::vector<Axis> words;
        for (const MeshAxis& axis : mesh_axes | std::views::reverse) {
            if (axis.splits_batch) words.push_back({axis.word, axis.size, 1, most_ranks});
        }
        for (const MeshAxis& axis : mesh_axes) {
            if (!axis.splits_batch) words.push_back({axis.word, axis.size, 1, most_ranks});
        }
        words.push_back({"zero", &ParallelPlan::zero, 0, 3});
        words.push_back({"sp", &ParallelPlan::sequence, 0, 1});
        return words;
    }();
    return all;
}

const Axis& find_axis(std::string_view name, std::string_view plan) {
    const auto found = std::ranges::find(axes(), name, &Axis::name);
    require(found != axes().end(), [&] {
        std::vector<std::string_view> names;
        for (const Axis& axis : axes()) names.push_back(axis.name);
        return fmt::format("plan '{}': unknown axis '{}'; use {}", plan, name,
                           fmt::join(names, ", "));
    });
    return *found;
}

int parse_size(const Axis& axis, std::string_view text, std::string_view plan) {
    int value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = status == std::errc{} && end == text.data() + text.size();
    require(whole && value >= axis.least && value <= axis.most, [&] {
        return fmt::format("plan '{}': {}={} is not a number from {} to {}", plan, axis.name, text,
                           axis.least, axis.most);
    });
    return value;
}

/// Without the options that have nothing to split.
ParallelPlan without_idle_options(ParallelPlan plan) {
    if (replicas(plan) == 1) plan.zero = 0;
    if (plan.tensor == 1) plan.sequence = 0;
    return plan;
}

}  // namespace

int ParallelPlan::ranks() const {
    int product = 1;
    for (const MeshAxis& axis : mesh_axes) product *= this->*axis.size;
    return product;
}

ParallelPlan parse_plan(std::string_view text) {
    ParallelPlan plan;
    std::set<std::string_view> seen;
    for (std::size_t begin = 0; begin <= text.size();) {
        const auto end = std::min(text.find(',', begin), text.size());
        const auto item = text.substr(begin, end - begin);
        const auto equals = item.find('=');
        require(equals != std::string_view::npos, [&] {
            return fmt::format("plan '{}': '{}' is not AXIS=NUMBER; write for example dp=2,tp=2",
                               text, item);
        });
        const Axis& axis = find_axis(item.substr(0, equals), text);
        require(seen.insert(axis.name).second, [&] {
            return fmt::format("plan '{}': axis '{}' is given twice", text, axis.name);
        });
        plan.*axis.size = parse_size(axis, item.substr(equals + 1), text);
        begin = end + 1;
    }
    double ranks = 1.0;
    for (const MeshAxis& axis : mesh_axes) ranks *= plan.*axis.size;
    require(ranks <= most_ranks,
            [&] { return fmt::format("plan '{}' needs more than {} ranks", text, most_ranks); });
    return plan;
}

std::string to_string(const ParallelPlan& plan) {
    std::string text;
    for (const Axis& axis : axes()) {
        if (plan.*axis.size == axis.least) continue;
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", axis.name, plan.*axis.size);
    }
    return text.empty() ? "dp=1" : text;
}

std::vector<ParallelPlan> plans_of(int ranks) {
    struct Partial {
        ParallelPlan plan;
        int ranks_left;
    };
    std::vector<Partial> partial{{{}, ranks}};
    for (const Axis& axis : axes()) {
        const bool is_choice = axis.least == 0;
        std::vector<Partial> longer;
        for (const auto& [plan, left] : partial) {
            for (int size = axis.least; size <= (is_choice ? axis.most : left); ++size) {
                if (!is_choice && left % size != 0) continue;
                longer.push_back({plan, is_choice ? left : left / size});
                longer.back().plan.*axis.size = size;
            }
        }
        partial = std::move(longer);
    }
    std::vector<ParallelPlan> plans;
    for (const auto& [plan, left] : partial) {
        if (left == 1) plans.push_back(plan);
    }
    return plans;
}

std::vector<double> differences(const ParallelPlan& a, const ParallelPlan& b) {
    std::vector<double> differences;
    for (const Axis& axis : axes()) {
        const double from = a.*axis.size;
        const double to = b.*axis.size;
        const bool is_size = axis.least > 0;
        differences.push_back(is_size ? std::abs(std::log2(from / to)) : std::abs(from - to));
    }
    return differences;
}

void require_fits(const ParallelPlan& plan, int ranks) {
    const int model_ranks = plan.ranks() / plan.data;
    require(plan.ranks() == ranks, [&] {
        ParallelPlan nearest = plan;
        nearest.data = std::max(1, ranks / model_ranks);
        nearest = without_idle_options(nearest);
        const ParallelPlan same = without_idle_options(plan);
        return fmt::format(
            "plan {} needs {}, but the job has {}: start mpiexec -n {}{}{}", to_string(plan),
            counted(plan.ranks(), "rank"), ranks, plan.ranks(),
            same == plan ? "" : fmt::format(" with --plan {}", to_string(same)),
            nearest.ranks() == ranks ? fmt::format(" or use --plan {}", to_string(nearest)) : "");
    });
}

}  // namespace shardstone::reference
