// SPDX-License-Identifier: BSD-3-Clause
// Runs the accuracy study of reductions on all ranks, sum by sum, with journal, report and record.
#include "jobs/command/collectives_accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "benchmarks/collectives/accuracy/accuracy.hpp"
#include "benchmarks/collectives/accuracy/record.hpp"
#include "benchmarks/collectives/accuracy/table.hpp"
#include "collectives/cluster/communicator.hpp"
#include "jobs/command/health.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/run_journal.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/stopped.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/interrupt.hpp"
#include "results/journal/recover.hpp"
#include "results/record/incomplete.hpp"

namespace shardstone::command {

namespace {

using namespace benchmarks;

/// Of the sweep, and what to do instead.
constexpr std::array<std::pair<const char*, const char*>, 14> ignored_options{
    {{"--minbytes", "give --elements"},
     {"--maxbytes", "give --elements"},
     {"--stepfactor", "give --elements, separated by commas"},
     {"--datatype", "give --types"},
     {"--reduction", "only sums are studied"},
     {"--device", "sums in memory of the host are studied"},
     {"--iters", "give --runs"},
     {"--warmup_iters", "nothing is timed"},
     {"--check", "every run is checked"},
     {"--shares", "shares are even"},
     {"--in-place", "the sums are the same"},
     {"--seconds", "nothing is timed"},
     {"--rotate", "nothing is timed"},
     {"--noise-floor", "nothing is timed"}}};

std::string sums_studied(std::size_t sums, std::size_t planned) {
    return fmt::format("{} of {} sums were studied", sums, planned);
}

/// The record as far as it goes before the first sum; its journal is begun. For rank 0.
results::Record begin(const AccuracyRequest& request, const SweepOptions& chosen,
                      std::size_t planned, const collectives::Communicator& world) {
    auto record = new_run_record(
        "accuracy", fmt::format("accuracy of sums over {} ranks", world.size()), world);
    record.configuration["topology"] = world.topology().description();
    begin_accuracy_record(chosen, request.options, record);
    begin_journal(record, sums_studied(0, planned), chosen.json_path, chosen.hdf5_path);
    return record;
}

/// Rank 0 prints and writes it.
void report(const std::vector<SumAccuracy>& all, std::size_t planned, const SweepOptions& chosen,
            results::Record& record) {
    const std::string done = sums_studied(all.size(), planned);
    const bool whole = all.size() == planned;
    if (!all.empty()) std::fputs(accuracy_report(all).c_str(), stdout);
    std::fflush(stdout);
    if (!whole) record.verification.push_back(results::incomplete_check(done));
    write_record(record, chosen.json_path, chosen.hdf5_path);
    if (!whole) say_failure(("stopped by SIGINT or SIGTERM: " + done).c_str(), false);
}

int study(const AccuracyRequest& request, const SweepOptions& chosen, AccuracyPlan plan,
          collectives::Communicator& world) {
    using collectives::Topology;
    if (chosen.ranks_per_node > 0) {
        world.declare_topology(Topology::blocked(world.size(), chosen.ranks_per_node));
    }
    world.agree([&] {
        fit_plan(chosen, world.topology(), plan.sweep);
        if (world.is_root())
            require_outputs_writable({chosen.json_path, chosen.hdf5_path}, {chosen.cluster_path});
    });
    const std::size_t planned = planned_sums(plan, world.size());
    auto record = world.agree([&] {
        return world.is_root() ? begin(request, chosen, planned, world) : results::Record{};
    });
    catch_interrupts("this sum");
    enter_phase("adding up");
    ProgressLine progress(world.is_root(), sums_studied(0, planned));
    std::size_t sums = 0;
    const auto all = measure_accuracy(world, plan, [&](const SumAccuracy& sum) {
        progress.say(fmt::format("{}, at {} {} now", sums_studied(++sums, planned), sum.operation,
                                 to_string(sum.type)));
        if (!world.is_root()) return;
        const results::Record part = part_of(sum);
        add_part(record, part);
        add_to_journal(part, sums_studied(sums, planned));
    });
    if (all.empty() && planned > 0) {
        return end_without_record(world, "studied");
    }
    end_health(world);
    world.agree([&] {
        if (world.is_root()) report(all, planned, chosen, record);
    });
    if (all.size() < planned) return number_of(ExitCode::interrupted);
    return std::ranges::all_of(all, &SumAccuracy::passed) ? 0 : 1;
}

}  // namespace

void declare_accuracy(CLI::App& app, AccuracyRequest& request) {
    auto* const flag = app.add_flag("--accuracy", request.wanted,
                                    "Study the accuracy of sums instead of their speed");
    for (const auto& [name, instead] : ignored_options) {
        request.ignored.push_back({app.get_option(name), instead});
    }
    flag->excludes(app.get_option("--list"));
    app.add_option("--types", request.options.types, "Element types to study, or all")
        ->delimiter(',')
        ->capture_default_str()
        ->needs(flag);
    app.add_option("--elements", request.options.elements, "Elements of the vectors to study")
        ->delimiter(',')
        ->capture_default_str()
        ->needs(flag);
    app.add_option("--runs", request.options.runs, "Runs per sum, whose bits are compared")
        ->capture_default_str()
        ->needs(flag);
}

AccuracyPlan asked_accuracy(const AccuracyRequest& request, const SweepOptions& chosen) {
    for (const auto& [option, instead] : request.ignored) {
        require(option->count() == 0, [&, option = option, instead = instead] {
            return fmt::format("--accuracy excludes {}: {}", option->get_name(), instead);
        });
    }
    return plan_accuracy(chosen, request.options);
}

int run_accuracy(const AccuracyRequest& request, const SweepOptions& chosen) {
    const AccuracyPlan plan = asked_accuracy(request, chosen);
    return run_recorded(
        [&](collectives::Communicator& world) { return study(request, chosen, plan, world); });
}

}  // namespace shardstone::command
