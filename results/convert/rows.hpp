// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "results/record/record.hpp"

namespace shardstone::results {

/// A table as in RFC 4180: a line of names, then one line per row; numbers are the shortest that
/// read back as the same double, "nan", "inf" and "-inf" among them. Lines end in "\n".
std::string to_csv(const Table& table);

/// A whole record as JSON lines: first {"record": {"kind", "version", "hash", "identity",
/// "configuration", "environment"}}, then {"check": {...}} for each check, then {"table": NAME,
/// "row": {COLUMN: VALUE, ...}} for each row. Numbers that JSON cannot represent are the texts
/// "NaN", "Infinity" and "-Infinity".
std::string to_json_lines(const Record& record);

}  // namespace shardstone::results
