// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/collectives/accuracy/accuracy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>
#include <thread>

#include "benchmarks/collectives/accuracy/depth.hpp"
#include "benchmarks/collectives/accuracy/replay.hpp"
#include "collectives/executors/collective.hpp"
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

bool on_all(const Communicator& communicator, bool holds) {
    return communicator.min(holds ? 1.0 : 0.0) > 0.0;
}

/// Late by more than a message takes, another rank in each run.
void come_late_in_turn(const Communicator& communicator, int run) {
    communicator.barrier();
    if (communicator.rank() != run % communicator.size()) return;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

/// This rank's result in every run.
std::vector<std::vector<std::byte>> run(Communicator& communicator, const Problem& problem,
                                        const Algorithm& algorithm, const Place& place) {
    const VectorSpec& vector = problem.spec.vector;
    const auto buffer =
        make_buffer(communicator, algorithm.operation, algorithm.name, vector.size_bytes());
    Collective collective(communicator, algorithm.operation, algorithm.name, problem.spec);
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

/// The digest of what `rank` must have by the schedule; played on rank 0 for all.
std::uint64_t scheduled_digest(const Communicator& communicator, const Problem& problem,
                               const Algorithm& algorithm) {
    std::vector<std::uint64_t> digests(static_cast<std::size_t>(communicator.size()));
    communicator.agree([&] {
        if (!communicator.is_root()) return;
        const auto results =
            scheduled_results(algorithm, communicator.topology(), problem.spec, problem.inputs);
        std::ranges::transform(results, digests.begin(), digest_of);
    });
    communicator.broadcast(std::as_writable_bytes(std::span(digests)));
    return digests[static_cast<std::size_t>(communicator.rank())];
}

/// The worst of all ranks, the squares of all.
SumError over_ranks(const Communicator& communicator, const SumError& mine) {
    SumError all;
    all.max_ulp = communicator.max(mine.max_ulp);
    all.bound_ulp = communicator.max(mine.bound_ulp);
    all.share_of_bound = communicator.max(mine.share_of_bound);
    all.squares_ulp2 = communicator.sum(mine.squares_ulp2);
    all.elements = static_cast<std::int64_t>(communicator.sum(static_cast<double>(mine.elements)));
    return all;
}

std::uint64_t joint_digest(const Communicator& communicator, std::uint64_t mine) {
    const auto texts = communicator.gather(fmt::format("{:016x}", mine));
    std::uint64_t digest = stream_of(fmt::format("{}", fmt::join(texts, "")));
    communicator.broadcast(std::as_writable_bytes(std::span(&digest, 1)));
    return digest;
}

SumAccuracy measure_one(Communicator& communicator, const Problem& problem,
                        const Algorithm& algorithm) {
    const Operation& operation = find_operation(algorithm.operation);
    const CollectiveSpec& spec = problem.spec;
    SumAccuracy accuracy{operation.name,
                         algorithm.name,
                         spec.vector.type,
                         communicator.size(),
                         spec.vector.count,
                         {},
                         {},
                         {},
                         {},
                         {},
                         {}};
    accuracy.depth = summation_depth(algorithm, communicator.topology(), spec.root);
    const Place place =
        result_place(operation, spec, {communicator.size(), spec.root, communicator.rank()});
    const auto results = run(communicator, problem, algorithm, place);
    const auto exact =
        std::span(problem.exact)
            .subspan(static_cast<std::size_t>(place.begin), static_cast<std::size_t>(place.count));
    SumError error;
    for (const auto& result : results) {
        add_errors(spec.vector.type, result.data(), exact, accuracy.depth, error);
    }
    accuracy.error = over_ranks(communicator, error);
    const std::uint64_t mine = digest_of(results.front());
    accuracy.digest = joint_digest(communicator, mine);
    accuracy.same_in_all_runs =
        on_all(communicator, std::ranges::count(results, results.front()) == std::ssize(results));
    if (operation.sharing == Sharing::whole && !operation.rooted) {
        std::uint64_t of_root = mine;
        communicator.broadcast(std::as_writable_bytes(std::span(&of_root, 1)));
        accuracy.same_on_all_ranks = on_all(communicator, mine == of_root);
    }
    if (algorithm.has_schedule()) {
        accuracy.as_scheduled =
            on_all(communicator, mine == scheduled_digest(communicator, problem, algorithm));
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

std::vector<SumAccuracy> measure_accuracy(Communicator& communicator, const AccuracyPlan& plan,
                                          const std::function<void(const SumAccuracy&)>& measured) {
    std::vector<SumAccuracy> all;
    const int size = communicator.size();
    for (const OperationPlan& planned : plan.sweep.operations) {
        const int root = find_operation(planned.operation).rooted ? plan.sweep.root : 0;
        for (const std::int64_t count : lengths_of(plan, planned.operation, size)) {
            for (const ElementType type : plan.types) {
                const SumInputs inputs(type, size);
                const Problem problem{{{count, type, Reduction::sum}, root, {}},
                                      inputs,
                                      inputs.sums(count),
                                      plan.runs};
                for (const std::string& name : planned.algorithms) {
                    all.push_back(measure_one(communicator, problem,
                                              find_algorithm(planned.operation, name)));
                    measured(all.back());
                }
            }
        }
    }
    return all;
}

}  // namespace shardstone::benchmarks
