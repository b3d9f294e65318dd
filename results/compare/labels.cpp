// SPDX-License-Identifier: BSD-3-Clause
// Splits the names of a table's rows into what tells them apart and what they have in common.
#include "results/compare/labels.hpp"

namespace shardstone::results {

namespace {

void add(const std::string& word, std::string& text) {
    text += (text.empty() ? "" : ", ") + word;
}

}  // namespace

Labels::Labels(const std::vector<MatchedRow>& rows) {
    for (const MatchedRow& row : rows) {
        Keys& keys = of_tables_[{row.kind, row.table->table, row.table->quantity}];
        if (keys.rows++ == 0) keys.first = row.keys;
        for (const RowKey& key : row.keys) ++keys.counts[key.name][key.value];
    }
}

bool Labels::is_common(const Keys& keys, const RowKey& key) const {
    return keys.rows > 1 && keys.counts.at(key.name).at(key.value) == keys.rows;
}

std::string Labels::of(const MatchedRow& row) const {
    const Keys& keys = of_tables_.at({row.kind, row.table->table, row.table->quantity});
    std::string label;
    for (const RowKey& key : row.keys) {
        if (!is_common(keys, key)) add(key.shown, label);
    }
    return label;
}

std::string Labels::common(const std::string& kind, const std::string& table,
                           const std::string& quantity) const {
    const Keys& keys = of_tables_.at({kind, table, quantity});
    std::string common;
    for (const RowKey& key : keys.first) {
        if (is_common(keys, key)) add(key.shown, common);
    }
    return common;
}

}  // namespace shardstone::results
