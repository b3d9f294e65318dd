// SPDX-License-Identifier: BSD-3-Clause
#include "validation/equivalence/layouts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "reference/data/hash.hpp"
#include "reference/data/markov.hpp"

namespace shardstone::validation {

namespace {

using namespace reference;

constexpr std::int64_t global_batch = 24;

/// Everything of a trail in one word, to compare replicas.
std::string fingerprint(const Trail& trail) {
    std::string all = to_hex(trail.losses_hash()) + to_hex(trail.gradients_hash());
    for (const auto& step : trail.steps) {
        all += to_hex(hash_of_bytes(std::as_bytes(std::span(step.parameters))));
    }
    return all;
}

LayoutResult run_layout(collectives::Communicator& group, const Layout& layout,
                        TrainOptions options, const ProgramSource& source) {
    options.plan.data = layout.ranks;
    options.communication.all_reduce = layout.all_reduce;
    const Dataset text = equivalence_text();
    LayoutResult result{layout, follow_training(group, options, text, source), false, {}};
    const auto all = group.gather(fingerprint(result.trail));
    result.replicas_equal =
        std::ranges::all_of(all, [&](const std::string& one) { return one == all.front(); });
    return result;
}

}  // namespace

TrainOptions equivalence_training(const GptConfig& model, std::int64_t steps) {
    TrainOptions options;
    options.model = model;
    options.steps = steps;
    options.reproducible = true;
    options.batch = {global_batch, 1, std::min<std::int64_t>(48, model.context)};
    options.optimizer.warmup_steps = 1;
    // Small enough that even the nano model's gradients travel in several buckets.
    options.communication.bucket_bytes = model.parameter_count();
    return options;
}

Dataset equivalence_text() {
    constexpr int symbols = 64;
    constexpr std::size_t tokens = 20000;
    const MarkovLanguage language(1, symbols, 1);
    std::vector<Token> text(tokens);
    language.generate(RandomStream(1, "equivalence"), 0, 0, text);
    return Dataset::from_tokens("synthetic", symbols, std::move(text), {});
}

std::vector<Layout> make_layouts(const std::vector<int>& ranks,
                                 const std::vector<std::string>& algorithms, int available,
                                 TrainOptions options) {
    const Dataset text = equivalence_text();
    std::vector<Layout> layouts;
    for (const auto& algorithm : algorithms) {
        options.communication.all_reduce = algorithm;
        for (const int count : ranks) {
            require(count >= 1 && count <= available, [&] {
                return fmt::format(
                    "--ranks {}: the job has {} ranks; start it with as many as the "
                    "largest count",
                    count, available);
            });
            options.plan.data = count;
            validate(options, count, text);
            layouts.push_back({count, algorithm});
        }
    }
    return layouts;
}

std::vector<LayoutResult> compare_layouts(collectives::Communicator& world,
                                          const std::vector<Layout>& layouts,
                                          const TrainOptions& options,
                                          const ProgramSource& source) {
    std::vector<LayoutResult> results;
    for (const Layout& layout : layouts) {
        const bool takes_part = world.rank() < layout.ranks;
        auto group = world.split(takes_part ? 0 : 1);
        if (takes_part) {
            LayoutResult result = run_layout(group, layout, options, source);
            if (world.is_root()) results.push_back(std::move(result));
        }
        world.barrier();  // yields, unlike the next split: the idle leave the cores to the others
    }
    for (auto& result : results) {
        result.difference = first_difference(results.front().trail, result.trail);
    }
    return results;
}

std::vector<results::Check> checks_of(const std::vector<LayoutResult>& results) {
    std::vector<results::Check> checks;
    const Layout& first = results.front().layout;
    for (const auto& result : results) {
        std::string detail = result.difference ? result.difference->text() : "bitwise equal";
        if (!result.replicas_equal) detail += "; its replicas differ";
        checks.push_back({fmt::format("{} rank(s), {}: losses, gradients and parameters as on {} "
                                      "rank(s), {}",
                                      result.layout.ranks, result.layout.all_reduce, first.ranks,
                                      first.all_reduce),
                          !result.difference && result.replicas_equal, std::move(detail)});
    }
    return checks;
}

results::Table table_of(const std::vector<LayoutResult>& results) {
    results::Table table{"layouts",
                         {{"ranks", {}, {}},
                          {"all_reduce", {}, {}},
                          {"losses_xxh3", {}, {}},
                          {"gradients_xxh3", {}, {}},
                          {"parameters_xxh3", {}, {}},
                          {"equal", {}, {}}}};
    auto& columns = table.columns;
    for (const auto& result : results) {
        columns[0].numbers.push_back(result.layout.ranks);
        columns[1].texts.push_back(result.layout.all_reduce);
        columns[2].texts.push_back(to_hex(result.trail.losses_hash()));
        columns[3].texts.push_back(to_hex(result.trail.gradients_hash()));
        columns[4].texts.push_back(to_hex(result.trail.parameters_hash()));
        columns[5].numbers.push_back(!result.difference && result.replicas_equal ? 1.0 : 0.0);
    }
    return table;
}

}  // namespace shardstone::validation
