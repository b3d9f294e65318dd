// SPDX-License-Identifier: BSD-3-Clause
// `shardstone data order`: which sequences a training takes, step by step.
#include "jobs/command/data_order.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "kernels/base/error.hpp"
#include "reference/data/dataset.hpp"
#include "reference/data/manifest.hpp"
#include "reference/data/sampler.hpp"

namespace shardstone::command {

namespace {

using namespace reference;

void validate_order(const OrderOptions& options) {
    require(options.sequence > 0 && options.first_step > 0 && options.steps > 0, [&] {
        return fmt::format("--sequence {}, --step {} and --steps {} must be positive",
                           options.sequence, options.first_step, options.steps);
    });
    require(options.global_batch > 0 && options.global_batch <= most_global_batch, [&] {
        return fmt::format("--global-batch {}: give 1 to {}", options.global_batch,
                           most_global_batch);
    });
    require(options.shortest >= 0 && options.shortest <= options.sequence, [&] {
        return fmt::format("--shortest {} must lie between 0 and the sequence of {}",
                           options.shortest, options.sequence);
    });
}

void print_sequence(const Sampler& sampler, const OrderOptions& options, std::int64_t step,
                    std::int64_t sample, const std::vector<ShardInfo>& shards) {
    const Sampler::Start place = sampler.place(step - 1, sample);
    fmt::print("{:>6} {:>8}  {:<20} {:>12} {:>8}", step, sample, shards[place.piece].file,
               place.first, sampler.length(step - 1, sample));
    if (options.tokens) {
        std::vector<Token> inputs(static_cast<std::size_t>(options.sequence));
        std::vector<std::int32_t> targets(inputs.size());
        sampler.fill(step - 1, sample, inputs, targets);
        fmt::print("  {} | {}", fmt::join(inputs, " "), fmt::join(targets, " "));
    }
    fmt::print("\n");
}

}  // namespace

void declare_order(CLI::App& app, OrderOptions& options) {
    app.add_option("--sequence", options.sequence, "tokens per sequence, as for train")
        ->capture_default_str();
    app.add_option("--shortest", options.shortest, "shortest sequence, as for train")
        ->capture_default_str();
    app.add_option("--seed", options.seed, "seed, as for train")->capture_default_str();
    app.add_option("--global-batch", options.global_batch, "sequences per step, as for train")
        ->capture_default_str();
    app.add_option("--step", options.first_step, "first step, counted from 1")
        ->capture_default_str();
    app.add_option("--steps", options.steps, "number of steps")->capture_default_str();
    app.add_flag("--tokens", options.tokens,
                 "also print the tokens and, after a bar, the target of each (-1: none)");
}

void print_order(const OrderOptions& options, const std::filesystem::path& folder) {
    validate_order(options);
    const Manifest manifest = read_manifest(folder);
    const Dataset dataset = Dataset::open(folder);
    const Sampler sampler(dataset.train(), options.sequence, options.seed, options.shortest);
    fmt::print("{:>6} {:>8}  {:<20} {:>12} {:>8}{}\n", "step", "sequence", "shard", "first token",
               "targets", options.tokens ? "  tokens | targets" : "");
    for (std::int64_t step = options.first_step; step < options.first_step + options.steps;
         ++step) {
        for (std::int64_t sample = 0; sample < options.global_batch; ++sample) {
            print_sequence(sampler, options, step, sample, manifest.train);
        }
    }
}

}  // namespace shardstone::command
