// SPDX-License-Identifier: BSD-3-Clause
// The findings of a recorded validation, derived again from its samples, for `shardstone verify`.
#include "results/recompute/comparer.hpp"
#include "validation/interconnect/interconnect_record.hpp"
#include "validation/interconnect/trial_grid.hpp"

namespace shardstone::validation {

namespace {

void compare_interconnect(const results::Record& record, results::Recomputed& found) {
    if (!record.has_table(results::InterconnectVerdictRow::schema.name())) return;
    const auto findings = find_in(interconnect_samples_in(record));
    for (const results::Table& table : finding_tables_of(findings)) {
        results::compare_tables(record, table, found);
    }
}

void compare_self_test(const results::Record& record, results::Recomputed& found) {
    if (!record.has_table(results::TrialRow::schema.name())) return;
    const auto shares = detection_rows(results::rows_of<results::TrialRow>(record));
    results::compare_tables(record, results::table_of(shares), found);
}

const results::ComparisonRegistration interconnect_comparison(compare_interconnect);
const results::ComparisonRegistration self_test_comparison(compare_self_test);

}  // namespace

}  // namespace shardstone::validation
