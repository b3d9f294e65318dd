// SPDX-License-Identifier: BSD-3-Clause
// An accuracy study as a record: a row and a check for every sum.
#include "benchmarks/collectives/accuracy/record.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/schema/collectives.hpp"

namespace shardstone::benchmarks {

namespace {

double number(std::optional<bool> holds) {
    if (!holds) return results::not_measured;
    return *holds ? 1.0 : 0.0;
}

results::AccuracyRow row_of(const SumAccuracy& sum) {
    results::AccuracyRow row;
    row.operation = sum.operation;
    row.algorithm = sum.algorithm;
    row.type = to_string(sum.type);
    row.elements = static_cast<double>(sum.elements);
    row.depth = static_cast<double>(sum.depth);
    row.max_ulp = sum.error.max_ulp;
    row.rms_ulp = sum.rms_ulp();
    row.bound_ulp = sum.error.bound_ulp;
    row.share_of_bound = sum.error.share_of_bound;
    row.same_in_all_runs = sum.same_in_all_runs ? 1.0 : 0.0;
    row.same_on_all_ranks = number(sum.same_on_all_ranks);
    row.as_scheduled = number(sum.as_scheduled);
    row.digest = fmt::format("{:016x}", sum.digest);
    return row;
}

}  // namespace

void begin_accuracy_record(const SweepOptions& chosen, const AccuracyOptions& options,
                           results::Record& record) {
    record.configuration["operations"] = chosen.operations;
    record.configuration["algorithms"] = chosen.algorithms;
    record.configuration["root"] = chosen.root;
    record.configuration["ranks_per_node"] = chosen.ranks_per_node;
    record.configuration["types"] = options.types;
    record.configuration["elements"] = options.elements;
    record.configuration["runs"] = options.runs;
    record.derived.push_back(results::table_of(std::vector<results::AccuracyRow>{}));
}

results::Record part_of(const SumAccuracy& sum) {
    results::Record part;
    part.derived.push_back(results::table_of(std::vector{row_of(sum)}));
    part.verification.push_back(
        {fmt::format("{} {} {} of {} elements: error within its bound and reproducible on {} "
                     "ranks",
                     sum.operation, sum.algorithm, to_string(sum.type), sum.elements, sum.ranks),
         sum.passed(),
         sum.passed()
             ? fmt::format("the largest error is {:.3g} of its bound", sum.error.share_of_bound)
             : fmt::format("{}", fmt::join(sum.faults(), "; "))});
    return part;
}

}  // namespace shardstone::benchmarks
