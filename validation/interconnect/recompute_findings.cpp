// SPDX-License-Identifier: BSD-3-Clause
// The findings of a recorded validation, derived again from its samples, for `shardstone verify`.
#include "results/recompute/comparer.hpp"
#include "validation/interconnect/interconnect_record.hpp"

namespace shardstone::validation {

namespace {

void compare_interconnect(const results::Record& record, results::Recomputed& found) {
    if (!record.has_table(results::InterconnectVerdictRow::schema.name())) return;
    const auto findings = find_in(interconnect_samples_in(record));
    for (const results::Table& table : finding_tables_of(findings)) {
        results::compare_tables(record, table, found);
    }
}

const results::ComparisonRegistration interconnect_comparison(compare_interconnect);

}  // namespace

}  // namespace shardstone::validation
