// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "results/record/record.hpp"

namespace shardstone::results {

// Tables and checks in JSON, for records (json_format.hpp) and journals (journal.hpp). Functions
// that read throw Error naming `source` and the problem.

/// A number, or the text that represents it.
nlohmann::json number_to_json(double value);

/// With the units and meanings of results/schema, or without.
nlohmann::json to_json(const std::vector<Table>& tables, bool with_meanings = true);
std::vector<Table> tables_from_json(const nlohmann::json& document, const char* name,
                                    const std::string& source);

nlohmann::json to_json(const std::vector<Check>& checks);
/// The checks in the document's member "verification".
std::vector<Check> checks_from_json(const nlohmann::json& document, const std::string& source);

}  // namespace shardstone::results
