// SPDX-License-Identifier: BSD-3-Clause
// The findings of a recorded validation, derived again from its samples, for `shardstone verify`.
#include <algorithm>
#include <cmath>

#include "results/recompute/comparer.hpp"
#include "results/record/incomplete.hpp"
#include "results/schema/held_against.hpp"
#include "validation/interconnect/interconnect_record.hpp"
#include "validation/interconnect/possible_samples.hpp"
#include "validation/interconnect/recorded_settings.hpp"
#include "validation/interconnect/trial_grid.hpp"

namespace shardstone::validation {

namespace {

bool ran_to_its_end(const results::Record& record) {
    return results::find_incomplete(record.verification) == record.verification.end();
}

/// Every run that ended has them; of one that a signal stopped all but the verdict, which is none;
/// one that was killed leaves its samples only.
bool must_have_findings(const results::Record& record) {
    if (record.has_table(results::InterconnectVerdictRow::schema.name())) return true;
    if (record.has_table(results::HeldAgainstRow::schema.name())) return true;
    return record.kind == "interconnect" && ran_to_its_end(record);
}

bool is_to_compare(const results::Table& table, const results::Record& record) {
    const bool is_verdict = table.name == results::InterconnectVerdictRow::schema.name();
    return !is_verdict || ran_to_its_end(record) || record.has_table(table.name);
}

/// Earlier versions told a rate below zero where there is none: what is of no number again is taken
/// as recorded then.
void take_rates_below_zero(const results::Record& record, results::Table& again) {
    const auto recorded = std::ranges::find(record.derived, again.name, &results::Table::name);
    if (recorded == record.derived.end() || recorded->rows() != again.rows()) return;
    for (results::Table::Column& column : again.columns) {
        if (!column.name.starts_with("rate_")) continue;
        const auto& numbers = recorded->column(column.name).numbers;
        for (std::size_t row = 0; row < column.numbers.size(); ++row) {
            if (std::isnan(column.numbers[row]) && numbers[row] <= 0.0) {
                column.numbers[row] = numbers[row];
            }
        }
    }
}

/// Whether each rank has its row, by which others find it.
bool are_places_in_order(const results::Record& record, results::Recomputed& found) {
    const std::size_t before = found.wrong.size();
    const auto places = results::rows_of<results::RankPlaceRow>(record);
    for (std::size_t i = 0; i < places.size(); ++i) {
        results::RowComparer(record, found, results::RankPlaceRow::schema.name(), i,
                             "in order of ranks")
            .number("rank", places[i].rank, static_cast<double>(i));
    }
    return found.wrong.size() == before;
}

void compare_interconnect(const results::Record& record, results::Recomputed& found) {
    if (!must_have_findings(record)) return;
    const auto samples = interconnect_samples_in(record);
    const auto ranks = static_cast<double>(samples.places.size());
    if (!results::are_possible(record, possible_interconnect_numbers(ranks), found)) return;
    if (!are_places_in_order(record, found)) return;
    for (results::Table& table : all_finding_tables_of(find_in(samples))) {
        if (table.name == results::PathRow::schema.name()) take_rates_below_zero(record, table);
        if (is_to_compare(table, record)) results::compare_tables(record, table, found);
    }
    compare_checks(record, samples, found);
    compare_settings(record, samples, found);
}

void compare_self_test(const results::Record& record, results::Recomputed& found) {
    const bool is_self_test = record.has_table(results::TrialRow::schema.name()) ||
                              record.has_table(results::DetectionRow::schema.name());
    if (!is_self_test || !results::are_possible(record, possible_trial_numbers(), found)) return;
    const auto shares = detection_rows(results::rows_of<results::TrialRow>(record));
    results::compare_tables(record, results::table_of(shares), found);
}

const results::ComparisonRegistration interconnect_comparison(compare_interconnect);
const results::ComparisonRegistration self_test_comparison(compare_self_test);

}  // namespace

}  // namespace shardstone::validation
