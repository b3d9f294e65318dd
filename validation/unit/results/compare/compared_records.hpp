// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "results/compare/comparison.hpp"
#include "results/record/record.hpp"

namespace shardstone::validation {

/// Multiplies a column of a derived table, in the rows of one algorithm if that is given. Throws if
/// there is no such column.
void multiply(results::Record& record, const std::string& table, const std::string& column,
              double factor, const std::string& algorithm = "");

using Edit = std::function<void(results::Record&)>;

/// Records of as many runs as there are factors, by which the column is multiplied: copies of one,
/// each with an id of its own, undisturbed, and then edited.
std::vector<results::Record> repeated(const results::Record& record, const std::string& table,
                                      const std::string& column, const std::vector<double>& factors,
                                      const Edit& edit = {});

/// Written as 0.json, 1.h5, 2.json, ... into a folder that is made for them.
void write_all(const std::vector<results::Record>& records, const std::filesystem::path& folder);

/// As if read from files.
results::ComparedSide as_side(const std::vector<results::Record>& records,
                              const std::string& folder);

/// Deviations of 1 % about 1 with a geometric mean of 1, and others.
extern const std::vector<double> one_percent, other_one_percent;

}  // namespace shardstone::validation
