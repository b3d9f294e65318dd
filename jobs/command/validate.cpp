// SPDX-License-Identifier: BSD-3-Clause
// `shardstone validate`: proofs that a machine is sound, and that its build trains what it should.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "benchmarks/training/run/record.hpp"
#include "collectives/cluster/communicator.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/equivalence_screen.hpp"
#include "jobs/command/health.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/resume.hpp"
#include "jobs/command/run_journal.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/self_test_command.hpp"
#include "jobs/command/stopped.hpp"
#include "jobs/command/validate_interconnect.hpp"
#include "jobs/command/validate_numerics.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/interrupt.hpp"
#include "results/journal/resume.hpp"
#include "results/record/incomplete.hpp"
#include "results/schema/validation.hpp"
#include "validation/equivalence/matrix.hpp"

namespace shardstone::command::validate_command {

namespace {

using collectives::Communicator;
using namespace validation;

struct EquivalenceArguments {
    std::int64_t steps = 10;
    std::string only;  ///< part of a layout's name
    std::vector<std::string> optimizers{"adamw", "sgd"};
    std::string precision = "fp32";
    bool quick = false;
    std::filesystem::path json, hdf5;
    std::string resume;  ///< journal or record of the matrix that this one goes on from
};

/// The layouts asked for that the job has ranks for.
std::vector<Layout> layouts_in_force(const EquivalenceArguments& arguments, int available) {
    std::vector<Layout> chosen;
    for (const Layout& layout : equivalence_layouts()) {
        const bool named = layout.name().find(arguments.only) != std::string::npos;
        if (named && layout.parsed_plan().ranks() <= available) chosen.push_back(layout);
    }
    require(!chosen.empty(), [&] {
        return fmt::format(
            "--only '{}': no layout for up to {} ranks has a name that contains this",
            arguments.only, available);
    });
    return chosen;
}

std::vector<Arithmetic> arithmetics_in_force(const EquivalenceArguments& arguments) {
    std::vector<OptimizerKind> kinds;
    for (const std::string& name : arguments.optimizers) kinds.push_back(parse_optimizer(name));
    require(
        !reference::find_precision(arguments.precision).fp64,
        "--precision fp64: the layouts are compared in FP64 as well as in FP32 anyway; omit it");
    auto arithmetics = all_arithmetics(kinds, arguments.precision);
    if (arguments.quick) arithmetics.resize(1);
    return arithmetics;
}

std::string progress_of(const results::Record& record, std::size_t arithmetics,
                        std::size_t layouts) {
    const auto verdicts = results::rows_of<results::LayoutRow>(record).size();
    return fmt::format("{} of {} layouts were judged", verdicts / arithmetics, layouts);
}

/// The record as far as it goes before the first verdict; its journal is begun. For rank 0.
results::Record begin(const EquivalenceArguments& arguments, std::size_t layouts,
                      const std::vector<Arithmetic>& arithmetics, const Communicator& world) {
    auto record = new_run_record("equivalence", "Equal training in every layout", world);
    record.configuration = benchmarks::to_json(equivalence_training(arguments.steps));
    record.configuration["only"] = arguments.only;
    for (const Arithmetic& arithmetic : arithmetics) {
        record.configuration["arithmetics"].push_back(arithmetic.name());
    }
    record.derived = {table_of({})};
    if (!arguments.resume.empty()) {
        continue_record(record, earlier_run(arguments.resume, record.kind).record,
                        arguments.resume);
        fmt::print("continues from {}: {}\n", arguments.resume,
                   progress_of(record, arithmetics.size(), layouts));
    }
    begin_journal(record, progress_of(record, arithmetics.size(), layouts), arguments.json,
                  arguments.hdf5);
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
               const std::vector<Layout>& layouts, const std::vector<Arithmetic>& arithmetics,
               results::Record& record) {
    const std::set<std::string> finished = layouts_in(record, world);
    EquivalenceMatrix matrix(world, arguments.steps);
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
            judge_layout(world, layouts[i], arithmetics, matrix, [&](const std::string& what) {
                progress.say(fmt::format("layout {} of {}: {}", i + 1, layouts.size(), what));
            });
        if (!of_layout) {
            record.verification.push_back(
                results::incomplete_check(progress_of(record, arithmetics.size(), layouts.size())));
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
    const auto layouts = world.agree([&] {
        if (world.is_root()) {
            require_outputs_writable({arguments.json, arguments.hdf5}, {}, arguments.resume);
            require_output_for_resumed(arguments.resume, arguments.json, arguments.hdf5);
        }
        require(arguments.steps > 0,
                [&] { return fmt::format("--steps {} must be positive", arguments.steps); });
        return layouts_in_force(arguments, world.size());
    });
    const auto arithmetics = world.agree([&] { return arithmetics_in_force(arguments); });
    auto record = world.agree([&] {
        return world.is_root() ? begin(arguments, layouts.size(), arithmetics, world)
                               : results::Record{};
    });
    if (world.is_root()) print_equivalence_head(arguments.steps, arithmetics);
    catch_interrupts("this training of the layout, which is discarded");
    const bool stopped = judge_all(world, arguments, layouts, arithmetics, record);
    const std::string done = progress_of(record, arithmetics.size(), layouts.size());
    end_health(world);
    const int code =
        world.agree([&] { return world.is_root() ? report(arguments, record, stopped, done) : 0; });
    return static_cast<int>(world.max(code));
}

void declare_equivalence(CLI::App& app, EquivalenceArguments& arguments) {
    app.add_option("--steps", arguments.steps, "optimizer steps")->capture_default_str();
    app.add_option("--only", arguments.only,
                   "only layouts whose names contain this, e.g. tp=2 or zb-h1");
    app.add_option("--optimizer", arguments.optimizers, optimizer_names())
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--precision", arguments.precision,
                   reference::precision_names() +
                       "; with loss scaling, the last rank overflows in the second step")
        ->capture_default_str();
    app.add_flag("--quick", arguments.quick, "FP32 with the first optimizer only");
    app.add_option("--json", arguments.json, "record as JSON");
    app.add_option("--hdf5", arguments.hdf5, "record as HDF5");
    declare_force(app);
    declare_resume(app, arguments.resume);
}

constexpr const char* equivalence_details =
    R"(Trains one small model in every layout of the matrix that fits the job's ranks (data, tensor,
sequence and pipeline parallelism, ZeRO, recomputation, pairs and triples of them; unequal lengths,
frozen tensors) and compares losses, gradients, norm, weights and moments of every step with a plain
loop on one rank: bitwise where no sum is split, otherwise within a derived bound. A difference is
reported by its first step and tensor.
  mpiexec -n 8 shardstone validate equivalence
  mpiexec -n 8 shardstone validate equivalence --only tp=2 --steps 3 --quick
  mpiexec -n 8 shardstone validate equivalence --optimizer lamb,lars --only zero
  mpiexec -n 8 shardstone validate equivalence --json e.json --resume e.json.journal
Exit codes: 0 all are equal; 1 one differs; 2 refused input; 130 stopped by SIGINT or SIGTERM, with
an incomplete record, which --resume also accepts; the layout in progress is judged anew, and before
the first there is no record.
)";

/// With a text of its own, instead of that of all.
CLI::App& add(CLI::App& app, const char* name, const char* summary, const char* details) {
    CLI::App& child = *app.add_subcommand(name, summary);
    child.footer(details);
    return child;
}

std::function<int()> declare(CLI::App& app) {
    app.require_subcommand(1);
    const auto arguments = std::make_shared<EquivalenceArguments>();
    declare_equivalence(add(app, "equivalence", "Check that every layout trains the same model",
                            equivalence_details),
                        *arguments);
    CLI::App& numerics =
        add(app, "numerics", "Check precision policies against FP32 and FP64", numerics_details);
    CLI::App& interconnect =
        add(app, "interconnect", "Check every link and rank of a cluster", interconnect_details);
    CLI::App& self_test =
        add(app, "self-test", "Simulate what the tests of interconnect would have seen",
            self_test_details);
    return [arguments, &numerics, run_numerics = declare_numerics(numerics), &interconnect,
            run_interconnect = declare_interconnect(interconnect), &self_test,
            run_self_test = declare_self_test(self_test)] {
        if (numerics.parsed()) return run_numerics();
        if (interconnect.parsed()) return run_interconnect();
        if (self_test.parsed()) return run_self_test();
        return run_recorded(
            [&](Communicator& world) { return run_equivalence(world, *arguments); });
    };
}

const Registration registration{
    {"validate", "Check links and ranks of a cluster, and that training is correct",
     "Each has a --help of its own, with its exit codes: shardstone validate interconnect --help",
     declare}};

}  // namespace

}  // namespace shardstone::command::validate_command
