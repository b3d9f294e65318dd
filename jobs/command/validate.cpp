// SPDX-License-Identifier: BSD-3-Clause
// `shardstone validate`: proofs that a machine and its build train what they should.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "collectives/cluster/session.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/run_record.hpp"
#include "reference/data/hash.hpp"
#include "reference/trainer/record.hpp"
#include "validation/equivalence/layouts.hpp"

namespace shardstone::command {

namespace {

using collectives::Communicator;
using namespace validation;

struct EquivalenceArguments {
    std::vector<int> ranks;  ///< empty: those of 1, 2, 3, 4, 8 that the job has
    std::vector<std::string> algorithms{"ring", "recursive_doubling"};
    std::string model = "tiny";
    std::int64_t steps = 5;
    std::filesystem::path json, hdf5;
};

std::vector<int> ranks_in_force(const EquivalenceArguments& arguments, int available) {
    if (!arguments.ranks.empty()) return arguments.ranks;
    std::vector<int> ranks;
    for (const int count : {1, 2, 3, 4, 8}) {
        if (count <= available) ranks.push_back(count);
    }
    return ranks;
}

void print_row(const LayoutResult& result) {
    const bool equal = !result.difference && result.replicas_equal;
    fmt::print("{:>5}  {:<20} {:>16}  {:>16}  {:>16}  {}\n", result.layout.ranks,
               result.layout.all_reduce, reference::to_hex(result.trail.losses_hash()),
               reference::to_hex(result.trail.gradients_hash()),
               reference::to_hex(result.trail.parameters_hash()), equal ? "equal" : "DIFFERENT");
    if (result.difference) fmt::print("       {}\n", result.difference->text());
    if (!result.replicas_equal) fmt::print("       its replicas differ from each other\n");
}

int report(const EquivalenceArguments& arguments, const std::vector<LayoutResult>& results,
           const reference::TrainOptions& options, const Communicator& world) {
    fmt::print("model {}, {} sequences of {} tokens per step, {} steps, reproducible mode\n",
               options.model.name, options.batch.global_batch, options.batch.sequence,
               options.steps);
    fmt::print("XXH3 over all steps of the losses and gradients, and of the final parameters\n\n");
    fmt::print("{:>5}  {:<20} {:<16}  {:<16}  {:<16}\n", "ranks", "all-reduce", "losses",
               "gradients", "parameters");
    for (const auto& result : results) print_row(result);
    auto record = new_run_record("equivalence", "Equal training on any number of ranks", world);
    record.configuration = reference::to_json(options);
    record.derived = {table_of(results)};
    record.verification = checks_of(results);
    write_record(record, arguments.json, arguments.hdf5);
    fmt::print("\n{}\n", record.verified() ? "every layout trains the same model, bit by bit"
                                           : "FAILED: the layouts do not train the same model");
    return record.verified() ? 0 : 1;
}

int run_equivalence(Communicator& world, const EquivalenceArguments& arguments) {
    reference::TrainOptions options;
    const auto layouts = world.agree([&] {
        if (world.is_root()) require_outputs_writable({arguments.json, arguments.hdf5});
        options = equivalence_training(reference::gpt_preset(arguments.model), arguments.steps);
        return make_layouts(ranks_in_force(arguments, world.size()), arguments.algorithms,
                            world.size(), options);
    });
    const auto results = compare_layouts(world, layouts, options);
    const int code = world.agree(
        [&] { return world.is_root() ? report(arguments, results, options, world) : 0; });
    return static_cast<int>(world.max(code));
}

void declare_equivalence(CLI::App& app, EquivalenceArguments& arguments) {
    app.add_option("--ranks", arguments.ranks,
                   "rank counts to compare, the first is the measure (default: 1,2,3,4,8 as far "
                   "as the job has ranks)")
        ->delimiter(',');
    app.add_option("--all-reduce", arguments.algorithms, "algorithms, each on all rank counts")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--model", arguments.model, "preset to train")->capture_default_str();
    app.add_option("--steps", arguments.steps, "optimizer steps")->capture_default_str();
    app.add_option("--json", arguments.json, "record as JSON");
    app.add_option("--hdf5", arguments.hdf5, "record as HDF5");
}

std::function<int()> declare(CLI::App& app) {
    app.require_subcommand(1);
    const auto arguments = std::make_shared<EquivalenceArguments>();
    declare_equivalence(
        *app.add_subcommand("equivalence", "the same training on several numbers of ranks"),
        *arguments);
    return [arguments] {
        return collectives::run_session(
            [&](Communicator& world) { return run_equivalence(world, *arguments); });
    };
}

const Registration registration{
    {"validate", "prove that training gives what it should",
     "equivalence trains one model on several numbers of ranks and with several all-reduces, each\n"
     "on the first ranks of the job, and compares losses, gradients and parameters bit by bit. A\n"
     "difference is named by its first step and tensor, and the exit code is 1.\n"
     "  mpiexec -n 8 shardstone validate equivalence\n"
     "  mpiexec -n 4 shardstone validate equivalence --ranks 1,4 --all-reduce rabenseifner,mpi",
     declare}};

}  // namespace

}  // namespace shardstone::command
