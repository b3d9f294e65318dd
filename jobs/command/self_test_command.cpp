// SPDX-License-Identifier: BSD-3-Clause
// `shardstone validate self-test`: what would tests of pairs have seen on a cluster like this?
#include "jobs/command/self_test_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "jobs/command/health.hpp"
#include "jobs/command/number_option.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/resume.hpp"
#include "jobs/command/run_journal.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/self_test_screen.hpp"
#include "jobs/command/stopped.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/interrupt.hpp"
#include "results/journal/resume.hpp"
#include "results/record/incomplete.hpp"
#include "results/report/words.hpp"
#include "results/schema/soak.hpp"
#include "validation/interconnect/disturbances.hpp"
#include "validation/interconnect/trial_grid.hpp"

namespace shardstone::command {

const char* const self_test_details =
    "Runs the inference behind interconnect on simulated clusters, each with one bad "
    "part\n"
    "drawn at random, and counts in how many trials it is detected and named, and how many raise a "
    "false\n"
    "alarm, by kind of fault, its rate and messages per test. Noise is that of a record of "
    "interconnect\n"
    "(--noise), or a usual one. Trials are shared out over the ranks; the counts do not depend on "
    "their\n"
    "number. What no test of pairs tells apart, as a node and its only NIC, is detected and not "
    "named.\n"
    "The last lines say of each fault from which rate on it is named in 95 % of the trials, with "
    "the\nmessages per test that this takes, beside those that a run of interconnect takes.\n"
    "Everything in the record is marked as simulated.\n"
    "  mpiexec -n 2 shardstone validate self-test --nodes 16 --rails 1 --json seen.json\n"
    "  mpiexec -n 2 shardstone validate self-test --noise interconnect.json --fault nic-out,node\n"
    "  mpiexec -n 2 shardstone validate self-test --json seen.json --resume seen.json.journal\n"
    "Exit codes: 0 all trials were made, whatever they show; 2 refused input; 130 stopped by "
    "SIGINT "
    "or\nSIGTERM, with an incomplete record, which --resume also accepts; the row in progress is "
    "lost.\n";

namespace {

using collectives::Communicator;
using namespace validation;

/// Soon done, and with all that may be bad; a pod of 128 nodes with 8 NICs takes a second a trial.
constexpr SimulatedShape default_shape{.nodes = 32, .rails = 1, .nodes_per_leaf = 8, .uplinks = 2};

SelfTestOptions default_options() {
    SelfTestOptions options;
    options.shape = default_shape;
    return options;
}

struct Request {
    SelfTestOptions options = default_options();
    std::vector<std::string> faults{"healthy", "nic-out", "cable-in", "port-up", "node"};
    std::string noise;             ///< record of a measured validation; empty: the usual noise
    bool noise_disturbed = false;  ///< that record is of a machine that was busy with other work
    int noise_passes = 0;          ///< of that record; 0: none
    bool has_repetitions = false;  ///< they were given
    std::filesystem::path json, hdf5;
    std::string resume;  ///< journal or record of the self-test that this one goes on from
};

/// Of the part in which pairs were tested, on any machine.
bool has_disturbed_pairs(const results::Record& record) {
    return std::ranges::any_of(
        results::rows_of<results::ConditionsRow>(record), [](const auto& row) {
            return row.part == validation::during_pairs && row.disturbed > 0.0;
        });
}

void resolve(Request& request, Communicator& world) {
    world.agree([&] {
        SelfTestOptions& options = request.options;
        options.healthy = false;
        options.faults.clear();
        for (const std::string& name : request.faults) {
            if (const auto fault = fault_of(name)) {
                options.faults.push_back(*fault);
            } else {
                options.healthy = true;
            }
        }
        require_possible(options);
        if (request.noise.empty()) return;
        const auto record = results::read_record(request.noise);
        require(record.has_table(results::PairSampleRow::schema.name()), [&] {
            return fmt::format(
                "--noise '{}' is a record of {}, not of validate interconnect with its pairs",
                request.noise, record.kind);
        });
        request.noise_disturbed = has_disturbed_pairs(record);
        const auto samples = results::rows_of<results::PairSampleRow>(record);
        request.noise_passes = passes_in(samples);
        if (!request.has_repetitions && request.noise_passes > 0) {
            options.repetitions = {request.noise_passes};
        }
        try {
            options.noise =
                measured_noise(samples, results::rows_of<results::RankPlaceRow>(record));
        } catch (const Error& error) {
            fail(fmt::format("--noise '{}': {}", request.noise, error.what()));
        }
    });
}

nlohmann::json configuration_of(const Request& request) {
    const auto& [nodes, rails, nodes_per_leaf, uplinks] = request.options.shape;
    const SimulatedNoise& noise = request.options.noise;
    return {{"nodes", nodes},
            {"rails", rails},
            {"nodes_per_leaf", nodes_per_leaf},
            {"uplinks", uplinks},
            {"faults", request.faults},
            {"rates", request.options.rates},
            {"repetitions", request.options.repetitions},
            {"trials", request.options.trials},
            {"seed", request.options.seed},
            {"noise_file", request.noise},
            {"noise_disturbed", request.noise_disturbed},
            {"noise",
             {{"pair_deviation", noise.pair_deviation},
              {"nic_deviation", noise.nic_deviation},
              {"repetition_deviation", noise.repetition_deviation},
              {"delay_share", noise.delay_share},
              {"mean_delay", noise.mean_delay}}}};
}

/// Said before the trials, which may take long.
void warn_of_disturbed_noise(const Request& request) {
    if (!request.noise_disturbed) return;
    fmt::print(stderr,
               "shardstone: warning: --noise '{}' was measured on a busy machine (disturbed): its "
               "noise, {} between messages, is that of other work, and hides faults that a quiet "
               "cluster shows\n",
               request.noise, results::percent_text(request.options.noise.repetition_deviation));
}

std::string progress_of(const results::Record& record, const Request& request) {
    return fmt::format("{} of {} rows were counted",
                       results::rows_of<results::TrialRow>(record).size(),
                       rows_of_self_test(request.options));
}

/// The record as far as it goes before the first row of this run; its journal is begun. For rank 0.
results::Record begin(const Request& request, const Communicator& world) {
    auto record = new_run_record("simulated_trials",
                                 "Simulated self-test of the interconnect's tests", world);
    record.configuration = configuration_of(request);
    record.samples = {results::table_of(std::vector<results::TrialRow>{})};
    record.derived = {results::table_of(std::vector<results::DetectionRow>{})};
    if (!request.resume.empty()) {
        continue_record(record, earlier_run(request.resume, record.kind).record, request.resume);
        fmt::print("continues from {}: {}\n", request.resume, progress_of(record, request));
    }
    print_self_test_head(request.options);
    for (const auto& row : results::rows_of<results::DetectionRow>(record)) {
        print_detection(row, "  earlier");
    }
    begin_journal(record, progress_of(record, request), request.json, request.hdf5);
    return record;
}

/// On rank 0.
void keep(const results::TrialRow& row, const Request& request, results::Record& record) {
    const std::vector rows{row};
    const auto shares = detection_rows(rows);
    print_detection(shares.front(), "");
    results::Record part;
    part.samples = {results::table_of(rows)};
    part.derived = {results::table_of(shares)};
    add_part(record, part);
    add_to_journal(part, progress_of(record, request));
}

/// Those that the record does not hold yet, until a signal.
void count_rows(const Communicator& world, const Request& request, results::Record& record) {
    const auto held = results::rows_of<results::TrialRow>(record).size();
    const auto first = static_cast<std::size_t>(world.max(static_cast<double>(held)));
    ProgressLine progress(world.is_root(), "starting");
    run_self_test(world, request.options, first,
                  {.began = [&](const std::string& what) { progress.say(what); },
                   .counted =
                       [&](const results::TrialRow& row) {
                           if (world.is_root()) keep(row, request, record);
                       },
                   .stops = [&] { return any_interrupted(world); }});
}

/// On rank 0.
int report(const Request& request, results::Record& record) {
    const auto trials = results::rows_of<results::TrialRow>(record);
    if (trials.empty()) return end_without_record("counted");
    print_conclusion(results::rows_of<results::DetectionRow>(record), request.noise_passes);
    const std::string done = progress_of(record, request);
    const bool stopped = trials.size() < rows_of_self_test(request.options);
    const bool all_made = std::ranges::all_of(
        trials, [&](const auto& row) { return row.trials == request.options.trials; });
    record.verification.push_back(
        stopped ? results::incomplete_check(done)
                : results::Check{"every row has all its trials", all_made, done});
    write_record(record, request.json, request.hdf5);
    if (!stopped) return all_made ? 0 : number_of(ExitCode::check_failed);
    say_failure(("stopped by SIGINT or SIGTERM: " + done).c_str(), /*with_rank=*/false);
    return number_of(ExitCode::interrupted);
}

int run(Communicator& world, Request& request) {
    world.agree([&] {
        if (!world.is_root()) return;
        require_outputs_writable({request.json, request.hdf5}, {}, request.resume);
        require_output_for_resumed(request.resume, request.json, request.hdf5);
    });
    resolve(request, world);
    if (world.is_root()) warn_of_disturbed_noise(request);
    auto record =
        world.agree([&] { return world.is_root() ? begin(request, world) : results::Record{}; });
    catch_interrupts("these trials");
    count_rows(world, request, record);
    end_health(world);
    const int code = world.agree([&] { return world.is_root() ? report(request, record) : 0; });
    return static_cast<int>(world.max(code));
}

void declare_shape(CLI::App& app, SimulatedShape& shape) {
    constexpr int most = 1 << 15;
    app.add_option("--nodes", shape.nodes, "Nodes of the simulated cluster")
        ->check(whole_number(2, most))
        ->capture_default_str();
    app.add_option("--rails", shape.rails, "NICs of each")
        ->check(whole_number(1, most))
        ->capture_default_str();
    app.add_option("--nodes-per-leaf", shape.nodes_per_leaf,
                   "Nodes whose NIC of a rail is on one leaf")
        ->check(whole_number(1, most))
        ->capture_default_str();
    app.add_option("--uplinks", shape.uplinks,
                   "Ports of a leaf that traffic to others is spread over")
        ->check(whole_number(1, most))
        ->capture_default_str();
}

}  // namespace

std::function<int()> declare_self_test(CLI::App& app) {
    const auto request = std::make_shared<Request>();
    Request& r = *request;
    declare_shape(app, r.options.shape);
    const auto* faults =
        app.add_option(
               "--fault", r.faults,
               "Kinds of the one bad part; by default no port where all nodes are on one leaf")
            ->delimiter(',')
            ->check(CLI::IsMember(fault_names()))
            ->capture_default_str();
    app.add_option("--rates", r.options.rates, "Its rate, over the healthy one")
        ->delimiter(',')
        ->capture_default_str();
    const auto* repetitions =
        app.add_option("--repetitions", r.options.repetitions,
                       fmt::format("Messages per test: the budget (default: as many as the run of "
                                   "--noise took, without it the fewest and the usual number of "
                                   "a run: {},{})",
                                   least_passes, usual_passes))
            ->delimiter(',');
    app.add_option("--trials", r.options.trials, "Trials of each kind, rate and budget")
        ->check(whole_number(1, 1'000'000))
        ->capture_default_str();
    app.add_option("--seed", r.options.seed, "Of all that is drawn")->capture_default_str();
    app.add_option(
        "--noise", r.noise,
        "Record of validate interconnect whose pairs scatter as the simulated ones shall");
    app.add_option("--json", r.json, "record as JSON");
    app.add_option("--hdf5", r.hdf5, "record as HDF5");
    declare_force(app);
    declare_resume(app, r.resume);
    return [request, faults, repetitions] {
        request->has_repetitions = !repetitions->empty();
        const SimulatedShape& made = request->options.shape;
        const bool has_ports = made.nodes > made.nodes_per_leaf;
        if (faults->empty() && !has_ports) std::erase(request->faults, "port-up");
        return run_recorded([&](Communicator& world) { return run(world, *request); });
    };
}

}  // namespace shardstone::command
