// SPDX-License-Identifier: BSD-3-Clause
// Sums of every algorithm are held to their error bound, to their schedule and to equal bits.
#include "benchmarks/collectives/accuracy/accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iterator>
#include <span>
#include <thread>

#include "benchmarks/collectives/accuracy/depth.hpp"
#include "benchmarks/collectives/accuracy/replay.hpp"
#include "collectives/executors/collective.hpp"
#include "kernels/base/interrupt.hpp"
#include "kernels/base/random.hpp"

namespace shardstone::benchmarks {

namespace {

using namespace collectives;

/// What all algorithms are given in one type, and what they should make of it.
struct Problem {
    CollectiveSpec spec;
    SumInputs inputs;
    std::vector<SumInputs::Exact> exact;
    int runs;
};

std::uint64_t digest_of(std::span<const std::byte> data) {
    return stream_of({reinterpret_cast<const char*>(data.data()), data.size()});
}

/// Late by more than a message takes, another rank in each run.
void come_late_in_turn(const Communicator& communicator, int run) {
    communicator.barrier();
    if (communicator.rank() != run % communicator.size()) return;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

/// This rank's result in every run.
std::vector<std::vector<std::byte>> run(Communicator& communicator, const Problem& problem,
                                        const Algorithm& algorithm, const Extent& place) {
    const VectorSpec& vector = problem.spec.vector;
    const auto buffer = make_buffer(communicator, algorithm, vector.size_bytes());
    Collective collective(communicator, algorithm, problem.spec);
    const std::byte* const result = buffer.get() + place.begin * vector.element_bytes();
    std::vector<std::vector<std::byte>> results;
    for (int r = 0; r < problem.runs; ++r) {
        problem.inputs.fill(buffer.get(), vector.count, communicator.rank());
        come_late_in_turn(communicator, r);
        collective.start(buffer.get(), buffer.get());
        collective.wait();
        results.emplace_back(result, result + place.count * vector.element_bytes());
    }
    return results;
}

/// What a rank found on its own.
struct Findings {
    SumError error;
    bool same_in_all_runs = true;
    std::uint64_t digest = 0;
};

/// One message for all of it, in numbers that doubles hold exactly.
std::vector<Findings> exchanged(const Communicator& communicator, const Findings& mine) {
    const std::array values{mine.error.max_ulp,
                            mine.error.squares_ulp2,
                            static_cast<double>(mine.error.elements),
                            mine.error.bound_ulp,
                            mine.error.share_of_bound,
                            mine.same_in_all_runs ? 1.0 : 0.0,
                            static_cast<double>(mine.digest >> 32),
                            static_cast<double>(mine.digest & 0xffffffffU)};
    const std::vector<double> all = communicator.all_gather(values);
    std::vector<Findings> findings;
    for (auto v = all.begin(); v != all.end(); v += std::ssize(values)) {
        const auto digest =
            static_cast<std::uint64_t>(v[6]) << 32 | static_cast<std::uint64_t>(v[7]);
        findings.push_back(
            {{v[0], v[1], static_cast<std::int64_t>(v[2]), v[3], v[4]}, v[5] > 0.0, digest});
    }
    return findings;
}

/// The worst of all ranks, the squares of all.
SumError over_ranks(std::span<const Findings> ranks) {
    SumError all;
    for (const auto& [error, same, digest] : ranks) {
        all.max_ulp = std::max(all.max_ulp, error.max_ulp);
        all.bound_ulp = std::max(all.bound_ulp, error.bound_ulp);
        all.share_of_bound = std::max(all.share_of_bound, error.share_of_bound);
        all.squares_ulp2 += error.squares_ulp2;
        all.elements += error.elements;
    }
    return all;
}

/// Of every rank by the schedule; played on rank 0 for all.
std::vector<std::uint64_t> scheduled_digests(const Communicator& communicator,
                                             const Problem& problem, const Algorithm& algorithm) {
    std::vector<std::uint64_t> digests(static_cast<std::size_t>(communicator.size()));
    if (communicator.is_root()) {
        const auto results =
            scheduled_results(algorithm, communicator.topology(), problem.spec, problem.inputs);
        std::ranges::transform(results, digests.begin(), digest_of);
    }
    communicator.broadcast(std::as_writable_bytes(std::span(digests)));
    return digests;
}

/// This rank's results against the sums, and against each other.
Findings look_at(const std::vector<std::vector<std::byte>>& results, const Problem& problem,
                 const Extent& place, int depth) {
    const auto exact =
        std::span(problem.exact)
            .subspan(static_cast<std::size_t>(place.begin), static_cast<std::size_t>(place.count));
    Findings findings;
    for (const auto& result : results) {
        add_errors(problem.spec.vector.type, result.data(), exact, depth, findings.error);
    }
    findings.same_in_all_runs = std::ranges::count(results, results.front()) == std::ssize(results);
    findings.digest = digest_of(results.front());
    return findings;
}

SumAccuracy measure_one(Communicator& communicator, const Problem& problem,
                        const Algorithm& algorithm) {
    const Operation& operation = *algorithm.operation;
    const CollectiveSpec& spec = problem.spec;
    const int size = communicator.size();
    const int depth = summation_depth(algorithm, communicator.topology(), spec.root);
    const Extent place = result_place(operation, spec, {size, spec.root, communicator.rank()});
    const auto results = run(communicator, problem, algorithm, place);
    const auto ranks = exchanged(communicator, look_at(results, problem, place, depth));
    std::vector<std::uint64_t> digests;
    std::ranges::transform(ranks, std::back_inserter(digests), &Findings::digest);

    SumAccuracy accuracy;
    accuracy.operation = operation.name;
    accuracy.algorithm = algorithm.name;
    accuracy.type = spec.vector.type;
    accuracy.ranks = size;
    accuracy.elements = spec.vector.count;
    accuracy.depth = depth;
    accuracy.error = over_ranks(ranks);
    accuracy.same_in_all_runs = std::ranges::all_of(ranks, &Findings::same_in_all_runs);
    accuracy.digest = digest_of(std::as_bytes(std::span(digests)));
    if (operation.sharing == Sharing::whole && !operation.rooted) {
        accuracy.same_on_all_ranks = std::ranges::count(digests, digests.front()) == size;
    }
    if (algorithm.has_schedule()) {
        accuracy.as_scheduled = digests == scheduled_digests(communicator, problem, algorithm);
    }
    return accuracy;
}

}  // namespace

double SumAccuracy::rms_ulp() const {
    return std::sqrt(error.squares_ulp2 /
                     static_cast<double>(std::max<std::int64_t>(1, error.elements)));
}

std::vector<std::string> SumAccuracy::faults() const {
    std::vector<std::string> found;
    if (!(error.share_of_bound <= 1.0)) {
        found.push_back(fmt::format("an error is {:.3g} times its bound of {} additions",
                                    error.share_of_bound, depth));
    }
    if (!same_in_all_runs) found.emplace_back("runs on equal inputs differ");
    if (!same_on_all_ranks.value_or(true)) found.emplace_back("ranks have different bits");
    if (!as_scheduled.value_or(true)) {
        found.emplace_back("the bits are not those of its schedule: added in another order");
    }
    return found;
}

std::size_t planned_sums(const AccuracyPlan& plan, int ranks) {
    std::size_t sums = 0;
    for (const OperationPlan& planned : plan.sweep.operations) {
        sums += lengths_of(plan, *planned.operation, ranks).size() * plan.types.size() *
                planned.algorithms.size();
    }
    return sums;
}

std::vector<SumAccuracy> measure_accuracy(Communicator& communicator, const AccuracyPlan& plan,
                                          const std::function<void(const SumAccuracy&)>& measured) {
    std::vector<SumAccuracy> all;
    const int size = communicator.size();
    for (const OperationPlan& planned : plan.sweep.operations) {
        const int root = planned.operation->rooted ? plan.sweep.root : 0;
        for (const std::int64_t count : lengths_of(plan, *planned.operation, size)) {
            for (const ElementType type : plan.types) {
                const SumInputs inputs(type, size);
                const Problem problem{{{count, type, Reduction::sum}, root, {}},
                                      inputs,
                                      inputs.sums(count),
                                      plan.runs};
                for (const Algorithm& algorithm : planned.algorithms) {
                    if (communicator.max(interrupted() ? 1.0 : 0.0) > 0.0) return all;
                    all.push_back(measure_one(communicator, problem, algorithm));
                    measured(all.back());
                }
            }
        }
    }
    return all;
}

}  // namespace shardstone::benchmarks
