// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "results/record/record.hpp"

namespace shardstone::results {

enum class Better : std::uint8_t { lower, higher };

/// A part of a row's name: "size_bytes", "4096", "4 KiB"; "ranks", "8", "ranks 8".
struct RowKey {
    std::string name;
    std::string value;  ///< exact
    std::string shown;  ///< for readers

    bool operator==(const RowKey& other) const {
        return name == other.name && value == other.value;
    }
};

/// The compared figure of one row of a record.
struct MeasuredRow {
    std::vector<RowKey> keys;
    std::string unit;
    double value = 0.0;
    double low = 0.0, high = 0.0;  ///< the run's own 95 % interval; not numbers if it has none
    bool disturbed = false;
};

/// A table in which records can be compared: what names its rows, the one figure that is compared,
/// and in which direction it is better. A new one is one entry in comparable.cpp.
struct ComparableTable {
    std::string table;     ///< "collectives"
    std::string quantity;  ///< its column: "time_s"
    Better better = Better::lower;
    std::function<std::vector<MeasuredRow>(const Record&)> rows;
    /// Entries of the configuration that only say which rows a record has, or what its run found
    /// out: records that differ in nothing else measured the same.
    std::vector<std::string> scope = {};
    /// Entries of the configuration that tell rows apart first if one side has several of the same
    /// name: "plan". Others follow, by their names.
    std::vector<std::string> telling = {};
};

const std::vector<ComparableTable>& comparable_tables();

}  // namespace shardstone::results
