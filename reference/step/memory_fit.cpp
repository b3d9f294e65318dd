// SPDX-License-Identifier: BSD-3-Clause
// Refuses a plan that needs more memory than there is, and searches for the nearest one that fits.
#include "reference/step/memory_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "reference/step/mesh.hpp"

namespace shardstone::reference {

namespace {

constexpr std::array recomputations{Recompute::none, Recompute::selective, Recompute::full};

bool is_valid(const StepSpec& spec) {
    try {
        validate(spec);
        return true;
    } catch (const Error&) {
        return false;
    }
}

/// All with the same number of ranks, valid or not.
std::vector<StepSpec> alternatives(const StepSpec& spec) {
    std::vector<StepSpec> found;
    for (const ParallelPlan& plan : plans_of(spec.plan.ranks())) {
        for (const Recompute recompute : recomputations) {
            StepSpec other = spec;
            other.plan = plan;
            other.recompute = recompute;
            if (plan.pipeline != spec.plan.pipeline) other.pipeline.layers.clear();
            found.push_back(other);
        }
    }
    return found;
}

/// Ascending: the nearer.
using Distance = std::tuple<int, double, int, std::int64_t>;

Distance distance(const StepSpec& from, const StepSpec& to, std::int64_t bytes) {
    const int recomputation =
        std::abs(static_cast<int>(from.recompute) - static_cast<int>(to.recompute));
    std::vector<double> steps = differences(from.plan, to.plan);
    steps.push_back(recomputation);
    int changes = 0;
    double sum = 0.0;
    for (const double step : steps) {
        changes += step > 0.0 ? 1 : 0;
        sum += step;
    }
    return {changes, sum, recomputation, bytes};
}

/// With its micro-batch, since the one that a plan gets by itself is another with every plan.
std::string name_of(const StepSpec& spec) {
    const std::string recompute =
        spec.recompute == Recompute::none ? "" : " --recompute " + to_string(spec.recompute);
    return fmt::format("--plan {}{} --micro-batch {}", to_string(spec.plan), recompute,
                       spec.batch.micro_batch);
}

/// What to do about a spec that needs more: the nearest plan, and a smaller micro-batch.
std::string advice(const StepSpec& spec, const MemoryOptions& options, std::int64_t limit_bytes) {
    const int ranks = spec.plan.ranks();
    const auto needs = [&](const StepSpec& fit) {
        return format_size(largest_rank(fit, options).bytes());
    };
    std::string words;
    if (const auto fit = nearest_fit(spec, options, limit_bytes)) {
        words = fmt::format("use {}, the nearest for {} that fits, with {}", name_of(*fit),
                            counted(ranks, "rank"), needs(*fit));
    }
    if (const auto fit = smaller_micro_batch(spec, options, limit_bytes)) {
        words += fmt::format("{} --micro-batch {} with {}", words.empty() ? "use" : ", or",
                             fit->batch.micro_batch, needs(*fit));
    }
    if (!words.empty()) return words;
    return fmt::format(
        "no plan for {} fits: use more ranks, a smaller model or a smaller micro-batch",
        counted(ranks, "rank"));
}

/// "activations 3.1 GiB, optimizer 0.9 GiB, weights 0.5 GiB"
std::string largest_in_words(std::vector<PredictedClass> classes) {
    constexpr std::size_t most_named = 3;
    std::ranges::stable_sort(classes, std::ranges::greater{}, &PredictedClass::bytes);
    classes.resize(std::min(classes.size(), most_named));
    std::string words;
    for (const auto& [name, bytes] : classes) {
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name, format_size(bytes));
    }
    return words;
}

}  // namespace

LargestRank largest_rank(const StepSpec& spec, const MemoryOptions& options) {
    LargestRank largest;
    for (int stage = 0; stage < spec.plan.pipeline; ++stage) {
        const int rank = rank_at(spec.plan, {.pipeline = stage});
        LargestRank one{rank, predicted_memory(spec, rank, options)};
        if (one.bytes() > largest.bytes()) largest = std::move(one);
    }
    return largest;
}

std::optional<StepSpec> nearest_fit(const StepSpec& spec, const MemoryOptions& options,
                                    std::int64_t limit_bytes) {
    std::optional<StepSpec> nearest;
    Distance least;
    for (const StepSpec& other : alternatives(spec)) {
        if (!is_valid(other)) continue;
        const std::int64_t bytes = largest_rank(other, options).bytes();
        if (bytes > limit_bytes) continue;
        const Distance away = distance(spec, other, bytes);
        if (nearest && away >= least) continue;
        nearest = other;
        least = away;
    }
    return nearest;
}

std::optional<StepSpec> smaller_micro_batch(const StepSpec& spec, const MemoryOptions& options,
                                            std::int64_t limit_bytes) {
    const std::int64_t share = spec.batch.global_batch / batch_shares(spec.plan);
    StepSpec other = spec;
    for (std::int64_t size = spec.batch.micro_batch - 1; size > 0; --size) {
        other.batch.micro_batch = size;
        if (share % size != 0 || !is_valid(other)) continue;
        if (largest_rank(other, options).bytes() <= limit_bytes) return other;
    }
    return std::nullopt;
}

void require_fits_node(const StepSpec& spec, const MemoryOptions& options,
                       std::span<const int> ranks, const AvailableMemory& available) {
    const auto room = available.for_each_of(static_cast<int>(ranks.size()));
    if (!room) return;
    std::int64_t together = 0;
    for (const int rank : ranks) {
        const std::int64_t needed = total_bytes(predicted_memory(spec, rank, options));
        together += needed + memory_besides_tensors_bytes;
        if (!available.of_process) continue;
        require(needed <= available.of_process->bytes, [&] {
            return fmt::format(
                "{} needs {} on rank {}, and a process of this node may use {} more ({}): {}; or "
                "raise that limit",
                name_of(spec), format_size(needed), rank, format_size(available.of_process->bytes),
                available.of_process->name, advice(spec, options, room->bytes));
        });
    }
    if (!available.of_node) return;
    require(together <= available.of_node->bytes, [&] {
        return fmt::format(
            "{} needs {} for the {} of this node ({} of each besides tensors), which has "
            "{} available ({}): {}; or set --memory-limit to what a rank's tensors may use",
            name_of(spec), format_size(together), counted(std::ssize(ranks), "rank"),
            format_size(memory_besides_tensors_bytes), format_size(available.of_node->bytes),
            available.of_node->name,
            advice(spec, options, room->bytes - memory_besides_tensors_bytes));
    });
}

void require_fits_gpu(const StepSpec& spec, const MemoryOptions& options, int rank,
                      const GpuRoom& room) {
    const auto classes = predicted_memory(spec, rank, options);
    const std::int64_t needed = total_bytes(classes);
    require(needed <= room.free_bytes, [&] {
        return fmt::format(
            "{} needs {} on rank {} ({}) besides what libraries take, and its GPU ({}) has {} of "
            "its {} free: {}",
            name_of(spec), format_size(needed), rank, largest_in_words(classes), room.gpu,
            format_size(room.free_bytes), format_size(room.total_bytes),
            advice(spec, options, room.free_bytes));
    });
}

void require_fits_memory(const StepSpec& spec, const MemoryOptions& options,
                         std::int64_t limit_bytes) {
    const LargestRank largest = largest_rank(spec, options);
    require(largest.bytes() <= limit_bytes, [&] {
        const auto most = std::ranges::max_element(largest.classes, {}, &PredictedClass::bytes);
        return fmt::format(
            "{} needs {} on rank {} ({}: {}), which exceeds the limit of {} per rank: {}",
            name_of(spec), format_size(largest.bytes()), largest.rank, most->name,
            format_size(most->bytes), format_size(limit_bytes), advice(spec, options, limit_bytes));
    });
}

}  // namespace shardstone::reference
