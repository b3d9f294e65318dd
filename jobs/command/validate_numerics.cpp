// SPDX-License-Identifier: BSD-3-Clause
// `shardstone validate numerics`: does a precision policy compute, and train, as FP32 does?
#include "jobs/command/validate_numerics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "collectives/cluster/session.hpp"
#include "jobs/command/health.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/run_record.hpp"
#include "kernels/base/failure_log.hpp"
#include "reference/precision/precision.hpp"
#include "validation/numerics/numerics.hpp"
#include "validation/numerics/record.hpp"

namespace shardstone::command {

const char* const numerics_details =
    "numerics holds every precision policy against FP32 and FP64: each kernel against its derived\n"
    "bound, each tensor's gradient against a bound measured at the same weights, the held-out "
    "loss\n"
    "after some hundred steps against FP32's from the same weights and data, sums over ranks "
    "against\n"
    "exact ones, and the loss against the optimum of a language of known entropy. The criteria "
    "were\n"
    "fixed beforehand and stand in validation/numerics/*.hpp; the verdict is pass, fail or "
    "undecided\n"
    "(with the seeds still needed). More ranks share the trainings. The exit code is 1 if a "
    "policy\n"
    "fails.\n"
    "  mpiexec -n 2 shardstone validate numerics --policy all\n"
    "  shardstone validate numerics --policy bf16,fp16 --model nano --json numerics.json\n";

namespace {

using collectives::Communicator;
using namespace validation;

struct Arguments {
    NumericsOptions options;
    std::filesystem::path json, hdf5;
};

std::string number(double value) {
    return std::isfinite(value) ? fmt::format("{:.3g}", value) : std::string();
}

void print_findings(const std::vector<Finding>& findings) {
    std::string part;
    for (const Finding& f : findings) {
        if (f.part != part) {
            part = f.part;
            fmt::print("\n{}: {}\n", part, f.quantity);
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
}

int report(const Arguments& arguments, const NumericsPlan& plan, const NumericsResult& result,
           const Communicator& world) {
    print_findings(result.findings);
    auto record = new_run_record("numerics", "Numerical validation of precision policies", world);
    fill_record(record, plan, result);
    write_record(record, arguments.json, arguments.hdf5);
    const auto count = [&](Verdict verdict) {
        return std::ranges::count(result.findings, verdict, &Finding::verdict);
    };
    fmt::print("\n{} pass, {} fail, {} undecided\n", count(Verdict::pass), count(Verdict::fail),
               count(Verdict::undecided));
    return count(Verdict::fail) > 0 ? 1 : 0;
}

int run(Communicator& world, const Arguments& arguments) {
    const auto plan = world.agree([&] {
        if (world.is_root()) require_outputs_writable({arguments.json, arguments.hdf5});
        return plan_numerics(arguments.options);
    });
    enter_phase("comparing");
    ProgressLine progress(true);
    const auto result =
        validate_numerics(world, plan, [&](const std::string& what) { progress.say(what); });
    end_health(world);
    const int code =
        world.agree([&] { return world.is_root() ? report(arguments, plan, result, world) : 0; });
    return static_cast<int>(world.max(code));
}

}  // namespace

std::function<int()> declare_numerics(CLI::App& app) {
    const auto arguments = std::make_shared<Arguments>();
    NumericsOptions& options = arguments->options;
    app.add_option("--policy", options.policies, "all, or of " + reference::precision_names())
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--model", options.models, "presets of a model")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--part", options.parts,
                   fmt::format("all, or of {}", fmt::join(numerics_parts(), ", ")))
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--steps", options.steps, "optimizer steps of a trajectory")
        ->capture_default_str();
    app.add_option("--seeds", options.seeds,
                   "trainings of each policy, for each model; the last number serves the rest")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--gradient-steps", options.gradient_steps,
                   "FP32 steps to the second weights at which gradients are compared")
        ->capture_default_str();
    app.add_option("--json", arguments->json, "record as JSON");
    app.add_option("--hdf5", arguments->hdf5, "record as HDF5");
    declare_force(app);
    return [arguments] {
        return run_recorded([&](Communicator& world) { return run(world, *arguments); });
    };
}

}  // namespace shardstone::command
