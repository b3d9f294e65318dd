// SPDX-License-Identifier: BSD-3-Clause
// `shardstone validate equivalence`: every layout that fits the job against one rank, on cores or
// GPUs.
#include "jobs/command/validate_equivalence.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "benchmarks/training/run/device_options.hpp"
#include "benchmarks/training/run/record.hpp"
#include "collectives/cluster/communicator.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/device_option.hpp"
#include "jobs/command/equivalence_screen.hpp"
#include "jobs/command/health.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/resume.hpp"
#include "jobs/command/run_journal.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/stopped.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/interrupt.hpp"
#include "results/journal/resume.hpp"
#include "results/record/incomplete.hpp"
#include "results/schema/validation.hpp"
#include "validation/equivalence/matrix.hpp"

namespace shardstone::command {

namespace {

using collectives::Communicator;
using reference::DeviceKind;
using namespace validation;

struct EquivalenceArguments {
    std::int64_t steps = 10;
    std::string only;  ///< part of a layout's name
    std::vector<std::string> optimizers{"adamw", "sgd"};
    std::string precision = "fp32";
    std::string device = "cpu";
    bool quick = false;
    std::filesystem::path json, hdf5;
    std::string resume;  ///< journal or record of the matrix that this one goes on from
};

/// The layouts asked for that the job has ranks for, and its devices can train.
std::vector<Layout> layouts_in_force(const EquivalenceArguments& arguments, DeviceKind device,
                                     int available) {
    std::vector<Layout> chosen;
    for (const Layout& layout : equivalence_layouts()) {
        const bool named = layout.name().find(arguments.only) != std::string::npos;
        const bool possible = device == DeviceKind::cpu || layout.works_between_gpus();
        const bool fits = layout.parsed_plan().ranks() <= available;
        if (named && possible && fits) chosen.push_back(layout);
    }
    require(!chosen.empty(), [&] {
        return fmt::format("--only '{}': no layout for up to {} {} has a name that contains this",
                           arguments.only, available, device == DeviceKind::cpu ? "ranks" : "GPUs");
    });
    return chosen;
}

std::vector<Arithmetic> arithmetics_in_force(const EquivalenceArguments& arguments,
                                             DeviceKind device) {
    std::vector<OptimizerKind> kinds;
    for (const std::string& name : arguments.optimizers) kinds.push_back(parse_optimizer(name));
    const bool on_gpus = device == DeviceKind::cuda;
    require(!reference::find_precision(arguments.precision).fp64, [&] {
        return on_gpus ? "--precision fp64 with --device cuda: the kernels for GPUs compute in "
                         "FP32; choose fp32 or a narrower precision"
                       : "--precision fp64: the layouts are compared in FP64 as well as in FP32 "
                         "anyway; omit it";
    });
    auto arithmetics = all_arithmetics(kinds, arguments.precision);
    if (on_gpus) std::erase_if(arithmetics, [](const Arithmetic& one) { return one.fp64; });
    if (arguments.quick) arithmetics.resize(1);
    return arithmetics;
}

/// What is to be compared, where, the same on all ranks.
struct EquivalencePlan {
    DeviceKind device = DeviceKind::cpu;
    std::vector<Layout> layouts;
    std::vector<Arithmetic> arithmetics;
};

EquivalencePlan plan_of(const EquivalenceArguments& arguments, const Communicator& world) {
    require(arguments.steps > 0,
            [&] { return fmt::format("--steps {} must be positive", arguments.steps); });
    const DeviceKind device = reference::parse_device(arguments.device);
    EquivalencePlan plan{device, layouts_in_force(arguments, device, world.size()),
                         arithmetics_in_force(arguments, device)};
    if (device == DeviceKind::cuda) require_gpu();
    return plan;
}

std::string progress_of(const results::Record& record, const EquivalencePlan& plan) {
    const auto verdicts = results::rows_of<results::LayoutRow>(record).size();
    return fmt::format("{} of {} layouts were judged", verdicts / plan.arithmetics.size(),
                       plan.layouts.size());
}

/// The record as far as it goes before the first verdict; its journal is begun. For rank 0.
results::Record begin(const EquivalenceArguments& arguments, const EquivalencePlan& plan,
                      const Communicator& world) {
    auto record = new_run_record("equivalence", "Equal training in every layout", world);
    auto training = equivalence_training(arguments.steps);
    training.device = plan.device;
    training.graphs = plan.device == DeviceKind::cuda;
    record.configuration = benchmarks::to_json(training);
    benchmarks::add_gpu_name(training.device, record.configuration);
    record.configuration["only"] = arguments.only;
    for (const Arithmetic& arithmetic : plan.arithmetics) {
        record.configuration["arithmetics"].push_back(arithmetic.name());
    }
    record.derived = {table_of({})};
    if (!arguments.resume.empty()) {
        continue_record(record, earlier_run(arguments.resume, record.kind).record,
                        arguments.resume);
        fmt::print("continues from {}: {}\n", arguments.resume, progress_of(record, plan));
    }
    begin_journal(record, progress_of(record, plan), arguments.json, arguments.hdf5);
    return record;
}

/// Names of the layouts that rank 0's record holds, on all ranks. A layout enters it with all of
/// its arithmetics at once.
std::set<std::string> layouts_in(const results::Record& record, const Communicator& world) {
    nlohmann::json names = nlohmann::json::array();
    for (const auto& row : results::rows_of<results::LayoutRow>(record))
        names.push_back(row.layout);
    return nlohmann::json::parse(world.broadcast(names.dump())).get<std::set<std::string>>();
}

void keep(const std::vector<LayoutVerdict>& of_layout, const std::string& done,
          results::Record& record) {
    results::Record part;
    part.derived = {table_of(of_layout)};
    part.verification = checks_of(of_layout);
    add_part(record, part);
    add_to_journal(part, done);
}

/// One layout in every arithmetic, on rank 0; nothing, on all ranks, where a signal came before it
/// was judged in the last of them.
std::optional<std::vector<LayoutVerdict>> judge_layout(
    const Communicator& world, const Layout& layout, const std::vector<Arithmetic>& arithmetics,
    EquivalenceMatrix& matrix, const std::function<void(const std::string&)>& say) {
    std::vector<LayoutVerdict> of_layout;
    for (const Arithmetic& arithmetic : arithmetics) {
        say(fmt::format("{} in {}", layout.name(), arithmetic.name()));
        of_layout.push_back(matrix.judge(layout, arithmetic));
        if (any_interrupted(world)) return std::nullopt;
    }
    return of_layout;
}

/// Judges the layouts that the record does not hold yet; true when a signal ended it before the
/// last, which the record then says.
bool judge_all(Communicator& world, const EquivalenceArguments& arguments,
               const EquivalencePlan& plan, results::Record& record) {
    const std::set<std::string> finished = layouts_in(record, world);
    const auto& layouts = plan.layouts;
    EquivalenceMatrix matrix(world, arguments.steps, plan.device);
    ProgressLine progress(world.is_root(), "starting");
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        if (finished.contains(layouts[i].name())) {
            if (world.is_root()) {
                print_earlier_layout(layouts[i].name(), record, i + 1, layouts.size());
            }
            continue;
        }
        enter_phase("layout", static_cast<std::int64_t>(i) + 1);
        const auto of_layout =
            judge_layout(world, layouts[i], plan.arithmetics, matrix, [&](const std::string& what) {
                progress.say(fmt::format("layout {} of {}: {}", i + 1, layouts.size(), what));
            });
        if (!of_layout) {
            record.verification.push_back(results::incomplete_check(progress_of(record, plan)));
            return true;
        }
        if (!world.is_root()) continue;
        print_layout(*of_layout, i + 1, layouts.size());
        keep(*of_layout, fmt::format("{} of {} layouts were judged", i + 1, layouts.size()),
             record);
    }
    return false;
}

int report(const EquivalenceArguments& arguments, const results::Record& record, bool stopped,
           const std::string& done) {
    if (stopped && results::rows_of<results::LayoutRow>(record).empty()) {
        return end_without_record("judged");
    }
    write_record(record, arguments.json, arguments.hdf5);
    if (stopped) {
        say_failure(("stopped by SIGINT or SIGTERM: " + done).c_str(), false);
        return number_of(ExitCode::interrupted);
    }
    fmt::print("\n{}\n", record.verified() ? "every layout trains the same model as one rank"
                                           : "FAILED: not all layouts train the same model");
    return record.verified() ? 0 : 1;
}

int run_equivalence(Communicator& world, const EquivalenceArguments& arguments) {
    const EquivalencePlan plan = world.agree([&] {
        if (world.is_root()) {
            require_outputs_writable({arguments.json, arguments.hdf5}, {}, arguments.resume);
            require_output_for_resumed(arguments.resume, arguments.json, arguments.hdf5);
        }
        return plan_of(arguments, world);
    });
    if (plan.device == DeviceKind::cuda) require_messages_between_gpus(world);
    auto record = world.agree(
        [&] { return world.is_root() ? begin(arguments, plan, world) : results::Record{}; });
    if (plan.device == DeviceKind::cuda) tell_gpus(world);
    if (world.is_root()) print_equivalence_head(arguments.steps, plan.arithmetics, plan.device);
    catch_interrupts("this training of the layout, which is discarded");
    const bool stopped = judge_all(world, arguments, plan, record);
    const std::string done = progress_of(record, plan);
    end_health(world);
    const int code =
        world.agree([&] { return world.is_root() ? report(arguments, record, stopped, done) : 0; });
    return static_cast<int>(world.max(code));
}

}  // namespace

const char* const equivalence_details =
    R"(Trains one small model in every layout of the matrix that fits the job's ranks (data, tensor,
sequence and pipeline parallelism, ZeRO, recomputation, pairs and triples of them; unequal lengths,
frozen tensors) and compares losses, gradients, norm, weights and moments of every step with a plain
loop on one rank: bitwise where no sum is split, otherwise within a derived bound. A difference is
reported by its first step and tensor. Positions whose experts are nearly tied may go to other ones
where sums round otherwise: such choices are found, told, and made likewise on one rank before the
rest is judged.
With --device cuda each rank trains on a GPU, by CUDA graphs but for experts, in FP32 or --precision:
bitwise as one GPU does where no sum is split, and all layouts within the bound of the plain loop on
a core. Layouts with MPI's own all-reduce, which would read a GPU's memory from its host, are left out.
  mpiexec -n 8 shardstone validate equivalence
  mpiexec -n 8 shardstone validate equivalence --only tp=2 --steps 3 --quick
  mpiexec -n 8 shardstone validate equivalence --optimizer lamb,lars --only zero
  mpiexec -n 8 shardstone validate equivalence --device cuda --precision bf16 --json gpu.json
  mpiexec -n 8 shardstone validate equivalence --json e.json --resume e.json.journal
Exit codes: 0 all are equal; 1 one differs; 2 refused input; 130 stopped by SIGINT or SIGTERM, with
an incomplete record, which --resume also accepts; the layout in progress is judged anew, and before
the first there is no record.
)";

std::function<int()> declare_equivalence(CLI::App& app) {
    const auto arguments = std::make_shared<EquivalenceArguments>();
    app.add_option("--steps", arguments->steps, "optimizer steps")->capture_default_str();
    app.add_option("--only", arguments->only,
                   "only layouts whose names contain this, e.g. tp=2 or zb-h1");
    app.add_option("--optimizer", arguments->optimizers, optimizer_names())
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--precision", arguments->precision,
                   reference::precision_names() +
                       "; with loss scaling, the last rank overflows in the second step")
        ->capture_default_str();
    app.add_option("--device", arguments->device, "cpu: a core of each rank; cuda: a GPU of each")
        ->capture_default_str();
    app.add_flag("--quick", arguments->quick, "FP32 with the first optimizer only");
    app.add_option("--json", arguments->json, "record as JSON");
    app.add_option("--hdf5", arguments->hdf5, "record as HDF5");
    declare_force(app);
    declare_resume(app, arguments->resume);
    return [arguments] {
        return run_recorded(
            [&](Communicator& world) { return run_equivalence(world, *arguments); });
    };
}

}  // namespace shardstone::command
