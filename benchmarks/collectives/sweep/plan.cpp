// SPDX-License-Identifier: BSD-3-Clause
// Sweep options are checked against operations, topology and memory, and become points to measure.
#include "benchmarks/collectives/sweep/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "benchmarks/collectives/size_range.hpp"
#include "benchmarks/collectives/sweep/selection.hpp"
#include "collectives/device/devices.hpp"
#include "collectives/operation/algorithm.hpp"
#include "kernels/base/statistics.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::benchmarks {

namespace {

/// Samples below which the median has no interval.
std::int64_t fewest_samples() {
    std::vector<double> samples{0.0};
    while (!median_interval(samples)) samples.push_back(0.0);
    return std::ssize(samples);
}

void require_counts(const SweepOptions& options) {
    require(options.iterations >= 0 && options.checks >= 0 && options.warmup >= -1, [&] {
        return fmt::format("-n {} -w {} -c {}: counts cannot be negative", options.iterations,
                           options.warmup, options.checks);
    });
    require(options.iterations == 0 || options.iterations >= fewest_samples(), [&] {
        return fmt::format(
            "-n {}: too few samples for a 95 % interval of the median: give at "
            "least {}, or 0 to let the scatter decide",
            options.iterations, fewest_samples());
    });
    constexpr std::int64_t most_iterations = 100'000'000;  // every one leaves a sample
    require(options.iterations <= most_iterations && options.warmup <= most_iterations &&
                options.checks <= most_iterations,
            [&] {
                return fmt::format("-n {} -w {} -c {}: give {} at most", options.iterations,
                                   options.warmup, options.checks, most_iterations);
            });
    constexpr double most_seconds = 3600.0;
    require(options.seconds_per_point > 0.0 && options.seconds_per_point <= most_seconds, [&] {
        return fmt::format("--seconds {}: give a time above 0, {} at most",
                           options.seconds_per_point, most_seconds);
    });
    require(options.ranks_per_node >= 0, [&] {
        return fmt::format("--ranks-per-node {}: give at least 1, or 0 for the nodes as found",
                           options.ranks_per_node);
    });
}

Rotation parse_rotation(const std::string& word) {
    if (word == "off") return {1};
    if (word == "auto") return {0};
    std::int64_t buffers = 0;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), buffers);
    const bool understood = status == std::errc{} && end == word.data() + word.size();
    constexpr std::int64_t most_buffers = 1'000'000;
    require(understood && buffers >= 1 && buffers <= most_buffers, [&] {
        return fmt::format("--rotate {}: give off, auto, or how many buffers, 1 to {}", word,
                           most_buffers);
    });
    return {buffers};
}

template <class Has>
bool any_operation(const SweepPlan& plan, Has&& has) {
    return std::ranges::any_of(
        plan.operations, [&](const OperationPlan& planned) { return has(*planned.operation); });
}

/// An option that no chosen operation heeds is a mistake.
void require_heeded(const SweepOptions& options, const SweepPlan& plan) {
    require(plan.reduction == collectives::Reduction::sum ||
                any_operation(plan, [](const auto& operation) { return operation.reduces; }),
            [&] {
                return fmt::format("-o {}: no operation here reduces: leave it out",
                                   options.reduction);
            });
    require(plan.root == 0 ||
                any_operation(plan, [](const auto& operation) { return operation.rooted; }),
            [&] {
                return fmt::format("--root {}: no operation here has a root: leave it out",
                                   options.root);
            });
    require(plan.shares == Shares::even || any_operation(plan, has_shares), [&] {
        return fmt::format("--shares {}: no operation here has shares: leave it out",
                           options.shares);
    });
}

/// Obstacles by transport; of direct calls, which have none, it is the library's.
using Obstacles = std::map<const collectives::Transport*, std::string>;

/// Asked once: it takes messages, and is the same for all that a transport carries.
std::string obstacle_of(const collectives::Algorithm& algorithm,
                        collectives::Communicator& communicator, Obstacles& known) {
    if (!algorithm.obstacle) return {};
    auto found = known.find(algorithm.transport);
    if (found == known.end()) {
        found = known.emplace(algorithm.transport, algorithm.obstacle(communicator)).first;
    }
    return found->second;
}

bool is_named(const SweepOptions& options, const collectives::Algorithm& algorithm) {
    return std::ranges::find(options.algorithms, algorithm.name) != options.algorithms.end();
}

void require_not_named(const SweepOptions& options, const collectives::Algorithm& algorithm,
                       const std::string& why) {
    require(!is_named(options, algorithm),
            [&] { return fmt::format("--algorithm {}: {}", algorithm.name, why); });
}

}  // namespace

void require_memory(std::string_view option, std::int64_t largest_bytes, int ranks_on_node,
                    const AvailableMemory& available, int kept_vectors) {
    // The input, the same as it was given, and an output or what the executor puts together.
    const int vectors = 3 + kept_vectors;
    const auto room = available.for_each_of(ranks_on_node);
    if (!room) return;
    const std::int64_t most_bytes = room->bytes / vectors;
    require(largest_bytes <= most_bytes, [&] {
        const bool is_small = most_bytes < std::int64_t{1} << 20;
        return fmt::format(
            "{}: vectors and scratch of {} need more than the {} that each has left ({}): give at "
            "most {}{}",
            option, counted(ranks_on_node, "rank"), format_size(room->bytes), room->name,
            most_bytes >> (is_small ? 10 : 20), is_small ? "K" : "M");
    });
}

SweepPlan plan_sweep(const SweepOptions& options) {
    require_counts(options);
    require(options.root >= 0,
            [&] { return fmt::format("--root {}: give 0 or more", options.root); });
    SweepPlan plan;
    plan.type = parse_element_type(options.type);
    plan.reduction = collectives::parse_reduction(options.reduction);
    require(!options.on_gpus() || plan.reduction != collectives::Reduction::avg,
            "-o avg with --device cuda: no average between GPUs is measured; give sum, max or min");
    plan.shares = parse_shares(options.shares);
    plan.rotation = parse_rotation(options.rotate);
    plan.root = options.root;
    plan.operations = selected_operations(options);
    require_heeded(options, plan);
    plan.sizes_bytes = sizes_of({options.smallest, options.largest, options.factor},
                                static_cast<std::int64_t>(element_size(plan.type)), options.type);
    return plan;
}

void require_root(const SweepPlan& plan, int ranks) {
    require(plan.root < ranks, [&] {
        return fmt::format("--root {}: give a rank from 0 to {}", plan.root, ranks - 1);
    });
}

void fit_plan(const SweepOptions& options, const collectives::Topology& topology, SweepPlan& plan) {
    require_root(plan, topology.size());
    require_memory("-e " + options.largest, plan.sizes_bytes.back(), topology.largest_node());
    for (OperationPlan& planned : plan.operations) {
        const bool equal = plan.shares == Shares::even || !has_shares(*planned.operation);
        std::erase_if(planned.algorithms, [&](const collectives::Algorithm& algorithm) {
            const bool reaches = topology.nodes() == 1 || !algorithm.one_node_only;
            const bool takes = equal || !algorithm.equal_shares_only;
            return !is_named(options, algorithm) && !(reaches && takes);
        });
    }
    std::erase_if(plan.operations, [](const auto& planned) { return planned.algorithms.empty(); });
    require(!plan.operations.empty(), "no algorithm of these can run on these nodes and shares");
}

std::string leave_out_impossible(const SweepOptions& options,
                                 collectives::Communicator& communicator, SweepPlan& plan) {
    std::map<std::string, std::set<std::string>> left_out;
    Obstacles known;
    for (OperationPlan& planned : plan.operations) {
        std::vector<collectives::Algorithm> possible;
        for (const collectives::Algorithm& algorithm : planned.algorithms) {
            const std::string why = obstacle_of(algorithm, communicator, known);
            if (why.empty()) {
                possible.push_back(algorithm);
                continue;
            }
            communicator.agree([&] { require_not_named(options, algorithm, why); });
            left_out[why].insert(algorithm.name);
        }
        planned.algorithms = std::move(possible);
    }
    std::erase_if(plan.operations, [](const auto& planned) { return planned.algorithms.empty(); });
    communicator.agree([&] {
        require(!plan.operations.empty(),
                [&] { return "--device cuda: " + left_out.begin()->first; });
    });
    std::string lines;
    for (const auto& [why, names] : left_out) {
        lines += fmt::format("# left out: {}: {}\n", fmt::join(names, ", "), why);
    }
    return lines;
}

void require_room_on_gpu(std::string_view option, std::int64_t largest_bytes, int ranks_on_gpu,
                         int kept_vectors) {
    const auto gpus = collectives::list_devices().devices;
    const std::int64_t smallest =
        std::ranges::min(gpus, {}, &collectives::Device::memory_bytes).memory_bytes;
    require_memory(option, largest_bytes, ranks_on_gpu,
                   {.of_node = MemoryLimit{smallest, "all memory of a GPU"}, .of_process = {}},
                   kept_vectors);
}

void require_gpu_memory(const SweepOptions& options, const SweepPlan& plan, int ranks_on_gpu) {
    if (!options.on_gpus()) return;
    int kept_vectors = 0;
    for (const OperationPlan& one : plan.operations) {
        for (const auto& algorithm : one.algorithms) {
            if (algorithm.transport == nullptr) continue;
            kept_vectors = std::max(kept_vectors, algorithm.transport->kept_vectors);
        }
    }
    require_room_on_gpu("-e " + options.largest, plan.sizes_bytes.back(), ranks_on_gpu,
                        kept_vectors);
}

std::vector<std::int64_t> counts_of(const SweepPlan& plan, const OperationPlan& operation,
                                    int ranks) {
    const auto element_bytes = static_cast<std::int64_t>(element_size(plan.type));
    const std::int64_t part = elements_per_part(*operation.operation, plan.shares, ranks);
    std::vector<std::int64_t> counts;
    for (const std::int64_t size_bytes : plan.sizes_bytes) {
        const std::int64_t parts = (size_bytes / element_bytes + part / 2) / part;
        counts.push_back(std::max<std::int64_t>(1, parts) * part);
    }
    const auto repeated = std::ranges::unique(counts);
    counts.erase(repeated.begin(), repeated.end());
    return counts;
}

collectives::CollectiveSpec spec_of(const SweepPlan& plan, const collectives::Operation& operation,
                                    std::int64_t count, int ranks) {
    return {{count, plan.type, plan.reduction},
            operation.rooted ? plan.root : 0,
            shares_of(operation, plan.shares, count, ranks)};
}

std::size_t points_of(const SweepPlan& plan, int ranks) {
    std::size_t points = 0;
    for (const OperationPlan& planned : plan.operations) {
        points += planned.algorithms.size() * planned.in_place.size() *
                  counts_of(plan, planned, ranks).size();
    }
    return points;
}

}  // namespace shardstone::benchmarks
