// SPDX-License-Identifier: BSD-3-Clause
// Repetitions of a recorded run with planted factors, for tests of comparisons.
#include "validation/unit/results/compare/compared_records.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kernels/base/error.hpp"

namespace shardstone::validation {

using results::Record;
using results::Table;

namespace {

Table& derived_table(Record& record, const std::string& name) {
    for (Table& table : record.derived) {
        if (table.name == name) return table;
    }
    fail("no table " + name);
}

Table::Column& column_of(Table& table, const std::string& name) {
    for (auto& column : table.columns) {
        if (column.name == name) return column;
    }
    fail("no column " + name);
}

}  // namespace

void multiply(Record& record, const std::string& table_name, const std::string& column,
              double factor, const std::string& algorithm) {
    Table& table = derived_table(record, table_name);
    auto& numbers = column_of(table, column).numbers;
    for (std::size_t row = 0; row < numbers.size(); ++row) {
        if (algorithm.empty() || table.column("algorithm").texts[row] == algorithm) {
            numbers[row] *= factor;
        }
    }
}

std::vector<Record> repeated(const Record& record, const std::string& table,
                             const std::string& column, const std::vector<double>& factors,
                             const Edit& edit) {
    static int runs = 0;
    std::vector<Record> records;
    for (const double factor : factors) {
        Record copy = record;
        copy.identity["id"] = fmt::format("run {}", ++runs);
        for (double& disturbed : column_of(derived_table(copy, table), "disturbed").numbers) {
            disturbed = 0.0;
        }
        multiply(copy, table, column, factor);
        if (edit) edit(copy);
        copy.hash = results::hash_of(copy);
        records.push_back(std::move(copy));
    }
    return records;
}

void write_all(const std::vector<Record>& records, const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    for (std::size_t i = 0; i < records.size(); ++i) {
        const auto name = folder / std::to_string(i);
        if (i % 2 == 0) {
            results::write_json(records[i], name.string() + ".json");
        } else {
            results::write_hdf5(records[i], name.string() + ".h5");
        }
    }
}

results::ComparedSide as_side(const std::vector<Record>& records, const std::string& folder) {
    results::ComparedSide side;
    for (std::size_t i = 0; i < records.size(); ++i) {
        results::Source source{fmt::format("{}/{}.json", folder, i), records[i],
                               results::hash_of(records[i])};
        side.given.sources.push_back(std::move(source));
    }
    results::name_apart(side.given.sources);
    return side;
}

const std::vector<double> one_percent{std::exp(-0.0125), std::exp(-0.005), 1.0, std::exp(0.005),
                                      std::exp(0.0125)};
const std::vector<double> other_one_percent{std::exp(-0.0115), std::exp(-0.007), std::exp(-0.0005),
                                            std::exp(0.008), std::exp(0.011)};

}  // namespace shardstone::validation
