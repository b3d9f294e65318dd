// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/collectives/accuracy/record.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

namespace shardstone::benchmarks {

namespace {

using Rows = std::span<const SumAccuracy>;
using Column = results::Table::Column;

template <class Of>
Column texts(const char* name, Rows rows, Of&& of) {
    Column column{name, {}, {}};
    for (const SumAccuracy& row : rows) column.texts.emplace_back(of(row));
    return column;
}

template <class Of>
Column numbers(const char* name, Rows rows, Of&& of) {
    Column column{name, {}, {}};
    for (const SumAccuracy& row : rows) column.numbers.push_back(static_cast<double>(of(row)));
    return column;
}

double number(std::optional<bool> holds) {
    if (!holds) return std::numeric_limits<double>::quiet_NaN();
    return *holds ? 1.0 : 0.0;
}

results::Table table_of(Rows rows) {
    using Row = const SumAccuracy&;
    return {
        "accuracy",
        {texts("operation", rows, [](Row row) { return row.operation; }),
         texts("algorithm", rows, [](Row row) { return row.algorithm; }),
         texts("type", rows, [](Row row) { return to_string(row.type); }),
         numbers("elements", rows, [](Row row) { return row.elements; }),
         numbers("depth", rows, [](Row row) { return row.depth; }),
         numbers("max_ulp", rows, [](Row row) { return row.error.max_ulp; }),
         numbers("rms_ulp", rows, [](Row row) { return row.rms_ulp(); }),
         numbers("bound_ulp", rows, [](Row row) { return row.error.bound_ulp; }),
         numbers("share_of_bound", rows, [](Row row) { return row.error.share_of_bound; }),
         numbers("same_in_all_runs", rows, [](Row row) { return row.same_in_all_runs; }),
         numbers("same_on_all_ranks", rows, [](Row row) { return number(row.same_on_all_ranks); }),
         numbers("as_scheduled", rows, [](Row row) { return number(row.as_scheduled); }),
         texts("digest", rows, [](Row row) { return fmt::format("{:016x}", row.digest); })}};
}

}  // namespace

void complete_accuracy_record(Rows all, const SweepOptions& chosen, const AccuracyOptions& options,
                              results::Record& record) {
    record.configuration["operations"] = chosen.operations;
    record.configuration["algorithms"] = chosen.algorithms;
    record.configuration["root"] = chosen.root;
    record.configuration["ranks_per_node"] = chosen.ranks_per_node;
    record.configuration["types"] = options.types;
    record.configuration["elements"] = options.elements;
    record.configuration["runs"] = options.runs;
    record.derived.push_back(table_of(all));
    for (const SumAccuracy& row : all) {
        record.verification.push_back(
            {fmt::format("{} {} {} of {} elements: error within its bound and reproducible on {} "
                         "ranks",
                         row.operation, row.algorithm, to_string(row.type), row.elements,
                         row.ranks),
             row.passed(),
             row.passed()
                 ? fmt::format("the largest error is {:.3g} of its bound", row.error.share_of_bound)
                 : fmt::format("{}", fmt::join(row.faults(), "; "))});
    }
}

}  // namespace shardstone::benchmarks
