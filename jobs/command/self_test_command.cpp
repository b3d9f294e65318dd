// SPDX-License-Identifier: BSD-3-Clause
// `shardstone validate self-test`: what would tests of pairs have seen on a cluster like this?
#include "jobs/command/self_test_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "jobs/command/health.hpp"
#include "jobs/command/number_option.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/stopped.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/interrupt.hpp"
#include "kernels/base/units.hpp"
#include "results/record/incomplete.hpp"
#include "results/report/self_test_words.hpp"
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
    "The last lines say of each fault from which rate on it is named in 95 % of the trials.\n"
    "Everything in the record is marked as simulated.\n"
    "  mpiexec -n 2 shardstone validate self-test --nodes 16 --rails 1 --json seen.json\n"
    "  mpiexec -n 2 shardstone validate self-test --noise interconnect.json --fault nic-out,node\n"
    "Exit codes: 0 all trials were made, whatever they show; 2 refused input; 130 stopped by "
    "SIGINT "
    "or\nSIGTERM, with an incomplete record.\n";

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
    std::filesystem::path json, hdf5;
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
        try {
            options.noise = measured_noise(results::rows_of<results::PairSampleRow>(record),
                                           results::rows_of<results::RankPlaceRow>(record));
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

std::string share_in_words(double share, double low, double high) {
    if (!(share >= 0.0)) return "-";
    return fmt::format("{} ({} to {})", results::percent_text(share), results::percent_text(low),
                       results::percent_text(high));
}

void print_row(const results::DetectionRow& row) {
    fmt::print("{:<10} {:>6} {:>9.0f}   {:<26} {:<26} {}\n", row.fault,
               results::percent_text(row.rate), row.repetitions,
               share_in_words(row.detected, row.detected_low, row.detected_high),
               share_in_words(row.localised, row.localised_low, row.localised_high),
               share_in_words(row.false_alarms, row.false_alarms_low, row.false_alarms_high));
}

void print_head(const SelfTestOptions& options) {
    const auto& [nodes, rails, nodes_per_leaf, uplinks] = options.shape;
    const SimulatedNoise& noise = options.noise;
    fmt::print(
        "SIMULATED: {} with {} each, {} to a leaf, {} up from each; noise {} between pairs, {} "
        "between messages, {} delayed\n"
        "fault        rate  messages   detected                   named                      false "
        "alarms\n",
        counted(nodes, "node"), counted(rails, "NIC"), nodes_per_leaf, counted(uplinks, "port"),
        results::percent_text(noise.pair_deviation),
        results::percent_text(noise.repetition_deviation),
        results::percent_text(noise.delay_share));
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

void print_conclusion(const std::vector<results::DetectionRow>& shares) {
    fmt::print("\nWith this noise (simulated):\n");
    for (const std::string& line : results::detection_in_words(shares)) {
        fmt::print("  {}\n", line);
    }
}

/// On rank 0.
int report(const Request& request, const std::vector<results::TrialRow>& trials,
           results::Record& record) {
    const std::size_t all = rows_of_self_test(request.options);
    if (trials.empty()) return end_without_record("counted");
    const auto shares = detection_rows(trials);
    print_head(request.options);
    for (const auto& row : shares) print_row(row);
    print_conclusion(shares);
    record.samples.push_back(results::table_of(trials));
    record.derived.push_back(results::table_of(shares));
    const std::string done = fmt::format("{} of {} rows were counted", trials.size(), all);
    const bool stopped = trials.size() < all;
    record.verification.push_back({"every row has all its trials", !stopped, done});
    if (stopped) record.verification.push_back(results::incomplete_check(done));
    write_record(record, request.json, request.hdf5);
    if (!stopped) return 0;
    say_failure(("stopped by SIGINT or SIGTERM: " + done).c_str(), /*with_rank=*/false);
    return number_of(ExitCode::interrupted);
}

int run(Communicator& world, Request& request) {
    world.agree([&] {
        if (world.is_root()) require_outputs_writable({request.json, request.hdf5}, {});
    });
    resolve(request, world);
    if (world.is_root()) warn_of_disturbed_noise(request);
    auto record = world.agree([&] {
        return world.is_root()
                   ? new_run_record("simulated_trials",
                                    "Simulated self-test of the interconnect's tests", world)
                   : results::Record{};
    });
    record.configuration = configuration_of(request);
    catch_interrupts("these trials");
    std::vector<results::TrialRow> trials;
    {
        ProgressLine progress(world.is_root(), "starting");
        trials = run_self_test(
            world, request.options, [&](const std::string& what) { progress.say(what); },
            [&] { return any_interrupted(world); });
    }
    end_health(world);
    const int code =
        world.agree([&] { return world.is_root() ? report(request, trials, record) : 0; });
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
    app.add_option("--repetitions", r.options.repetitions, "Messages per test: the budget")
        ->delimiter(',')
        ->capture_default_str();
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
    return [request, faults] {
        const SimulatedShape& made = request->options.shape;
        const bool has_ports = made.nodes > made.nodes_per_leaf;
        if (faults->empty() && !has_ports) std::erase(request->faults, "port-up");
        return run_recorded([&](Communicator& world) { return run(world, *request); });
    };
}

}  // namespace shardstone::command
