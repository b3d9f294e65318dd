// SPDX-License-Identifier: BSD-3-Clause
// Planted samples as the record of a run, and ways to change it.
#include "validation/unit/validation/interconnect/findings/recorded_samples.hpp"

#include <algorithm>

#include "kernels/base/error.hpp"
#include "validation/interconnect/interconnect_record.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {

results::Record recorded(InterconnectSamples samples) {
    for (auto& place : samples.places) place.sharers = 1.0;
    auto record = written_record("interconnect", "cn0", static_cast<int>(samples.places.size()));
    record.samples = sample_tables_of(samples);
    record.derived = finding_tables_of(find_in(samples));
    record.verification = interconnect_checks(samples, samples.taken());
    return record;
}

results::Table::Column& column_of(results::Record& record, const std::string& table,
                                  const std::string& column) {
    for (auto* const tables : {&record.derived, &record.samples}) {
        for (auto& one : *tables) {
            if (one.name != table) continue;
            const auto found =
                std::ranges::find(one.columns, column, &results::Table::Column::name);
            if (found != one.columns.end()) return *found;
        }
    }
    fail("no column " + column + " of " + table);
}

void remove_table(results::Record& record, const std::string& table) {
    const auto is_it = [&](const results::Table& one) { return one.name == table; };
    std::erase_if(record.derived, is_it);
    std::erase_if(record.samples, is_it);
}

}  // namespace shardstone::validation
