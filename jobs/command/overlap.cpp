// SPDX-License-Identifier: BSD-3-Clause
// `shardstone overlap`: how much of the communication of training hides behind its computation.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "benchmarks/harness/stall_record.hpp"
#include "benchmarks/training/overlap_record.hpp"
#include "collectives/cluster/communicator.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/device_option.hpp"
#include "jobs/command/health.hpp"
#include "jobs/command/number_option.hpp"
#include "jobs/command/pace_option.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/run_journal.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/stopped.hpp"
#include "jobs/command/train_options.hpp"
#include "jobs/command/train_output.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/interrupt.hpp"
#include "kernels/base/random.hpp"
#include "kernels/base/units.hpp"
#include "reference/trainer/paced_device.hpp"
#include "results/record/incomplete.hpp"

namespace shardstone::command::overlap_command {

namespace {

using namespace benchmarks;
using collectives::Communicator;
using reference::Dataset;
using reference::Token;

constexpr const char* details = R"(Examples
  jobs/virtual_cluster/cluster run build/release/bin/shardstone overlap --at-most 0.5
  mpiexec -n 2 shardstone overlap --plan dp=2,zero=3 --model small --rounds 10
  mpiexec -n 8 shardstone overlap --pace 20
  mpiexec -n 8 shardstone overlap --device cuda --model gpt2-124m

Trains one model twice at once, on random tokens: with the transfers of gradients and weights
overlapped with the computation, and with all of them apart from it (as train --no-overlap). The two
alternate step by step and start each step together. Every figure is the median over the rounds with
its 95 % interval.

Reading the output
  exposed    communication not hidden by computation: starting, progressing and waiting, including
             the wait for slower ranks; the maximum over ranks. On GPUs what computations waited for
  preempted  time in which a rank had work to do but no core, usually because of another rank where
             there are more ranks than cores; not part of computation, and not counted on GPUs
  ratio      exposed with overlap over exposed without, round by round
  hidden     hidden share of the communication that could be hidden, which is at most the length of
             the computation: 100 % leaves max(0, communication - computation). A round is above
             100 % if its step without overlap waited for a busy core; a whole interval above it, on
             a quiet machine, is a bug of ours and fails the run
  !          other programs, or the hypervisor, took over 5 % of the cores, in each of up to three
             tries, of which this is the quietest; --at-most is then undecided
A run takes about a minute, with --pace longer by as much as that device is slower. Stopped by SIGINT
or SIGTERM it ends after a round with 130 and an incomplete record of the rounds so far; of a killed one
`shardstone recover` makes that record from the journal beside it. It cannot be continued.
Overlap must not change what is trained: losses, gradient norms and weights are compared bitwise.

With --pace the ranks sleep instead of computing, so that many on few cores hide their messages as
devices of that rate would. There are no losses and weights then to compare, and no time is preempted.
--pace-slow plants a slow device: the others' wait for it is exposed, and hidden by nothing.
Exit code 1: a check failed or is undecided. All codes: shardstone --help)";

struct Request {
    TrainArguments training;
    std::optional<std::string> model;
    std::int64_t rounds = OverlapSetup{}.rounds;
    std::optional<double> at_most;
};

/// What the tokens say is no matter here.
Dataset random_text(const reference::TrainOptions& options) {
    const RandomStream stream(options.seed, "tokens");
    std::vector<Token> tokens(static_cast<std::size_t>(1 << 16) +
                              static_cast<std::size_t>(options.batch.sequence));
    const auto vocabulary = static_cast<std::uint64_t>(options.model.vocabulary);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        tokens[i] = static_cast<Token>(stream.below(vocabulary, i));
    }
    return Dataset::from_tokens("random tokens", options.model.vocabulary, std::move(tokens), {});
}

OverlapSetup resolve_setup(const Request& request, int ranks) {
    TrainArguments training = request.training;
    training.model = request.model.value_or("tiny");
    // Many blocks, since the gradients of the last cannot hide behind anything.
    if (!request.model && !training.layers) training.layers = 12;
    OverlapSetup setup;
    setup.options = resolve(training, ranks);
    setup.options.eval_sequences = 0;
    setup.rounds = request.rounds;
    return setup;
}

/// That without overlap, of a paced training.
double longest_step_s(const OverlapSetup& setup) {
    const auto apart = setup.training(false);
    return paced_step_s(apart, paced_machine(apart));
}

void print_header(const OverlapSetup& setup, const Communicator& world) {
    const auto& options = setup.options;
    fmt::print("model {} ({} parameters), plan {} on {}, {} sequences of {} tokens per step\n",
               options.model.name, options.model.parameter_count(), to_string(options.plan),
               counted(world.topology().nodes(), "node"), options.batch.global_batch,
               options.batch.sequence);
    fmt::print("transfers of at most {}, {} rounds\n\n",
               format_size(options.communication.bucket_bytes), setup.rounds);
    if (options.pace) fmt::print("{}\n\n", pace_line(*options.pace, longest_step_s(setup)));
    std::fflush(stdout);
}

std::string in_words(const RoundFigure& figure, const std::function<std::string(double)>& word) {
    if (!figure.interval) return fmt::format("{} (no interval)", word(figure.median));
    return fmt::format("{} ({} to {})", word(figure.median), word(figure.interval->low),
                       word(figure.interval->high));
}

void print(const OverlapTiming& timing, bool counted, const std::vector<results::Check>& checks) {
    const auto time = [](const std::vector<double>& seconds) {
        return in_words(RoundFigure(seconds), [](double s) { return format_time(s); });
    };
    const auto row = [&](const char* name, const StepTimes& times) {
        fmt::print("{:<12}{:>32}{:>32}{:>32}{:>32}\n", name, time(times.step_s),
                   time(times.compute_s), time(times.exposed_s),
                   counted ? time(times.preempted_s) : "-");
    };
    fmt::print("{:<12}{:>32}{:>32}{:>32}{:>32}\n", "", "step", "computation",
               "exposed communication", "preempted");
    row("apart", timing.apart);
    row("overlapped", timing.overlapped);
    const double apart_s = median(timing.apart.exposed_s);
    fmt::print("\nratio   {}\n",
               in_words(timing.exposed_ratio(), [](double r) { return fmt::format("{:.3f}", r); }));
    fmt::print("hidden  {}\n", in_words(timing.hidden_share(), [](double share) {
                   return fmt::format("{:.1f} %", 100.0 * share);
               }));
    fmt::print("sent    {} a step on rank 0: {:.1f} MB/s apart\n",
               format_size(static_cast<std::int64_t>(timing.bytes_per_step)),
               timing.bytes_per_step / apart_s * 1e-6);
    for (const auto& check : checks) {
        fmt::print("{}  {} ({})\n", check.passed ? "passed" : "FAILED", check.name, check.detail);
    }
    fmt::print("{}{}", stall_note(outlier_rows(timing.stalls)),
               disturbance_note({timing.watched.surroundings}, "measurement"));
}

results::Record begun_record(const OverlapSetup& setup, const Communicator& world) {
    const auto title = paced_title("Overlap of communication, model " + setup.options.model.name,
                                   setup.options.pace);
    auto record = new_run_record("overlap", title, world);
    begin_overlap_record(record, setup);
    return record;
}

/// For rank 0; the exit code.
int conclude(const Request& request, const OverlapSetup& setup, const OverlapTiming& timing,
             results::Record record) {
    print(timing, counts_preempted(setup.options), record.verification);
    fill_record(record, setup, timing);
    const std::string done = progress_of(setup, timing.apart.step_s.size());
    if (!timing.complete) record.verification.push_back(results::incomplete_check(done));
    write_record(record, request.training.json, request.training.hdf5);
    if (!timing.complete) {
        say_failure((results::what_stops() + ": " + done).c_str(), /*with_rank=*/false);
        return number_of(ExitCode::interrupted);
    }
    const std::string open = undecided(timing, request.at_most);
    fmt::print("{}", open);
    return record.verified() && open.empty() ? 0 : number_of(ExitCode::check_failed);
}

int report(const Request& request, const OverlapSetup& setup, const OverlapTiming& timing,
           const Communicator& world) {
    if (timing.apart.step_s.empty()) return end_without_record(world, "measured");
    const auto checks = checks_of(world, timing, request.at_most);
    end_health(world);
    const int code = world.agree([&] {
        if (!world.is_root()) return 0;
        auto record = begun_record(setup, world);
        record.verification = checks;
        return conclude(request, setup, timing, std::move(record));
    });
    return static_cast<int>(world.max(code));
}

/// All rounds, each in the journal as soon as it is measured.
OverlapTiming measured(Communicator& world, const Request& request, const OverlapSetup& setup,
                       const Dataset& dataset) {
    world.agree([&] {
        if (!world.is_root()) return;
        begin_journal(begun_record(setup, world), progress_of(setup, 0), request.training.json,
                      request.training.hdf5);
    });
    catch_interrupts("this round");
    enter_phase("measuring");
    ProgressLine progress(world.is_root(), "starting");
    OverlapListener listener;
    listener.progress = [&](const std::string& what) { progress.say(what); };
    listener.measured = [&](const StepTimes& overlapped, const StepTimes& apart) {
        if (!world.is_root()) return;
        add_to_journal(last_round_of(overlapped, apart), progress_of(setup, apart.step_s.size()));
    };
    return time_overlap(world, setup, dataset, listener);
}

OverlapSetup setup_on(const Request& request, int ranks) {
    OverlapSetup setup = resolve_setup(request, ranks);
    require(ranks > 1,
            "a single rank has nothing to communicate: start `overlap` with several (mpiexec -n 2 "
            "...)");
    return setup;
}

Dataset checked_text(const OverlapSetup& setup, int ranks) {
    Dataset text = random_text(setup.options);
    validate(setup.training(true), ranks, text);
    if (setup.options.pace) longest_step_s(setup);  // refuses what nobody waits for
    return text;
}

int run(Communicator& world, const Request& request) {
    const OverlapSetup setup = world.agree([&] { return setup_on(request, world.size()); });
    require_device(world, setup.options.device);
    world.agree([&] {
        if (!world.is_root()) return;
        require_outputs_writable({request.training.json, request.training.hdf5});
    });
    const Dataset dataset = world.agree([&] { return checked_text(setup, world.size()); });
    if (setup.options.device == reference::DeviceKind::cuda) tell_gpus(world);
    if (world.is_root()) print_header(setup, world);
    return report(request, setup, measured(world, request, setup, dataset), world);
}

std::shared_ptr<Request> declare_request(CLI::App& app) {
    auto request = std::make_shared<Request>();
    TrainArguments& training = request->training;
    training.options.batch.global_batch = 16;
    app.add_option("--model", request->model,
                   "preset: tiny, small, ..., gpt2-124m (default: tiny with 12 layers)");
    app.add_option("--layers", training.layers, "transformer blocks");
    app.add_option("--heads", training.heads, "attention heads");
    app.add_option("--channels", training.channels, "width, a multiple of the heads");
    app.add_option("--plan", training.plan, "as for train (default: dp=<ranks>)");
    app.add_option("--global-batch", training.options.batch.global_batch,
                   "sequences per step, over all ranks")
        ->capture_default_str();
    app.add_option("--micro-batches", training.micro_batches,
                   "number of micro-batches per replica (default: 1)");
    app.add_option("--sequence", training.sequence, "tokens per sequence (default: the context)");
    app.add_option("--bucket-size", training.bucket_size,
                   "most bytes per transfer, e.g. 1M (default: an eighth of the parameters, from "
                   "256K to 25M)")
        ->check(size_in_bytes());
    app.add_option("--rounds", request->rounds, "measured steps of each kind")
        ->check(whole_number(1, 10000))
        ->capture_default_str();
    app.add_option("--at-most", request->at_most,
                   "check that the whole interval of the ratio is at most this")
        ->check(positive_number());
    app.add_option("--device", training.device, "cpu: a core of each rank; cuda: a GPU of each")
        ->capture_default_str();
    declare_pace(app, training.pace);
    app.add_option("--json", training.json, "record as JSON");
    app.add_option("--hdf5", training.hdf5, "record as HDF5");
    declare_force(app);
    return request;
}

std::function<void(int)> declare_check(CLI::App& app) {
    return [request = declare_request(app)](int ranks) {
        checked_text(setup_on(*request, ranks), ranks);
    };
}

std::function<int()> declare(CLI::App& app) {
    return [request = declare_request(app)] {
        return run_recorded([&](Communicator& world) { return run(world, *request); });
    };
}

const Registration registration{
    {"overlap", "Measure how much communication of training is hidden by computation", details,
     declare, RunsOn::all_ranks, declare_check}};

}  // namespace

}  // namespace shardstone::command::overlap_command
