// SPDX-License-Identifier: BSD-3-Clause
// Trials over a grid of faults, severities and budgets, shared out over the ranks.
#include "validation/interconnect/trial_grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/statistics.hpp"

namespace shardstone::validation {

namespace {

using results::TrialRow;

constexpr std::array kinds{
    std::pair("node", Culprit::node),         std::pair("nic", Culprit::nic),
    std::pair("nic-out", Culprit::nic_out),   std::pair("nic-in", Culprit::nic_in),
    std::pair("cable", Culprit::cable),       std::pair("cable-out", Culprit::cable_out),
    std::pair("cable-in", Culprit::cable_in), std::pair("port", Culprit::port),
    std::pair("port-up", Culprit::port_up),   std::pair("port-down", Culprit::port_down),
    std::pair("pair", Culprit::pair)};
static_assert(kinds.size() == culprit_count);

const char* name_of_kind(Culprit culprit) {
    return std::ranges::find(kinds, culprit, [](const auto& kind) { return kind.second; })->first;
}

/// What one row of the grid is of; no fault: healthy clusters.
struct Cell {
    std::optional<Culprit> fault;
    double rate = 1.0;
    int repetitions = 1;

    std::string fault_name() const {
        return fault ? name_of_kind(*fault) : results::healthy_clusters;
    }
};

std::vector<Cell> cells_of(const SelfTestOptions& options) {
    std::vector<Cell> cells;
    for (const int repetitions : options.repetitions) {
        if (options.healthy) cells.push_back({std::nullopt, 1.0, repetitions});
        for (const Culprit fault : options.faults) {
            for (const double rate : options.rates) cells.push_back({fault, rate, repetitions});
        }
    }
    return cells;
}

/// Between two looks whether to stop, on each rank.
constexpr int trials_at_a_time = 4;

/// Nothing if it was stopped.
std::optional<TrialCounts> count_trials(const collectives::Communicator& world,
                                        const SelfTestOptions& options, const Cell& cell,
                                        const std::function<bool()>& stops) {
    TrialSettings settings;
    settings.shape = options.shape;
    settings.noise = options.noise;
    settings.repetitions = cell.repetitions;
    settings.seed = options.seed;
    std::vector<FaultsOfKind> faults;
    if (cell.fault) faults.push_back({*cell.fault, 1, cell.rate});
    TrialCounts mine;
    const int at_once = trials_at_a_time * world.size();
    for (int begun = 0; begun < options.trials; begun += at_once) {
        if (stops()) return std::nullopt;
        const int first = begun + trials_at_a_time * world.rank();
        const int count = std::clamp(options.trials - first, 0, trials_at_a_time);
        mine = mine + run_trials(faults, settings, first, count);
    }
    return mine;
}

TrialRow row_of(const collectives::Communicator& world, const Cell& cell, const TrialCounts& mine) {
    const auto sum = [&](std::int64_t count) { return world.sum(static_cast<double>(count)); };
    TrialRow row;
    row.fault = cell.fault_name();
    row.rate = cell.rate;
    row.repetitions = cell.repetitions;
    row.trials = sum(mine.trials);
    row.faults = sum(mine.faults);
    row.detected = sum(mine.detected);
    row.localised = sum(mine.localised);
    row.all_right = sum(mine.all_right);
    row.false_alarms = sum(mine.false_alarms);
    row.further_tests = sum(mine.further_tests);
    return row;
}

/// A share and its interval, where there were any.
void put_share(double seen, double of, double& share, double& low, double& high) {
    if (of == 0.0) return;
    const auto interval =
        share_interval(static_cast<std::size_t>(seen), static_cast<std::size_t>(of));
    share = seen / of;
    low = interval.low;
    high = interval.high;
}

bool is_of_port(Culprit fault) {
    return fault == Culprit::port || fault == Culprit::port_up || fault == Culprit::port_down;
}

}  // namespace

std::vector<std::string> fault_names() {
    std::vector<std::string> names{results::healthy_clusters};
    for (const auto& [name, culprit] : kinds) names.emplace_back(name);
    return names;
}

std::optional<Culprit> fault_of(const std::string& name) {
    if (name == results::healthy_clusters) return std::nullopt;
    const auto kind =
        std::ranges::find_if(kinds, [&](const auto& one) { return one.first == name; });
    require(kind != kinds.end(), [&] {
        return fmt::format("fault '{}': choose from {}", name, fmt::join(fault_names(), ", "));
    });
    return kind->second;
}

void require_possible(const SelfTestOptions& options) {
    const SimulatedShape& shape = options.shape;
    require(shape.nodes >= 3, [&] {
        return fmt::format(
            "--nodes {}: of two nodes no test of pairs tells which one is bad: give 3 or more",
            shape.nodes);
    });
    require(shape.rails >= 1 && shape.nodes_per_leaf >= 1 && shape.uplinks >= 1,
            "a simulated cluster has NICs, leaves and uplinks");
    require(shape.nodes * shape.rails < 1 << 16, [&] {
        return fmt::format("{} nodes of {} NICs: a simulated cluster has fewer than 65536 NICs",
                           shape.nodes, shape.rails);
    });
    const bool has_port = std::ranges::any_of(options.faults, is_of_port);
    require(!has_port || shape.nodes > shape.nodes_per_leaf, [&] {
        return fmt::format(
            "--fault port: all {} nodes are on one leaf of {}, and nothing goes through a port up: "
            "give more --nodes, or fewer --nodes-per-leaf",
            shape.nodes, shape.nodes_per_leaf);
    });
    for (const double rate : options.rates) {
        require(rate > 0.0 && rate < 1.0, [&] {
            return fmt::format("--rates {}: give shares of the healthy rate between 0 and 1", rate);
        });
    }
    for (const int repetitions : options.repetitions) {
        require(repetitions >= 1 && repetitions <= 255, [&] {
            return fmt::format("--repetitions {}: give 1 to 255 messages", repetitions);
        });
    }
}

std::size_t rows_of_self_test(const SelfTestOptions& options) {
    return cells_of(options).size();
}

void run_self_test(const collectives::Communicator& world, const SelfTestOptions& options,
                   std::size_t first, const SelfTestWatch& watch) {
    const auto cells = cells_of(options);
    for (std::size_t i = first; i < cells.size(); ++i) {
        const Cell& cell = cells[i];
        enter_phase("row of trials", static_cast<std::int64_t>(i) + 1);
        watch.began(fmt::format("row {} of {}: {} at {:g}, {} messages", i + 1, cells.size(),
                                cell.fault_name(), cell.rate, cell.repetitions));
        const auto mine = count_trials(world, options, cell, watch.stops);
        if (!mine) return;
        watch.counted(row_of(world, cell, *mine));
    }
}

std::vector<results::DetectionRow> detection_rows(std::span<const TrialRow> trials) {
    std::vector<results::DetectionRow> rows;
    for (const TrialRow& counts : trials) {
        results::DetectionRow& row = rows.emplace_back();
        row.fault = counts.fault;
        row.rate = counts.rate;
        row.repetitions = counts.repetitions;
        put_share(counts.detected, counts.faults, row.detected, row.detected_low,
                  row.detected_high);
        put_share(counts.localised, counts.faults, row.localised, row.localised_low,
                  row.localised_high);
        put_share(counts.false_alarms, counts.trials, row.false_alarms, row.false_alarms_low,
                  row.false_alarms_high);
    }
    return rows;
}

}  // namespace shardstone::validation
