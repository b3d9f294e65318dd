// SPDX-License-Identifier: BSD-3-Clause
// `shardstone validate interconnect`: which link, node or rank of a cluster is bad, if any?
#include "jobs/command/validate_interconnect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>

#include "benchmarks/harness/watch_record.hpp"
#include "collectives/cluster/communicator.hpp"
#include "collectives/cluster/description.hpp"
#include "jobs/command/duration_option.hpp"
#include "jobs/command/health.hpp"
#include "jobs/command/interconnect_journal.hpp"
#include "jobs/command/interconnect_request.hpp"
#include "jobs/command/interconnect_screen.hpp"
#include "jobs/command/interconnect_times.hpp"
#include "jobs/command/number_option.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/resume.hpp"
#include "jobs/command/run_journal.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/stopped.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/interrupt.hpp"
#include "kernels/base/shared_files.hpp"
#include "kernels/base/units.hpp"
#include "results/journal/resume.hpp"
#include "results/record/health.hpp"
#include "results/record/incomplete.hpp"
#include "results/record/nature.hpp"
#include "results/schema/verdict_counts.hpp"
#include "validation/interconnect/budget_words.hpp"
#include "validation/interconnect/foreseen.hpp"
#include "validation/interconnect/gpu_clocks.hpp"
#include "validation/interconnect/interconnect_record.hpp"
#include "validation/interconnect/limits_in_force.hpp"
#include "validation/interconnect/measure_interconnect.hpp"
#include "validation/interconnect/traffic.hpp"

namespace shardstone::command {

namespace {

using collectives::Communicator;
using namespace validation;

/// What an earlier run measured, none if there is none to go on from. For rank 0.
results::Record earlier_soak(const InterconnectRequest& request) {
    auto earlier = earlier_run(request.resume, "interconnect").record;
    require(request.resume.empty() || earlier.has_table(results::SoakWindowRow::schema.name()),
            [&] {
                return fmt::format(
                    "'{}' ended before its soak began: run the command again without --resume",
                    request.resume);
            });
    return earlier;
}

/// The record before the first pass; its journal is begun. For rank 0.
results::Record begin(const InterconnectRequest& request, const results::Record& earlier,
                      const Communicator& world) {
    const bool on_gpus = !request.gpu.empty();
    auto record = new_run_record(
        "interconnect",
        on_gpus ? "Validation of GPUs and links between them" : "Validation of the interconnect",
        world);
    record.configuration = {
        {"sizes_bytes", request.options.sizes_bytes},
        {"parts", request.parts},
        {"alone", request.options.alone},
        {"device", on_gpus ? nlohmann::json(request.device) : nlohmann::json()},
        {"rails", request.options.rails},
        {"budget_s", request.options.budget_s},
        {"ranks_per_node", request.ranks_per_node},
        {"topology", world.topology().description()},
        {"accept", request.accept_text},
        {"accept_file", request.accept},
        {"cluster_file", request.cluster},
        {"cluster", request.cluster.empty() ? "" : collectives::to_toml(world.cluster())},
        {"soak_s", request.options.soak_s}};
    if (on_gpus) record.configuration["gpu"] = request.gpu;
    if (!request.resume.empty()) {
        continue_record(record, earlier, request.resume, {"accept_file", "soak_s"});
        record.derived.clear();  // found again, in all there is
    }
    begin_journal(record, "no pair was tested", request.json, request.hdf5);
    return record;
}

/// A check of the run that has failed is an error of ours: no verdict of it counts.
int code_of(Acceptance verdict, const results::Record& record) {
    for (const results::Check& check : record.verification) {
        if (check.passed) continue;
        fmt::print("FAILED  {} ({})\n", check.name, check.detail);
        return number_of(ExitCode::check_failed);
    }
    switch (verdict) {
        case Acceptance::pass:
            return number_of(ExitCode::well);
        case Acceptance::fail:
            return number_of(ExitCode::check_failed);
        case Acceptance::inconclusive:
            return number_of(ExitCode::undecided);
    }
    return number_of(ExitCode::our_bug);
}

void say(const std::string& words) {
    if (!words.empty()) fmt::print("\n{}", words);
}

/// On rank 0: findings, screen and record.
int report(const InterconnectRequest& request, const InterconnectMeasurement& measured,
           const std::string& done, results::Record& record) {
    if (measured.stopped && measured.samples.taken() == 0) return end_without_record("measured");
    const auto findings = find_in(measured.samples);
    tell_early_end({});  // a verdict is
    record.samples = sample_tables_of(measured.samples);
    record.samples.push_back(benchmarks::surroundings_table(measured.surroundings));
    add_test_time(measured, findings, request.options, record);
    record.derived = finding_tables_of(findings);
    record.verification =
        interconnect_checks(measured.samples, measured.expected, measured.compared_bytes);
    if (measured.stopped) {
        record.verification.push_back(results::incomplete_check(done));
        std::erase_if(record.derived, [](const results::Table& table) {
            return table.name == results::InterconnectVerdictRow::schema.name();
        });
    }
    print_interconnect(findings, measured.samples,
                       {.stopped_after = measured.stopped ? done : "",
                        .gpu = request.gpu,
                        .declared_nodes = results::has_declared_nodes(record),
                        .counts = results::verdict_counts(record)});
    say(unread_gpus_in_words(findings.gpus));
    say(over_budget_in_words(measured, request.options.budget_s));
    say(what_decides_in_words(measured, findings.acceptance, request.options.soak_s));
    write_record(record, request.json, request.hdf5);
    if (!measured.stopped) return code_of(findings.verdict, record);
    say_failure(("stopped by SIGINT or SIGTERM: " + done).c_str(), /*with_rank=*/false);
    return number_of(ExitCode::interrupted);
}

/// What no sample will change is said before minutes are spent on them.
void warn_of_what_is_foreseen(const InterconnectRequest& request, const Communicator& world) {
    auto warnings = limits_never_kept(request.options.limits);
    if (request.options.parts.traffic && !is_judged_by(world.cluster())) {
        warnings.push_back(
            fmt::format("--cluster {} was not measured by ranks that have cores as these do: "
                        "traffic is timed, and not judged: calibrate with these ranks",
                        request.cluster));
    }
    const std::string lack = foreseen_lack(request.options, world.topology());
    if (!lack.empty()) {
        warnings.push_back(
            fmt::format("{}: the verdict will be INCONCLUSIVE, or FAIL if a fault is found", lack));
    }
    for (const std::string& words : warnings) {
        fmt::print(stderr, "shardstone: warning: {}\n", words);
    }
}

int run(Communicator& world, InterconnectRequest& request) {
    if (request.ranks_per_node > 0) {
        world.agree([&] {
            require(request.ranks_per_node <= world.size(), [&] {
                return fmt::format("--ranks-per-node {}: there {} {}", request.ranks_per_node,
                                   world.size() == 1 ? "is" : "are", counted(world.size(), "rank"));
            });
        });
        world.declare_topology(
            collectives::Topology::blocked(world.size(), request.ranks_per_node));
    }
    world.agree([&] {
        if (!world.is_root()) return;
        require_outputs_writable({request.json, request.hdf5}, {}, request.resume);
        require_output_for_resumed(request.resume, request.json, request.hdf5);
    });
    resolve(request, world);
    const auto earlier =
        world.agree([&] { return world.is_root() ? earlier_soak(request) : results::Record{}; });
    auto record = world.agree(
        [&] { return world.is_root() ? begin(request, earlier, world) : results::Record{}; });
    if (world.is_root()) {
        tell_early_end(print_early_end);
        warn_of_what_is_foreseen(request, world);
    }
    catch_interrupts("this part of the tests");
    ProgressLine progress(world.is_root(), "starting");
    InterconnectJournal journal(world.is_root());
    auto measured = measure_interconnect(
        world, request.options,
        {[&](const std::string& what) { progress.say(what); },
         [&](const InterconnectSamples& part) { journal.add(part); },
         [&] { return any_interrupted(world); }, [](const char* step) { catch_interrupts(step); }},
        earlier.samples.empty() ? InterconnectSamples{} : interconnect_samples_in(earlier));
    end_health(world);
    measured.samples.risen = results::failed_health(record.environment);  // of what this continues
    for (std::string& counter : failed_health_of_run()) {
        measured.samples.risen.push_back(std::move(counter));
    }
    const int code = world.agree(
        [&] { return world.is_root() ? report(request, measured, journal.done(), record) : 0; });
    return static_cast<int>(world.max(code));
}

void declare_durations(CLI::App& app, InterconnectRequest& r) {
    app.add_option(
           "--budget", r.options.budget_s,
           "Seconds for the measurements; what is left is spent on limits (--accept) that are "
           "undecided; longer, and then said, if the fewest tests that decide "
           "anything take longer, or a suspected rank calls for turns again")
        ->check(positive_number())
        ->capture_default_str();
    app.add_option(
           "--for", r.soak,
           "Then repeat the tests of pairs for so long: 90s, 30m, 8h, 2d; limits are judged by "
           "the tests before")
        ->check(duration());
}

}  // namespace

std::function<int()> declare_interconnect(CLI::App& app) {
    const auto request = std::make_shared<InterconnectRequest>();
    InterconnectRequest& r = *request;
    app.add_option("--sizes", r.sizes,
                   "Sizes of messages: the smallest for latency, the largest for rate")
        ->delimiter(',')
        ->check(size_in_bytes())
        ->capture_default_str();
    app.add_option(
           "--part", r.parts,
           "Tests to make: pairs, congestion, ranks, clocks, traffic (default: all, traffic "
           "with --cluster only)")
        ->delimiter(',')
        ->check(CLI::IsMember({"pairs", "congestion", "ranks", "clocks", "traffic"}));
    app.add_option("--cluster", r.cluster,
                   "Cluster description, measured on these ranks by shardstone calibrate: "
                   "collectives and training steps are predicted from it, and run");
    app.add_option("--device", r.device,
                   "Where the data of messages are: cpu, memory of the hosts; cuda, of GPUs, which "
                   "have work to do in the tests of ranks, too")
        ->capture_default_str();
    app.add_option(
           "--rails", r.options.rails,
           "NICs of a node: each is tested by ranks of its own, an equal block of the node's")
        ->check(whole_number(1, collectives::most_ranks))
        ->capture_default_str();
    app.add_flag("--alone", r.options.alone, "Test one pair at a time");
    app.add_option("--accept", r.accept,
                   fmt::format("Acceptance file with limits, in TOML, or the name of one of: {}",
                               fmt::join(shared_names("acceptance"), ", ")));
    constexpr int most = collectives::most_ranks;
    app.add_option("--ranks-per-node", r.ranks_per_node,
                   "Emulate nodes of this many ranks, instead of nodes as found")
        ->check(whole_number(1, most));
    declare_durations(app, r);
    declare_resume(app, r.resume);
    app.add_option("--json", r.json, "record as JSON");
    app.add_option("--hdf5", r.hdf5, "record as HDF5");
    declare_force(app);
    return [request] {
        return run_recorded([&](Communicator& world) { return run(world, *request); });
    };
}

}  // namespace shardstone::command
