// SPDX-License-Identifier: BSD-3-Clause
// Tables and columns of records of format versions 1 and 2 get the names of version 3, whose own
// first comparisons lack a column.
#include "results/schema/older.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernels/base/error.hpp"

namespace shardstone::results {

namespace {

using Column = Table::Column;

Table* find(std::vector<Table>& tables, const std::string& name) {
    const auto found = std::ranges::find(tables, name, &Table::name);
    return found == tables.end() ? nullptr : &*found;
}

void rename(std::vector<Table>& tables, const std::string& from, const std::string& to) {
    if (Table* table = find(tables, from)) table->name = to;
}

bool has_column(const Table& table, const std::string& name) {
    return std::ranges::find(table.columns, name, &Column::name) != table.columns.end();
}

/// The first sweeps had all-reduces only, in place, and a table called so.
void name_the_operation(Record& record) {
    rename(record.derived, "all_reduce", "collectives");
    for (Table* table : {find(record.derived, "collectives"), find(record.samples, "samples")}) {
        if (table == nullptr || has_column(*table, "operation")) continue;
        const std::size_t rows = table->rows();
        table->columns.push_back({"operation", {}, std::vector<std::string>(rows, "all_reduce")});
        table->columns.push_back({"in_place", std::vector<double>(rows, 1.0), {}});
    }
}

/// Rounds that lay in two tables, one for each way, lie in one.
void join_rounds(Record& record) {
    Table joined{"overlap_rounds", {{"way", {}, {}}, {"round", {}, {}}}};
    for (const char* column : {"step_s", "exposed_s", "compute_s"}) {
        joined.columns.push_back({column, {}, {}});
    }
    for (const char* way : {"overlapped", "apart"}) {
        const Table* table = find(record.samples, way);
        if (table == nullptr) return;
        for (std::size_t i = 0; i < table->rows(); ++i) {
            joined.columns[0].texts.emplace_back(way);
            joined.columns[1].numbers.push_back(static_cast<double>(i));
            for (std::size_t c = 2; c < joined.columns.size(); ++c) {
                auto& numbers = joined.columns[c].numbers;
                const auto& older = table->column(joined.columns[c].name).numbers;
                require(i < older.size(), [&] {
                    return fmt::format("column '{}' of table '{}' does not hold numbers",
                                       joined.columns[c].name, way);
                });
                numbers.push_back(older[i]);
            }
        }
    }
    record.samples = {joined};
}

/// The first matrix was of all-reduces under data parallelism.
void name_the_layout(Record& record) {
    Table* table = find(record.derived, "layouts");
    if (table == nullptr || has_column(*table, "layout")) return;
    for (auto& column : table->columns) {
        if (column.name == "all_reduce") column.name = "layout";
    }
}

/// What `auto` went by stood among the predictions also where it was an earlier measurement, which
/// its reason tells: "staged: 1.10 us measured before; next ring, 2.40 us by its schedule".
void part_what_was_measured_before(Record& record) {
    Table* table = find(record.derived, "collectives");
    if (table == nullptr || !has_column(*table, "reason")) return;
    const auto& reasons = table->column("reason").texts;
    const auto predicted = std::ranges::find(table->columns, "predicted_s", &Column::name);
    require(predicted != table->columns.end() && predicted->numbers.size() == reasons.size(),
            "the predictions of table 'collectives' are not beside their reasons");
    auto& predicted_s = predicted->numbers;
    Column before{"measured_before_s", {}, {}};
    for (std::size_t row = 0; row < predicted_s.size(); ++row) {
        const std::string choice = reasons[row].substr(0, reasons[row].find(';'));
        before.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
        if (choice.ends_with(" measured before")) {
            std::swap(before.numbers[row], predicted_s[row]);
        }
    }
    table->columns.push_back(std::move(before));
}

/// Steps left out of the speed had the name of the learning rate's warm-up.
void name_the_uncounted_steps(Record& record) {
    Table* table = find(record.derived, "summary");
    if (table == nullptr) return;
    for (auto& column : table->columns) {
        if (column.name == "warmup_steps") column.name = "uncounted_steps";
    }
}

/// The first comparisons of version 3 did not tell which sides were on emulated GPUs.
void tell_what_was_emulated(Record& record) {
    Table* table = find(record.derived, "comparison");
    if (table == nullptr || has_column(*table, "emulated")) return;
    table->columns.push_back({"emulated", {}, std::vector<std::string>(table->rows())});
}

void from_version_1(Record& record) {
    if (record.kind == "collectives") name_the_operation(record);
    if (record.kind == "overlap") {
        rename(record.derived, "summary", "overlap");
        join_rounds(record);
    }
    if (record.kind == "pipeline") rename(record.samples, "steps", "pipeline_steps");
    if (record.kind == "equivalence") name_the_layout(record);
}

}  // namespace

void use_present_names(Record& record) {
    if (record.version < 2) from_version_1(record);
    if (record.version < 3 && record.kind == "collectives") part_what_was_measured_before(record);
    if (record.version < 3 && record.kind == "train") name_the_uncounted_steps(record);
    if (record.version == 3 && record.kind == "compare") tell_what_was_emulated(record);
}

}  // namespace shardstone::results
