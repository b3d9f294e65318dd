// SPDX-License-Identifier: BSD-3-Clause
// What `shardstone collectives` says while it measures.
#include "jobs/command/collectives_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "benchmarks/collectives/sweep/findings.hpp"
#include "benchmarks/collectives/sweep/record.hpp"
#include "benchmarks/collectives/sweep/resume.hpp"
#include "benchmarks/collectives/sweep/table.hpp"
#include "jobs/command/run_journal.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/failure_log.hpp"

namespace shardstone::command {

using benchmarks::NoiseFloor;
using benchmarks::OperationPlan;
using benchmarks::PointName;
using benchmarks::progress_of;
using benchmarks::Sweep;
using benchmarks::SweepObserver;
using benchmarks::SweepOptions;
using benchmarks::SweepPoint;
using benchmarks::SweepTable;

namespace {

/// What the screen and the journal have of the sweep.
struct Shown {
    std::optional<SweepTable> table;
    std::size_t done = 0;  ///< points, those of an earlier sweep too
};

}  // namespace

void print_on_root(const collectives::Communicator& world, const std::string& text) {
    if (!world.is_root()) return;
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
}

SweepObserver observer_of(const SweepOptions& options, const collectives::Communicator& world,
                          ProgressLine& progress, const SweepExtent& extent) {
    const auto shown = std::make_shared<Shown>(Shown{std::nullopt, extent.finished});
    const std::size_t points = extent.points;
    SweepObserver observer;
    observer.began = [&, shown](const OperationPlan& planned) {
        shown->table.emplace(options, planned, world);
        print_on_root(world, shown->table->heading());
    };
    observer.left_out = [&, shown](const PointName& name) {
        const auto point =
            std::ranges::find(extent.earlier, name, [](const auto& one) { return name_of(one); });
        if (point != extent.earlier.end())
            print_on_root(world, shown->table->row(*point, "  earlier"));
    };
    const auto keep = [&world, shown, points](const results::Record& part) {
        if (world.is_root()) add_to_journal(part, progress_of(shown->done, points));
    };
    observer.measured = [&, shown, points, keep](const SweepPoint& point) {
        print_on_root(world, shown->table->row(point));
        ++shown->done;
        keep(part_of(point, options));
        progress.say(fmt::format("{} of {} points measured", shown->done, points));
        enter_phase("point", static_cast<std::int64_t>(shown->done) + 1);
    };
    observer.compared = [&, keep](const NoiseFloor& floor) {
        print_on_root(world, noise_line(floor));
        keep(part_of(floor));
    };
    return observer;
}

void add_earlier(const std::vector<SweepPoint>& earlier, Sweep& sweep) {
    sweep.points.insert(sweep.points.begin(), earlier.begin(), earlier.end());
    sweep.finished_before -= earlier.size();
}

void require_same_cluster(const std::string& given, const collectives::ClusterDescription& earlier,
                          const std::string& resumed) {
    if (given.empty()) return;
    const auto cluster = collectives::read_cluster(given);
    require(collectives::to_toml(cluster) == collectives::to_toml(earlier), [&] {
        return fmt::format(
            "--cluster {}: '{}' contains a different description of the cluster: "
            "omit --cluster",
            given, resumed);
    });
}

}  // namespace shardstone::command
