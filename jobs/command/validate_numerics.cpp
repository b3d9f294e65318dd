// SPDX-License-Identifier: BSD-3-Clause
// `shardstone validate numerics`: does a precision policy compute, and train, as FP32 does?
#include "jobs/command/validate_numerics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "collectives/cluster/communicator.hpp"
#include "jobs/command/device_option.hpp"
#include "jobs/command/health.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/resume.hpp"
#include "jobs/command/run_journal.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/stopped.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/interrupt.hpp"
#include "reference/precision/precision.hpp"
#include "results/journal/resume.hpp"
#include "results/record/incomplete.hpp"
#include "results/schema/validation.hpp"
#include "validation/numerics/numerics.hpp"
#include "validation/numerics/record.hpp"

namespace shardstone::command {

const char* const numerics_details =
    "Compares every precision policy with FP32 and FP64: each kernel within its derived\n"
    "bound, each tensor's gradient within a bound measured at the same weights, the held-out loss\n"
    "after some hundred steps with FP32's from the same weights and data, sums over ranks with "
    "exact\n"
    "ones, and the loss with the optimum of a language of known entropy. The criteria were fixed "
    "in\n"
    "advance and are documented in validation/numerics/*.hpp; the verdict is pass, fail or "
    "undecided\n"
    "(with the number of seeds still needed). Several ranks share the trainings. With --device "
    "cuda\n"
    "each trains on a GPU, but for FP64, and only the trainings are compared.\n"
    "  mpiexec -n 2 shardstone validate numerics --policy all\n"
    "  shardstone validate numerics --policy bf16,fp16 --model nano --json numerics.json\n"
    "  shardstone validate numerics --policy bf16,fp16 --model nano --json n.json --resume "
    "n.json.journal\n"
    "Exit codes: 0 no policy fails; 1 one does; 2 refused input; 130 stopped by SIGINT or "
    "SIGTERM,\n"
    "with an incomplete record, which --resume also accepts; an unfinished part of a model is "
    "started anew, and before the first is judged there "
    "is\n"
    "no record.\n";

namespace {

using collectives::Communicator;
using namespace validation;

struct Arguments {
    NumericsOptions options;
    std::filesystem::path json, hdf5;
    std::string resume;  ///< journal or record of the validation that this one goes on from
};

std::string number(double value) {
    return std::isfinite(value) ? fmt::format("{:.3g}", value) : std::string();
}

/// One line each; `part` is what the lines before were of, and is then what these are of. `mark` is
/// what is to be known of all of them.
void print_findings(const std::vector<PolicyFinding>& findings, std::string& part,
                    const std::string& mark = "") {
    for (const PolicyFinding& f : findings) {
        if (f.part != part) {
            part = f.part;
            fmt::print("\n{}{}: {}\n", part, mark, f.quantity);
            fmt::print("  {:<16} {:<6} {:>10} {:>22} {:>22}  {}\n", "policy", "model", "value",
                       "95 % interval", "allowed", "verdict");
        }
        const bool estimated = f.interval.low < f.interval.high;
        fmt::print("  {:<16} {:<6} {:>10} {:>22} {:>22}  {:<28} {}\n", f.subject, f.model,
                   number(f.value),
                   estimated ? number(f.interval.low) + " to " + number(f.interval.high) : "",
                   (std::isfinite(f.allowed.low) ? number(f.allowed.low) : "up") + " to " +
                       number(f.allowed.high),
                   verdict_text(f), f.worst);
    }
    std::fflush(stdout);
}

/// "2 of 6 items were judged", an item being a part of one model.
std::string progress_of(const results::Record& record, const NumericsPlan& plan) {
    return fmt::format("{} of {} items (a part, or a model's) were judged", finished_items(record),
                       items_of(plan).size());
}

/// The record as far as it goes before the first verdict; its journal is begun. For rank 0.
results::Record begin(const Arguments& arguments, const NumericsPlan& plan,
                      const Communicator& world) {
    auto record = new_run_record("numerics", "Numerical validation of precision policies", world);
    begin_record(plan, record);
    record.configuration["device"] = to_string(plan.device);
    if (plan.device == reference::DeviceKind::cuda) record.configuration["gpu"] = require_gpu();
    if (!arguments.resume.empty()) {
        continue_record(record, earlier_run(arguments.resume, record.kind).record,
                        arguments.resume);
        fmt::print("continues from {}: {}\n", arguments.resume, progress_of(record, plan));
    }
    begin_journal(record, progress_of(record, plan), arguments.json, arguments.hdf5);
    return record;
}

/// Whom the validation tells; `record` grows by what it finishes.
NumericsObserver observer_of(const NumericsPlan& plan, ProgressLine& progress,
                             results::Record& record) {
    return {[&](const std::string& what) {
                progress.say(fmt::format("{}; at {}", progress_of(record, plan), what));
            },
            [&, part = std::string()](const NumericsResult& found) mutable {
                print_findings(found.findings, part);
                const results::Record more = part_of(found);
                add_part(record, more);
                add_to_journal(more, progress_of(record, plan));
            }};
}

int report(const Arguments& arguments, const NumericsPlan& plan, bool whole,
           results::Record& record) {
    const std::string done = progress_of(record, plan);
    if (!whole && finished_items(record) == 0) return end_without_record("judged");
    if (!whole) record.verification.push_back(results::incomplete_check(done));
    write_record(record, arguments.json, arguments.hdf5);
    if (!whole) {
        say_failure(("stopped by SIGINT or SIGTERM: " + done).c_str(), /*with_rank=*/false);
        return number_of(ExitCode::interrupted);
    }
    const auto verdicts = results::rows_of<results::VerdictRow>(record);
    const auto count = [&](Verdict verdict) {
        return std::ranges::count(verdicts, to_string(verdict), &results::VerdictRow::verdict);
    };
    fmt::print("\n{} pass, {} fail, {} undecided\n", count(Verdict::pass), count(Verdict::fail),
               count(Verdict::undecided));
    return count(Verdict::fail) > 0 ? 1 : 0;
}

int run(Communicator& world, const Arguments& arguments) {
    const auto plan = world.agree([&] {
        if (world.is_root()) {
            require_outputs_writable({arguments.json, arguments.hdf5}, {}, arguments.resume);
            require_output_for_resumed(arguments.resume, arguments.json, arguments.hdf5);
        }
        auto asked = plan_numerics(arguments.options);
        if (asked.device == reference::DeviceKind::cuda) require_gpu();
        return asked;
    });
    auto record = world.agree(
        [&] { return world.is_root() ? begin(arguments, plan, world) : results::Record{}; });
    if (world.is_root()) {
        std::string part;
        print_findings(findings_in(record), part, " (earlier)");
    }
    const double finished = world.max(static_cast<double>(finished_items(record)));
    catch_interrupts("this step or kernel; its part is discarded");
    enter_phase("comparing");
    ProgressLine progress(world.is_root(), "starting");
    const bool whole = validate_numerics(world, plan, static_cast<std::size_t>(finished),
                                         observer_of(plan, progress, record));
    end_health(world);
    const int code =
        world.agree([&] { return world.is_root() ? report(arguments, plan, whole, record) : 0; });
    return static_cast<int>(world.max(code));
}

}  // namespace

std::function<int()> declare_numerics(CLI::App& app) {
    const auto arguments = std::make_shared<Arguments>();
    NumericsOptions& options = arguments->options;
    app.add_option("--policy", options.policies, "all, or any of " + reference::precision_names())
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--model", options.models, "model presets")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--part", options.parts,
                   fmt::format("all, or any of {}", fmt::join(numerics_parts(), ", ")))
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--steps", options.steps, "optimizer steps per trajectory")
        ->capture_default_str();
    app.add_option(
           "--seeds", options.seeds,
           "trainings per policy, for each model; the last number applies to the remaining models")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--gradient-steps", options.gradient_steps,
                   "FP32 steps to the second set of weights at which gradients are compared")
        ->capture_default_str();
    app.add_option("--device", options.device,
                   "cpu: a core of each rank; cuda: a GPU of each, for trajectories alone")
        ->capture_default_str();
    app.add_option("--json", arguments->json, "record as JSON");
    app.add_option("--hdf5", arguments->hdf5, "record as HDF5");
    declare_force(app);
    declare_resume(app, arguments->resume);
    return [arguments] {
        return run_recorded([&](Communicator& world) { return run(world, *arguments); });
    };
}

}  // namespace shardstone::command
